#include "data/array_reader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include <mercer/error.h>

#include "data/array_layout.h"
#include "data/numeric_rows.h"

namespace mercer::data {

namespace {

static_assert(std::endian::native == std::endian::little);

/// Any byte but zero is true.
struct Boolean {
  std::uint8_t byte;
  explicit operator double() const { return byte != 0 ? 1 : 0; }
};

template <bool kBigEndian, class E>
E load(const char* address) {
  std::array<char, sizeof(E)> bytes;
  std::memcpy(bytes.data(), address, sizeof(E));  // of any alignment
  if constexpr (kBigEndian) std::ranges::reverse(bytes);
  return std::bit_cast<E>(bytes);
}

/// Rows as they lie in the file.
struct StoredRows {
  const char* first = nullptr;
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::size_t column_step =
      0;  ///< elements between columns of a column-major array, 0 for row-major
};

template <bool kBigEndian, class E, class T>
Matrix<T> convert_row_major(const StoredRows& stored) {
  Matrix<T> block = Matrix<T>::uninitialized(stored.rows, stored.cols);
  for (std::size_t k = 0; k < block.size(); ++k) {
    block.data()[k] = static_cast<T>(load<kBigEndian, E>(stored.first + k * sizeof(E)));
  }
  return block;
}

template <class E, class T>
Matrix<T> convert_column_major(const StoredRows& stored) {
  Matrix<T> block = Matrix<T>::uninitialized(stored.rows, stored.cols);
  // In bands of rows: each column is read in order, and the rows being written stay in the cache.
  constexpr std::size_t kBandRows = 64;
  for (std::size_t begin = 0; begin < stored.rows; begin += kBandRows) {
    const std::size_t end = std::min(begin + kBandRows, stored.rows);
    for (std::size_t j = 0; j < stored.cols; ++j) {
      const char* const column = stored.first + j * stored.column_step * sizeof(E);
      for (std::size_t i = begin; i < end; ++i) {
        block(i, j) = static_cast<T>(load<false, E>(column + i * sizeof(E)));
      }
    }
  }
  return block;
}

class ArrayReader final : public TableSource {
 public:
  ArrayReader(std::unique_ptr<ByteSource> bytes, ArrayLayout layout, const std::string& file,
              const TableOptions& options, Keep keep)
      : TableSource(options),
        bytes_(std::move(bytes)),
        file_(file),
        layout_(checked(layout)),
        columns_(options, layout_.cols, {}, file, keep),
        memory_limit_bytes_(options.memory_limit_bytes) {
    if (keep == Keep::points && columns_.needs_encoding()) {
      learn_categories(*this, columns_, file_, memory_limit_bytes_);
    }
  }

  std::size_t cols() const override { return columns_.outputs(); }
  /// What the header of a pipe says cannot be checked, so nobody should allocate for it.
  std::optional<std::size_t> rows() const override {
    return bytes_->most_bytes() ? std::optional<std::size_t>(layout_.rows) : std::nullopt;
  }
  ColumnRules rules() const override { return columns_.rules(); }

  void rewind() override {
    if (!started_) return;
    columns_.rewind();
    started_ = false;
    next_row_ = released_rows_ = 0;
    if (mapped_) return;
    bytes_->rewind();
    std::vector<char> header(layout_.offset);
    read_exactly(*bytes_, header, file_);
  }

  Table complete(Matrix<double> rows) override {
    return complete_table(columns_, std::move(rows), file_, memory_limit_bytes_);
  }

 protected:
  std::optional<RowBlock> read_rows(std::size_t max_rows) override {
    started_ = true;
    const std::size_t count = std::min<std::size_t>(max_rows, layout_.rows - next_row_);
    if (count == 0) {
      if (!mapped_ && next_row_ == layout_.rows && !bytes_->peek(1).empty()) fail_surplus();
      return std::nullopt;
    }
    RowBlock block = convert(stored_rows(count));
    next_row_ += count;
    if (mapped_) release_delivered_rows();
    return block;
  }

 private:
  /// The layout, when the file can be as large as it says. So nothing is ever allocated for numbers
  /// that are not there.
  ArrayLayout checked(const ArrayLayout& layout) {
    const std::uint64_t declared = layout.file_bytes(file_);
    const std::optional<std::uint64_t> most = bytes_->most_bytes();
    if (most && declared > *most) {
      throw FileError(fmt::format(
          "'{}' is truncated: its header declares {} x {} numbers, which take {} bytes, but there "
          "are at most {}",
          file_, layout.rows, layout.cols, declared, *most));
    }
    mapped_ = bytes_->map();
    if (mapped_ && mapped_->size() != declared) fail_surplus();
    if (mapped_) return layout;
    if (layout.column_major && layout.cols > 1) {
      throw FileError(
          fmt::format("'{}' is stored column by column (Fortran order), which can only be read "
                      "from an uncompressed file",
                      file_));
    }
    // The width is true when there is a row of it.
    const std::size_t row_bytes = layout.cols * element_bytes(layout.element);
    if (bytes_->peek(row_bytes).size() < row_bytes) {
      throw FileError(fmt::format("'{}' is truncated in its first row", file_));
    }
    return layout;
  }

