#include "data/libsvm_reader.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include <mercer/error.h>

#include "data/categories.h"
#include "data/line_reader.h"
#include "data/message_text.h"
#include "data/number_parser.h"
#include "data/text_record.h"

namespace mercer::data {

namespace {

/// More columns than any data set has; a larger index is a damaged file.
constexpr std::uint64_t kMostColumns = std::uint64_t{1} << 40;

void check_options(const TableOptions& options) {
  const bool label_is_first =
      options.label.kind == ColumnName::Kind::none || options.label.kind == ColumnName::Kind::first;
  if (!options.rules.empty()) {
    if (!options.rules.one_hot.empty()) {
      throw InvalidArgument("LIBSVM files hold numbers only, but the rules one-hot encode columns");
    }
    if (options.weight.kind != ColumnName::Kind::none) {
      throw InvalidArgument("LIBSVM files have no column of weights");
    }
    return;
  }
  if (!label_is_first || options.weight.kind != ColumnName::Kind::none || !options.ignore.empty() ||
      !options.one_hot.empty()) {
    throw InvalidArgument(
        "the columns of LIBSVM files cannot be labels, weights, ignored or one-hot encoded; the "
        "label is what each line begins with");
  }
}

/// The width that the rules ask for: the label is no column of this format.
std::optional<std::uint64_t> width_of(const ColumnRules& rules) {
  if (rules.empty()) return std::nullopt;
  if (rules.left_out.size() >= rules.table_columns) {
    throw InvalidArgument("the column rules leave out every column");
  }
  return rules.table_columns - rules.left_out.size();
}

/// Cuts the next token off, which is empty at the end.
std::string_view take_token(std::string_view& line) {
  const char* const begin = std::ranges::find_if_not(line, is_blank);
  const char* const end = std::find_if(begin, line.end(), is_blank);
  line.remove_prefix(static_cast<std::size_t>(end - line.begin()));
  return {begin, end};
}

class LibsvmReader final : public TableSource {
 public:
  LibsvmReader(std::unique_ptr<ByteSource> bytes, const std::string& file,
               const TableOptions& options, Keep keep)
      : TableSource(options),
        lines_(std::move(bytes), file),
        rules_(options.rules),
        known_width_(width_of(options.rules)),
        keep_(keep) {
    check_options(options);
    if (!known_width_ && keep == Keep::points) scan();
  }

  std::size_t cols() const override { return known_width_.value_or(widest_); }
  std::optional<std::size_t> rows() const override { return known_rows_; }
  ColumnRules rules() const override {
    ColumnRules rules = rules_;
    if (rules.empty()) rules.table_columns = cols();
    return rules;
  }

  void rewind() override {
    if (!started_) return;
    lines_.rewind();
    label_codes_.clear();
    started_ = false;
    next_row_ = 0;
  }

  bool sparse() const override { return true; }

  Table complete(Matrix<double> rows) override {
    Table table;
    table.points = std::move(rows);
    table.labels = {std::move(label_codes_), labels_.names()};
    return table;
  }

 protected:
  std::optional<RowBlock> read_rows(std::size_t max_rows) override {
    started_ = true;
    SparseRows block;
    std::string_view line;
    while (block.rows() < max_rows && next_line(line)) parse_row(line, block);
    const std::size_t first_row = next_row_;
    next_row_ += block.rows();
    if (block.rows() < max_rows) known_rows_ = next_row_;
    if (block.rows() == 0) {
      if (max_rows > 0) check_something_was_read();
      return std::nullopt;
    }
    block.cols = cols();
    return RowBlock{first_row, std::move(block)};
  }

 private:
  /// Finds the width.
  void scan() {
    constexpr std::size_t kRowsAtOnce = 4096;
    while (next(kRowsAtOnce)) continue;
    known_width_ = widest_;
    rewind();
  }

  bool next_line(std::string_view& line) {
    while (lines_.next(line)) {
      line = line.substr(0, line.find('#'));
      if (!std::ranges::all_of(line, is_blank)) return true;
    }
    return false;
  }

  void parse_row(std::string_view line, SparseRows& block) {
    std::string_view token = take_token(line);
    const bool labelled = token.find(':') == std::string_view::npos;
    if (next_row_ + block.rows() == 0) labelled_ = labelled;
    if (labelled != labelled_) {
      fail(labelled ? "the line begins with a label, but those before do not"
                    : "the line does not begin with a label, as those before do");
    }
    if (labelled) {
      if (keep_ == Keep::everything) label_codes_.push_back(labels_.add(token));
      token = take_token(line);
    }
    std::uint64_t index = 0;
    for (; !token.empty(); token = take_token(line)) {
      if (!token.starts_with("qid:")) index = parse_entry(token, index, block);
    }
    widest_ = std::max(widest_, index);
    block.row_begin.push_back(block.value.size());
  }

  /// Appends `index:value`, and returns the index.
  std::uint64_t parse_entry(std::string_view entry, std::uint64_t previous, SparseRows& block) {
    const char* const end = entry.data() + entry.size();
    std::uint64_t index = 0;
    const auto [colon, error] = std::from_chars(entry.data(), end, index);
    if (error != std::errc{} || colon == end || *colon != ':') {
      fail(fmt::format("{} is not of the form index:value", in_quotes(entry)));
    }
    if (index == 0) fail("there is a column 0, but columns of LIBSVM files count from 1");
    if (index > kMostColumns) fail(fmt::format("there is a column {}", index));
    if (index <= previous) {
      fail(fmt::format("column {} comes after column {}; they must increase", index, previous));
    }
    if (known_width_ && index > *known_width_) {
      fail(fmt::format("there is a column {}, but only {} are expected", index, *known_width_));
    }
    const ParsedNumber number = parse_number(colon + 1, end);
    if (number.end != end || number.status == NumberStatus::not_a_number) {
      fail(fmt::format("column {}: {} is not a number", index, in_quotes({colon + 1, end})));
    }
    if (number.status != NumberStatus::finite) {
      fail(fmt::format("column {}: {} is not a finite number", index, in_quotes({colon + 1, end})));
    }
    if (number.value != 0) {
      block.column.push_back(index - 1);
      block.value.push_back(number.value);
    }
    return index;
  }

  [[noreturn]] void fail(std::string_view problem) const {
    throw DataError(fmt::format("'{}', line {}: {}", lines_.name(), lines_.line_number(), problem));
  }

  void check_something_was_read() const {
    if (next_row_ == 0) throw FileError(fmt::format("'{}' is empty", lines_.name()));
    if (cols() == 0) throw DataError(fmt::format("'{}' has no columns", lines_.name()));
  }

  LineReader lines_;
  ColumnRules rules_;
  std::optional<std::uint64_t> known_width_;
  Keep keep_;
  std::optional<std::size_t> known_rows_;  ///< after the first pass
  std::uint64_t widest_ = 0;
  std::size_t next_row_ = 0;
  bool started_ = false;
  bool labelled_ = false;
  Categories labels_;
  std::vector<std::size_t> label_codes_;
};

}  // namespace

std::unique_ptr<TableSource> open_libsvm(std::unique_ptr<ByteSource> bytes, const std::string& file,
                                         const TableOptions& options, Keep keep) {
  return std::make_unique<LibsvmReader>(std::move(bytes), file, options, keep);
}

}  // namespace mercer::data
