#include <algorithm>
#include <cctype>
#include <system_error>

#include <fmt/format.h>

#include <mercer/data.h>
#include <mercer/error.h>

#include "data/array_layout.h"
#include "data/array_reader.h"
#include "data/image.h"
#include "data/image_folder.h"
#include "data/libsvm_reader.h"
#include "data/sparse_rows.h"
#include "data/table_source.h"
#include "data/text_reader.h"
#include "system/memory.h"

namespace mercer::data {

namespace {

/// The ending of a name in small letters, the one before `.gz` where there is that.
std::string ending_of(std::filesystem::path path) {
  if (path.extension() == ".gz") path = path.stem();
  std::string ending = path.extension().string();
  std::ranges::transform(ending, ending.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending;
}

bool is_idx(std::string_view bytes) {
  constexpr std::string_view kTypes = "\x08\x09\x0b\x0c\x0d\x0e";
  return bytes.size() >= 4 && bytes[0] == 0 && bytes[1] == 0 &&
         kTypes.find(bytes[2]) != std::string_view::npos && bytes[3] != 0;
}

std::unique_ptr<TableSource> open_path(const std::filesystem::path& path,
                                       const TableOptions& options, Keep keep) {
  const std::string file = path.string();
  std::error_code ignored;  // opening the file will tell
  if (std::filesystem::is_directory(path, ignored)) {
    if (options.format != FileFormat::automatic && options.format != FileFormat::images) {
      throw FileError(fmt::format("'{}' is a folder, not a file", file));
    }
    return open_image_folder(path, options, keep);
  }
  if (options.format == FileFormat::images) {
    throw FileError(fmt::format("'{}' is not a folder of pictures", file));
  }
  std::unique_ptr<ByteSource> bytes = inflate_if_compressed(open_file(path), file);
  const FileFormat format =
      options.format == FileFormat::automatic ? recognise_format(*bytes, path) : options.format;
  return open_table(std::move(bytes), format, file, options, keep);
}

constexpr std::size_t kFirstBlockBytes = std::size_t{1} << 20;
/// Above the 32 MiB up to which malloc may keep freed memory, so that freeing gives it back.
constexpr std::size_t kLargestBlockBytes = std::size_t{1} << 26;

std::size_t rows_in(std::size_t bytes, std::size_t cols) {
  return std::max<std::size_t>(bytes / sizeof(double) / std::max<std::size_t>(cols, 1), 1);
}

void copy_rows(const RowBlock& block, MatrixView<double> into) {
  if (const auto* narrow = std::get_if<Matrix<float>>(&block.values)) {
    std::copy_n(narrow->data(), narrow->size(), into.data());
  } else {
    const auto& wide = std::get<Matrix<double>>(block.values);
    std::copy_n(wide.data(), wide.size(), into.data());
  }
}

/// The next block, its weights put with those before.
std::optional<RowBlock> next_block(TableSource& source, std::size_t max_rows,
                                   std::vector<double>& weights) {
  std::optional<RowBlock> block = source.next(max_rows);
  if (block) weights.insert(weights.end(), block->weights.begin(), block->weights.end());
  return block;
}

/// Into memory that is allocated once, for at most so many rows.
Matrix<double> read_bounded_rows(TableSource& source, std::size_t most_rows,
                                 std::vector<double>& weights) {
  Matrix<double> points = Matrix<double>::uninitialized(most_rows, source.cols());
  std::size_t filled = 0;
  while (const auto block = next_block(source, rows_in(kFirstBlockBytes, source.cols()), weights)) {
    copy_rows(*block, points.view().rows_from(filled, block->rows()));
    filled += block->rows();
  }
  if (filled == most_rows) return points;
  return Matrix<double>(std::as_const(points).view().rows_from(0, filled));
}

/// Blocks are freed while they are copied together, so that the table is never in memory twice.
Matrix<double> join(std::vector<RowBlock> blocks, std::size_t rows, std::size_t cols) {
  if (blocks.size() == 1 && std::holds_alternative<Matrix<double>>(blocks.front().values)) {
    return std::get<Matrix<double>>(std::move(blocks.front().values));
  }
  Matrix<double> points = Matrix<double>::uninitialized(rows, cols);
  for (RowBlock& block : blocks) {
    copy_rows(block, points.view().rows_from(block.first_row, block.rows()));
    block.values = Matrix<double>();
  }
  return points;
}

Matrix<double> read_sparse_rows(TableSource& source, const std::string& file, std::size_t limit) {
  constexpr std::size_t kRowsAtOnce = 4096;
  SparseRows all;
  while (const auto block = source.next(kRowsAtOnce)) {
    append(all, std::get<SparseRows>(block->values));
    // Before they are spread out, entries take an index and a value each.
    check_memory(file, static_cast<double>(all.value.size()), 2, limit);
  }
  all.cols = source.cols();
  check_memory(file, static_cast<double>(all.rows()), static_cast<double>(all.cols), limit);
  return RowBlock{0, std::move(all)}.dense();
}

Matrix<double> read_unbounded_rows(TableSource& source, const std::string& file, std::size_t limit,
                                   std::vector<double>& weights) {
  const std::size_t cols = source.cols();
  const std::size_t most_rows = system::memory_limit_bytes(limit) / sizeof(double) / cols;
  std::vector<RowBlock> blocks;
  std::size_t rows = 0;
  std::size_t block_bytes = kFirstBlockBytes;
  // One row beyond the limit is enough to know that it does not suffice.
  while (auto block = next_block(source, std::min(rows_in(block_bytes, cols), most_rows - rows + 1),
                                 weights)) {
    rows += block->rows();
    check_memory(file, static_cast<double>(rows), static_cast<double>(cols), limit);
    blocks.push_back(std::move(*block));
    block_bytes = std::min(2 * block_bytes, kLargestBlockBytes);
  }
  return join(std::move(blocks), rows, cols);
}

Matrix<double> read_dense_rows(TableSource& source, const std::string& file,
                               std::size_t memory_limit_bytes, std::vector<double>& weights) {
  if (const auto rows = source.rows()) {
    check_memory(file, static_cast<double>(*rows), static_cast<double>(source.cols()),
                 memory_limit_bytes);
  }
  const auto most_rows = source.most_rows();
  const std::size_t limit = system::memory_limit_bytes(memory_limit_bytes);
  if (most_rows && *most_rows <= limit / sizeof(double) / source.cols()) {
    return read_bounded_rows(source, *most_rows, weights);
  }
  return read_unbounded_rows(source, file, memory_limit_bytes, weights);
}

}  // namespace

std::optional<RowBlock> TableSource::next(std::size_t max_rows) {
  if (cancelled_ && cancelled_()) throw Cancelled();
  return read_rows(max_rows);
}

void learn_categories(TableSource& source, Columns& columns, const std::string& file,
                      std::size_t memory_limit_bytes) {
  while (source.next(rows_in(kFirstBlockBytes, source.cols()))) {
    // A block holds at least one row of them all.
    check_memory(file, 1, static_cast<double>(columns.encoded_outputs()), memory_limit_bytes);
  }
  columns.settle_categories();
  source.rewind();
}

void check_memory(const std::string& file, double rows, double cols,
                  std::size_t memory_limit_bytes) {
  const double needed = rows * cols * sizeof(double);
  const auto limit = static_cast<double>(system::memory_limit_bytes(memory_limit_bytes));
  if (needed <= limit) return;
  throw MemoryLimitError(
      fmt::format("'{}' takes at least {} in memory ({:.0f} x {:.0f} numbers), more than the limit "
                  "of {}: raise "
                  "the limit, leave out columns, or read the file block by block",
                  file, system::format_bytes(needed), rows, cols, system::format_bytes(limit)));
}

Table complete_table(Columns& columns, Matrix<double> rows, const std::string& file,
                     std::size_t memory_limit_bytes) {
  Table table;
  if (columns.needs_encoding()) {
    check_memory(file, static_cast<double>(rows.rows()),
                 static_cast<double>(columns.encoded_outputs()), memory_limit_bytes);
    table.points = columns.encode(std::move(rows));
  } else {
    table.points = std::move(rows);
  }
  table.labels = columns.take_labels();
  return table;
}

FileFormat recognise_format(ByteSource& bytes, const std::filesystem::path& path) {
  const std::string_view beginning = bytes.peek(16);
  const std::string file = path.string();
  if (is_image(beginning)) {
    throw FileError(
        fmt::format("'{}' is one picture; give the folder that holds all of them", file));
  }
  if (beginning.starts_with("PK\x03\x04")) {
    throw FileError(
        fmt::format("'{}' is a zip archive (.npz?); extract it and give the file inside", file));
  }
  const std::string ending = ending_of(path);
  if (beginning.starts_with(kNpyMagic) || ending == ".npy") return FileFormat::npy;
  if (is_idx(beginning)) return FileFormat::idx;
  if (ending == ".svm" || ending == ".libsvm" || ending == ".svmlight") return FileFormat::libsvm;
  return FileFormat::text;
}

std::unique_ptr<TableSource> open_table(std::unique_ptr<ByteSource> bytes, FileFormat format,
                                        const std::string& file, const TableOptions& options,
                                        Keep keep) {
  switch (format) {
    case FileFormat::npy:
      return open_npy(std::move(bytes), file, options, keep);
    case FileFormat::idx:
      return open_idx(std::move(bytes), file, options, keep);
    case FileFormat::libsvm:
      return open_libsvm(std::move(bytes), file, options, keep);
    default:
      return open_text(std::move(bytes), file, options, keep);
  }
}

Table read_all(TableSource& source, const std::string& file, const TableOptions& options) {
  std::vector<double> weights;
  Matrix<double> rows = source.sparse()
                            ? read_sparse_rows(source, file, options.memory_limit_bytes)
                            : read_dense_rows(source, file, options.memory_limit_bytes, weights);
  Table table = source.complete(std::move(rows));
  table.weights = std::move(weights);
  table.rules = source.rules();
  return table;
}

}  // namespace mercer::data

namespace mercer {

Table read_table(const std::filesystem::path& path, const TableOptions& options) {
  const auto source = data::open_path(path, options, data::Keep::everything);
  return data::read_all(*source, path.string(), options);
}

std::unique_ptr<FileRows> open_rows(const std::filesystem::path& path,
                                    const TableOptions& options) {
  return data::open_path(path, options, data::Keep::points);
}

}  // namespace mercer