  [[noreturn]] void fail_surplus() const {
    throw FileError(fmt::format("'{}' has more bytes than its header declares", file_));
  }

  StoredRows stored_rows(std::size_t count) {
    const std::size_t size = element_bytes(layout_.element);
    const auto cols = static_cast<std::size_t>(layout_.cols);
    if (mapped_ && layout_.column_major) {
      const auto rows = static_cast<std::size_t>(layout_.rows);
      return {mapped_->data() + layout_.offset + next_row_ * size, count, cols, rows};
    }
    if (mapped_) {
      return {mapped_->data() + layout_.offset + next_row_ * cols * size, count, cols, 0};
    }
    read_in_pieces(count * cols * size);
    return {buffer_.data(), count, cols, 0};
  }

  /// Without this a pass over a mapped file would count all of it as memory of the process. In
  /// large pieces, because each is a call into the system.
  void release_delivered_rows() {
    const std::size_t size = element_bytes(layout_.element);
    const auto cols = static_cast<std::size_t>(layout_.cols);
    const std::size_t rows = next_row_ - released_rows_;
    if (layout_.column_major) {
      // Every column has pages of its own in use: fewer bytes of each make up a piece.
      constexpr std::size_t kColumnPieceBytes = std::size_t{1} << 17;
      if (rows * size < kColumnPieceBytes) return;
      for (std::size_t j = 0; j < cols; ++j) {
        const std::size_t column = j * static_cast<std::size_t>(layout_.rows);
        bytes_->release(layout_.offset + (column + released_rows_) * size, rows * size);
      }
    } else {
      constexpr std::size_t kPieceBytes = std::size_t{1} << 22;
      if (rows * cols * size < kPieceBytes) return;
      bytes_->release(layout_.offset + released_rows_ * cols * size, rows * cols * size);
    }
    released_rows_ = next_row_;
  }

  /// The buffer grows with the bytes that come, because a pipe may declare what it does not hold.
  void read_in_pieces(std::size_t bytes) {
    constexpr std::size_t kPiece = std::size_t{1} << 20;
    std::size_t filled = 0;
    while (filled < bytes) {
      const std::size_t wanted = std::min(bytes - filled, std::max(kPiece, filled));
      if (buffer_.size() < filled + wanted) buffer_.resize(filled + wanted);
      read_exactly(*bytes_, std::span(buffer_).subspan(filled, wanted), file_);
      filled += wanted;
    }
  }

  template <class E, class T = double>
  RowBlock convert_as(const StoredRows& stored) {
    Matrix<T> table = stored.column_step > 0 ? convert_column_major<E, T>(stored)
                      : layout_.big_endian   ? convert_row_major<true, E, T>(stored)
                                             : convert_row_major<false, E, T>(stored);
    Matrix<T> points = arrange(std::move(table), next_row_, columns_, file_);
    return {next_row_, std::move(points), columns_.take_weights()};
  }

  RowBlock convert(const StoredRows& stored) {
    switch (layout_.element) {
      case Element::b1:
        return convert_as<Boolean>(stored);
      case Element::u1:
        return convert_as<std::uint8_t>(stored);
      case Element::i1:
        return convert_as<std::int8_t>(stored);
      case Element::u2:
        return convert_as<std::uint16_t>(stored);
      case Element::i2:
        return convert_as<std::int16_t>(stored);
      case Element::u4:
        return convert_as<std::uint32_t>(stored);
      case Element::i4:
        return convert_as<std::int32_t>(stored);
      case Element::u8:
        return convert_as<std::uint64_t>(stored);
      case Element::i8:
        return convert_as<std::int64_t>(stored);
      case Element::f4:
        return convert_as<float, float>(stored);
      case Element::f8:
        break;
    }
    return convert_as<double>(stored);
  }

  std::unique_ptr<ByteSource> bytes_;
  std::string file_;
  std::optional<std::string_view> mapped_;
  ArrayLayout layout_;
  Columns columns_;
  std::size_t memory_limit_bytes_;
  std::size_t next_row_ = 0;
  std::size_t released_rows_ = 0;  ///< rows before this were given back to the system
  bool started_ = false;
  std::vector<char> buffer_;
};

}  // namespace

std::unique_ptr<TableSource> open_npy(std::unique_ptr<ByteSource> bytes, const std::string& file,
                                      const TableOptions& options, Keep keep) {
  const ArrayLayout layout = read_npy_header(*bytes, file);
  return std::make_unique<ArrayReader>(std::move(bytes), layout, file, options, keep);
}

std::unique_ptr<TableSource> open_idx(std::unique_ptr<ByteSource> bytes, const std::string& file,
                                      const TableOptions& options, Keep keep) {
  const ArrayLayout layout = read_idx_header(*bytes, file);
  return std::make_unique<ArrayReader>(std::move(bytes), layout, file, options, keep);
}

}  // namespace mercer::data
