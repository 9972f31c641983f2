#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <mercer/input.h>
#include <mercer/matrix.h>
#include <mercer/rows.h>

namespace mercer {

/// One column of a table, as people name it.
struct ColumnName {
  enum class Kind { none, first, last, position, name };
  Kind kind = Kind::none;
  std::size_t position = 0;  ///< 0-based
  std::string name{};

  /// "none", "first", "last", a 1-based number, or a header name.
  static ColumnName parse(std::string_view text);
};

/// "2,3,7-9,age": 1-based numbers, ranges and header names.
std::vector<ColumnName> parse_columns(std::string_view text);

enum class FileFormat { automatic, text, npy, libsvm, idx, images };

struct TableOptions {
  /// Recognised by content and name: .npy and IDX by their magic number (also inside .gz), a folder
  /// as images, .svm/.libsvm/.svmlight as LIBSVM, everything else as delimited text.
  FileFormat format = FileFormat::automatic;
  // With `{}` in place of `ColumnName()`, GCC 12 takes designated initialisers for uninitialised.
  ColumnName label = ColumnName();    ///< kept apart from the points
  ColumnName weight = ColumnName();   ///< positive sample weights, kept apart too
  std::vector<ColumnName> ignore{};   ///< left out
  std::vector<ColumnName> one_hot{};  ///< text or numbers that stand for categories
  /// Text only. Found by itself: tab, semicolon, comma, or any run of blanks (given as ' ').
  std::optional<char> delimiter{};
  /// Text only. Found by itself: a first line with words where the second has numbers, or names of
  /// columns among these options.
  std::optional<bool> header{};
  /// Rules of an earlier table (of a model): they replace label, ignore and one_hot; a weight must
  /// be one of the columns they leave out. A table that lacks just the left-out columns is accepted
  /// too.
  ColumnRules rules{};
  /// Most bytes that the points may take; 0 means half of the installed memory.
  std::size_t memory_limit_bytes = 0;
  /// Polled before each block of rows is read; returning true makes that throw `Cancelled`.
  std::function<bool()> cancelled{};
};

/// Classes of the rows: `names[code[i]]` is the label of row i.
struct Labels {
  std::vector<std::size_t> code{};
  std::vector<std::string> names{};  ///< in order of first appearance

  bool empty() const { return code.empty(); }
};

struct Table {
  Matrix<double> points;
  Labels labels;                ///< empty when there is no label column
  std::vector<double> weights;  ///< empty when there is no weight column
  ColumnRules rules;            ///< what was done to the columns, for the next table
};

/// A whole file in memory.
///
/// Text: quoted fields may contain delimiters, line breaks and doubled quotes; blank lines and
/// lines that begin with '#' are passed over; header names and categories that are not UTF-8 are
/// taken for Latin-1. NPY and IDX: arrays of more than two dimensions are flattened per row,
/// one-dimensional ones are one column. LIBSVM: the label that begins each line is kept,
/// `options.label` is not needed. Pictures: rows in order of the file names, grey values from 0 to
/// 255 whatever the depth, colours by their luma (ITU-R BT.601).
///
/// Throws FileError or DataError naming file, line and column: NaN, Inf, ragged rows, text in a
/// column that is neither left out nor one-hot encoded; MemoryLimitError before the points would
/// take more than allowed.
Table read_table(const std::filesystem::path& path, const TableOptions& options = {});

/// The rows of a file, which know what was done to its columns.
class FileRows : public RowSource {
 public:
  /// As `Table::rules`: for the model, and for the next file that is to be read alike.
  virtual ColumnRules rules() const = 0;
};

/// The same file block by block, for files larger than the memory: doubles, floats for NPY of
/// float32, sparse rows for LIBSVM. Blocks carry the weights; labels are left out.
///
/// Categories of one-hot encoded columns, and the width of LIBSVM files, are known only after the
/// last row. Unless `options.rules` tell them, the file is read once when it is opened, so that
/// `cols` and `rules` are final from then on; a pipe is refused with FileError.
///
/// Plain NPY and IDX files are mapped, and what has been delivered is given back to the system, so
/// that the process stays small. All others can be rewound too, compressed ones included, except
/// pipes.
std::unique_ptr<FileRows> open_rows(const std::filesystem::path& path,
                                    const TableOptions& options = {});

/// Labels from a file of their own: NPY, IDX, or text with one label a line (blank lines and those
/// that begin with '#' are passed over).
Labels read_labels(const std::filesystem::path& path);

enum class OutputFormat { npy, csv };
/// By the ending of the name; throws InvalidArgument for another one than .npy, .csv or .txt.
OutputFormat output_format(const std::filesystem::path& path);

/// Writes rows as they come. Nothing is at `path` before `finish`: the rows go to a temporary file
/// beside it, which is then synced and renamed, or removed when the writer is destroyed before.
class RowWriter {
 public:
  /// `header`: column names for CSV (NPY has none), may be empty.
  RowWriter(const std::filesystem::path& path, std::size_t cols,
            std::vector<std::string> header = {});
  ~RowWriter();
  RowWriter(RowWriter&&) noexcept;
  RowWriter& operator=(RowWriter&&) noexcept;

  void write(MatrixView<const double> rows);
  /// NPY becomes float32 when the first rows come as float; doubles are refused afterwards, with
  /// InvalidArgument, rather than rounded.
  void write(MatrixView<const float> rows);
  /// Whole numbers: NPY becomes int64, and nothing else may follow.
  void write(MatrixView<const std::int64_t> rows);
  /// Puts the file in its place. Throws FileError; nothing may be written afterwards.
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Writes a text file the same safe way.
void write_text(const std::filesystem::path& path, std::string_view text);

}  // namespace mercer
