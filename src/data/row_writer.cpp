#include <algorithm>
#include <cctype>
#include <cstring>
#include <iterator>
#include <limits>
#include <type_traits>

#include <fmt/format.h>

#include <mercer/data.h>
#include <mercer/error.h>

#include "system/atomic_file.h"

namespace mercer {

namespace {

/// NPY version 1: magic, version, length of the rest, and a Python dictionary, padded with blanks
/// so that the numbers begin at a multiple of 64. Room is left for any number of rows, so that the
/// header written first can be replaced when they have been counted.
std::string npy_header(std::string_view type, std::size_t rows, std::size_t cols) {
  const auto dictionary = [&](std::size_t n) {
    return fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}, {}), }}", type, n,
                       cols);
  };
  constexpr std::size_t kPreamble = 10;
  const std::size_t longest = dictionary(std::numeric_limits<std::size_t>::max()).size();
  const std::size_t total = (kPreamble + longest + 1 + 63) / 64 * 64;
  const std::size_t length = total - kPreamble;
  std::string header = "\x93NUMPY";
  header += '\x01';
  header += '\0';
  header += static_cast<char>(length & 0xff);
  header += static_cast<char>(length >> 8);
  header += dictionary(rows);
  header.resize(total - 1, ' ');
  return header + '\n';
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",;\t \"\n\r#") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace

OutputFormat output_format(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  std::ranges::transform(ending, ending.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (ending == ".npy") return OutputFormat::npy;
  if (ending == ".csv" || ending == ".txt") return OutputFormat::csv;
  throw InvalidArgument(fmt::format(
      "the format of '{}' is not known from its ending: use .npy, .csv or .txt", path.string()));
}

struct RowWriter::State {
  enum class Type { float64, float32, int64 };

  template <class T>
  static constexpr Type type_of() {
    if constexpr (std::is_same_v<T, float>) return Type::float32;
    if constexpr (std::is_same_v<T, std::int64_t>) return Type::int64;
    return Type::float64;
  }

  State(const std::filesystem::path& path, std::size_t columns)
      : format(output_format(path)), file(path), cols(columns) {}

  template <class T>
  void write(MatrixView<const T> rows) {
    if (rows.cols() != cols) {
      throw InvalidArgument(
          fmt::format("rows of {} columns cannot go to a file of {}", rows.cols(), cols));
    }
    if (format == OutputFormat::npy) begin_npy(type_of<T>());
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      if (format == OutputFormat::csv) {
        write_csv_row(rows.row(i));
      } else if (type == Type::float64) {
        append_values<double>(rows.row(i));
      } else {
        append_values<T>(rows.row(i));
      }
      if (buffer.size() >= kBufferBytes) flush();
    }
    row_count += rows.rows();
  }

  void begin_npy(Type next) {
    if (row_count == 0 && !npy_begun) {
      npy_begun = true;
      type = next;
      append_text(header());
    } else if (type == Type::float32 && next == Type::float64) {
      throw InvalidArgument("the rows before were single precision, so these must be too");
    } else if ((type == Type::int64) != (next == Type::int64)) {
      throw InvalidArgument("whole numbers and others cannot go to the same file");
    }
  }

  std::string header() const {
    const char* name = type == Type::float32 ? "<f4" : type == Type::int64 ? "<i8" : "<f8";
    return npy_header(name, row_count, cols);
  }

  template <class Stored, class T>
  void append_values(std::span<const T> row) {
    const std::size_t before = buffer.size();
    buffer.resize(before + row.size() * sizeof(Stored));
    char* to = buffer.data() + before;
    for (const T value : row) {
      const auto stored = static_cast<Stored>(value);
      std::memcpy(to, &stored, sizeof(Stored));
      to += sizeof(Stored);
    }
  }

  template <class T>
  void write_csv_row(std::span<const T> row) {
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (j > 0) buffer.push_back(',');
      fmt::format_to(std::back_inserter(buffer), "{}", row[j]);  // shortest that reads back alike
    }
    buffer.push_back('\n');
  }

  void append_text(std::string_view text) { buffer.append(text.data(), text.data() + text.size()); }

  void flush() {
    file.write(std::string_view(buffer.data(), buffer.size()));
    buffer.clear();
  }

  void finish() {
    if (format == OutputFormat::npy) begin_npy(type);
    flush();
    if (format == OutputFormat::npy) {
      const std::string final_header = header();
      file.overwrite(0, std::as_bytes(std::span(final_header)));
    }
    file.commit();
  }

  static constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

  OutputFormat format;
  system::AtomicFile file;
  std::size_t cols;
  std::size_t row_count = 0;
  bool npy_begun = false;
  Type type = Type::float64;
  fmt::memory_buffer buffer;
};

RowWriter::RowWriter(const std::filesystem::path& path, std::size_t cols,
                     std::vector<std::string> header) {
  if (cols == 0) throw InvalidArgument("a file of rows needs at least one column");
  if (!header.empty() && header.size() != cols) {
    throw InvalidArgument(fmt::format("{} names for {} columns", header.size(), cols));
  }
  state_ = std::make_unique<State>(path, cols);
  if (state_->format != OutputFormat::csv || header.empty()) return;
  std::ranges::transform(header, header.begin(), csv_field);
  state_->append_text(fmt::format("{}\n", fmt::join(header, ",")));
}

RowWriter::~RowWriter() = default;
RowWriter::RowWriter(RowWriter&&) noexcept = default;
RowWriter& RowWriter::operator=(RowWriter&&) noexcept = default;

void RowWriter::write(MatrixView<const double> rows) {
  if (!state_) throw InvalidArgument("rows cannot be written to a finished file");
  state_->write(rows);
}

void RowWriter::write(MatrixView<const float> rows) {
  if (!state_) throw InvalidArgument("rows cannot be written to a finished file");
  state_->write(rows);
}

void RowWriter::write(MatrixView<const std::int64_t> rows) {
  if (!state_) throw InvalidArgument("rows cannot be written to a finished file");
  state_->write(rows);
}

void RowWriter::finish() {
  if (!state_) throw InvalidArgument("the file is finished already");
  state_->finish();
  state_.reset();
}

void write_text(const std::filesystem::path& path, std::string_view text) {
  system::AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace mercer
