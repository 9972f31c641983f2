#include "data/text_reader.h"

#include <algorithm>
#include <array>
#include <deque>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include <mercer/error.h>

#include "data/growing_rows.h"
#include "data/message_text.h"
#include "data/number_parser.h"
#include "data/text_dialect.h"
#include "data/text_encoding.h"
#include "data/text_record.h"

namespace mercer::data {

namespace {

/// What the first records say about the table, and those of them that are rows.
struct Beginning {
  struct Row {
    std::string record;
    std::size_t line = 0;
  };
  TextDialect dialect;
  std::vector<std::string> names;
  std::size_t width = 0;
  std::size_t width_line = 0;  ///< the line that the width was taken from
  std::size_t first_row_line = 0;
  std::deque<Row> rows;
};

/// Every row takes a line. Counting them first lets the table be allocated once.
std::optional<std::size_t> count_lines(ByteSource& bytes, Keep keep) {
  if (keep != Keep::everything || !bytes.cheap_to_reread()) return std::nullopt;
  std::array<char, 1 << 16> buffer;
  std::size_t lines = 0;
  char last = '\n';
  while (const std::size_t count = bytes.read(buffer)) {
    const auto end = buffer.begin() + static_cast<std::ptrdiff_t>(count);
    lines += static_cast<std::size_t>(std::count(buffer.begin(), end, '\n'));
    last = end[-1];
  }
  bytes.rewind();
  return last == '\n' ? lines : lines + 1;
}

Beginning read_beginning(RecordReader& records, const TableOptions& options) {
  Beginning beginning;
  if (options.delimiter) records.set_delimiter(*options.delimiter);
  std::string_view record;
  for (int i = 0; i < 2 && records.next(record); ++i) {
    beginning.rows.push_back({std::string(record), records.line_number()});
  }
  if (beginning.rows.empty()) {
    throw FileError(fmt::format("'{}' is empty", records.name()));
  }
  const std::string& first = beginning.rows.front().record;
  beginning.dialect = detect_dialect(first,
                                     beginning.rows.size() > 1
                                         ? std::optional<std::string_view>(beginning.rows[1].record)
                                         : std::nullopt,
                                     options);
  records.set_delimiter(beginning.dialect.delimiter);
  std::vector<std::string> fields = split(first, beginning.dialect.delimiter);
  beginning.width = fields.size();
  beginning.width_line = beginning.rows.front().line;
  if (beginning.dialect.header) {
    std::ranges::transform(fields, std::back_inserter(beginning.names), to_utf8);
    beginning.rows.pop_front();
  }
  if (beginning.rows.empty()) {
    throw DataError(fmt::format("'{}' has a header but no rows", records.name()));
  }
  beginning.first_row_line = beginning.rows.front().line;
  return beginning;
}

class TextReader final : public TableSource {
 public:
  TextReader(std::unique_ptr<ByteSource> bytes, const std::string& file,
             const TableOptions& options, Keep keep)
      : TableSource(options),
        lines_(count_lines(*bytes, keep)),
        records_(std::move(bytes), file),
        beginning_(read_beginning(records_, options)),
        columns_(options, beginning_.width, beginning_.names, file, keep),
        memory_limit_bytes_(options.memory_limit_bytes) {
    if (keep == Keep::points && columns_.needs_encoding()) {
      learn_categories(*this, columns_, file, memory_limit_bytes_);
    }
  }

  std::size_t cols() const override { return columns_.outputs(); }
  std::optional<std::size_t> rows() const override { return known_rows_; }
  ColumnRules rules() const override { return columns_.rules(); }
  std::optional<std::size_t> most_rows() const override {
    if (!lines_) return std::nullopt;
    return *lines_ - (beginning_.first_row_line - 1);
  }

  void rewind() override {
    if (!started_) return;
    records_.rewind();
    columns_.rewind();
    started_ = false;
    next_row_ = 0;
    beginning_.rows.clear();
    std::string_view header;
    if (beginning_.dialect.header) records_.next(header);
  }

  Table complete(Matrix<double> rows) override {
    return complete_table(columns_, std::move(rows), records_.name(), memory_limit_bytes_);
  }

