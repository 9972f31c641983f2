#include "data/labels.h"

#include <fmt/format.h>

#include <mercer/data.h>
#include <mercer/error.h>

#include "data/categories.h"
#include "data/text_record.h"

namespace mercer::data {

namespace {

Labels labels_of_array(TableSource& source, const std::string& file) {
  const Table table = read_all(source, file, {});
  const bool one_row = table.points.rows() == 1;
  if (table.points.cols() != 1 && !one_row) {
    throw DataError(
        fmt::format("'{}' has {} columns, but labels are one column", file, table.points.cols()));
  }
  Categories names;
  Labels labels;
  for (std::size_t i = 0; i < table.points.size(); ++i) {
    labels.code.push_back(names.add(fmt::format("{}", table.points.data()[i])));
  }
  labels.names = names.names();
  return labels;
}

/// A whole line is a label, so that it may contain blanks and commas; quotes around it are taken
/// off.
Labels labels_of_text(std::unique_ptr<ByteSource> bytes, const std::string& file) {
  constexpr char kNoDelimiter = '\n';
  RecordReader records(std::move(bytes), file);
  records.set_delimiter(kNoDelimiter);
  Categories names;
  Labels labels;
  std::string_view record;
  while (records.next(record)) {
    FieldCursor cursor(record, kNoDelimiter);
    const auto label = cursor.take();
    if (!label) {
      throw DataError(fmt::format("'{}', line {}: there is text behind a closing quote", file,
                                  records.line_number()));
    }
    labels.code.push_back(names.add(*label));
  }
  if (labels.empty()) throw FileError(fmt::format("'{}' is empty", file));
  labels.names = names.names();
  return labels;
}

}  // namespace

Labels read_labels(std::unique_ptr<ByteSource> bytes, FileFormat format, const std::string& file) {
  if (format != FileFormat::npy && format != FileFormat::idx) {
    return labels_of_text(std::move(bytes), file);
  }
  return labels_of_array(*open_table(std::move(bytes), format, file, {}, Keep::everything), file);
}

}  // namespace mercer::data

namespace mercer {

Labels read_labels(const std::filesystem::path& path) {
  auto bytes = data::inflate_if_compressed(data::open_file(path), path.string());
  const FileFormat format = data::recognise_format(*bytes, path);
  return data::read_labels(std::move(bytes), format, path.string());
}

}  // namespace mercer
