#include "data/array_layout.h"

#include <fmt/format.h>

#include <mercer/error.h>

namespace mercer::data {

namespace {

/// Throws FileError on overflow, which only a damaged header can cause.
std::uint64_t checked_product(std::uint64_t a, std::uint64_t b, const std::string& file) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) {
    throw FileError(fmt::format("'{}' declares more numbers than any file can hold", file));
  }
  return product;
}

}  // namespace

void ArrayLayout::set_shape(std::span<const std::uint64_t> shape, const std::string& file) {
  if (shape.empty()) throw FileError(fmt::format("'{}' holds a single number, not a table", file));
  rows = shape.front();
  cols = 1;
  for (const std::uint64_t length : shape.subspan(1)) cols = checked_product(cols, length, file);
  if (rows == 0) throw DataError(fmt::format("'{}' has no rows", file));
  if (cols == 0) throw DataError(fmt::format("'{}' has no columns", file));
}

std::uint64_t ArrayLayout::file_bytes(const std::string& file) const {
  const std::uint64_t numbers = checked_product(rows, cols, file);
  const std::uint64_t bytes = checked_product(numbers, element_bytes(element), file);
  if (bytes > UINT64_MAX - offset) checked_product(UINT64_MAX, 2, file);
  return bytes + offset;
}

void read_exactly(ByteSource& bytes, std::span<char> buffer, const std::string& file) {
  const std::size_t count = bytes.read(buffer);
  if (count < buffer.size()) {
    throw FileError(
        fmt::format("'{}' is truncated: {} bytes are missing", file, buffer.size() - count));
  }
}

}  // namespace mercer::data