 protected:
  std::optional<RowBlock> read_rows(std::size_t max_rows) override {
    started_ = true;
    GrowingRows block(columns_.outputs(), max_rows);
    std::string_view record;
    while (block.rows() < max_rows && next_record(record)) parse_row(record, block.append());
    const std::size_t first_row = next_row_;
    next_row_ += block.rows();
    if (block.rows() < max_rows) known_rows_ = next_row_;
    if (block.rows() == 0) return std::nullopt;
    return RowBlock{first_row, block.take(), columns_.take_weights()};
  }

 private:
  bool next_record(std::string_view& record) {
    if (!beginning_.rows.empty()) {
      pending_ = std::move(beginning_.rows.front());
      beginning_.rows.pop_front();
      record = pending_.record;
      line_ = pending_.line;
      return true;
    }
    if (!records_.next(record)) return false;
    line_ = records_.line_number();
    return true;
  }

  void parse_row(std::string_view record, std::span<double> row) {
    FieldCursor cursor(record, beginning_.dialect.delimiter);
    const std::size_t width = columns_.width();
    for (std::size_t j = 0; j < width; ++j) {
      if (j > 0 && !cursor.advance()) fail_ragged(record);
      const Column& column = columns_[j];
      if (column.use == Column::Use::number) {
        const ParsedNumber number = parse_number(cursor.position(), cursor.end());
        if (number.status == NumberStatus::finite && cursor.accept(number.end)) [[likely]] {
          row[column.output] = number.value;
        } else {
          row[column.output] = number_in(take(cursor, j), j);
        }
      } else {
        put_aside(column, take(cursor, j), j, row);
      }
    }
    if (cursor.position() != cursor.end()) fail_ragged(record);
  }

  std::string_view take(FieldCursor& cursor, std::size_t j) const {
    const std::optional<std::string_view> field = cursor.take();
    if (!field) {
      throw DataError(fmt::format("{}: there is text behind a closing quote", place(j)));
    }
    return *field;
  }

  /// The number that a field is, once the fast way has failed: quoted, or not a number.
  double number_in(std::string_view field, std::size_t j) const {
    while (!field.empty() && is_blank(field.front())) field.remove_prefix(1);
    while (!field.empty() && is_blank(field.back())) field.remove_suffix(1);
    const char* const end = field.data() + field.size();
    const ParsedNumber number = parse_number(field.data(), end);
    if (number.status == NumberStatus::not_a_number || number.end != end) {
      if (field.empty()) throw DataError(fmt::format("{}: the value is missing", place(j)));
      throw DataError(fmt::format(
          "{}: {} is not a number; leave the column out or one-hot encode it if it is text",
          place(j), in_quotes(field)));
    }
    if (number.status != NumberStatus::finite) {
      throw DataError(fmt::format("{}: {} is not a finite number", place(j), in_quotes(field)));
    }
    return number.value;
  }

  void put_aside(const Column& column, std::string_view field, std::size_t j,
                 std::span<double> row) {
    switch (column.use) {
      case Column::Use::weight:
        columns_.put_weight(number_in(field, j), [&] { return place(j); });
        break;
      case Column::Use::category:
      case Column::Use::label:
        if (!columns_.put_text(column, field, row)) {
          throw DataError(
              fmt::format("{}: the category {} is unknown", place(j), in_quotes(field)));
        }
        break;
      default:
        break;
    }
  }

  std::string place(std::size_t j) const {
    return fmt::format("'{}', line {}, {}", records_.name(), line_, columns_.describe(j));
  }

  [[noreturn]] void fail_ragged(std::string_view record) const {
    throw DataError(fmt::format("'{}', line {}: {} columns, but line {} has {}", records_.name(),
                                line_, split(record, beginning_.dialect.delimiter).size(),
                                beginning_.width_line, beginning_.width));
  }

  std::optional<std::size_t> lines_;
  RecordReader records_;
  Beginning beginning_;
  Columns columns_;
  std::size_t memory_limit_bytes_;
  Beginning::Row pending_;
  std::size_t line_ = 0;
  std::size_t next_row_ = 0;
  std::optional<std::size_t> known_rows_;  ///< after the first pass
  bool started_ = false;
};

}  // namespace

std::unique_ptr<TableSource> open_text(std::unique_ptr<ByteSource> bytes, const std::string& file,
                                       const TableOptions& options, Keep keep) {
  return std::make_unique<TextReader>(std::move(bytes), file, options, keep);
}

}  // namespace mercer::data
