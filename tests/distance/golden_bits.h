#pragma once

#include <cstdint>

#include <mercer/distance.h>
#include <mercer/matrix.h>

namespace mercer::testing {

/// Items and one query (the last row) of tests/golden/sparse_distance/hamming.txt.
inline Matrix<double> golden_bits() {
  Matrix<double> bits(13, 40);
  std::uint64_t x = 2024;
  for (std::size_t i = 0; i < bits.size(); ++i) {
    x = (1103515245 * x + 12345) % (std::uint64_t{1} << 31);
    bits.data()[i] = static_cast<double>((x >> 16) & 1);
  }
  return bits;
}

/// Of degenerate.txt.
inline Matrix<double> degenerate_bits() {
  Matrix<double> bits(10, 24);
  for (std::size_t i = 0; i < 10; ++i) {
    for (std::size_t j = 0; j < 24; ++j) {
      bits(i, j) = (7 * i * i + 3 * i * j + j * j + i * j / 3) % 5 < 2 ? 1 : 0;
    }
  }
  return bits;
}

/// Squared distances of the first n - 1 rows to each other, and of the last one to them.
struct ItemsAndQuery {
  Matrix<double> items;
  Matrix<double> query;
  Matrix<double> squares;
  Matrix<double> query_squares;

  explicit ItemsAndQuery(const Matrix<double>& rows)
      : items(rows.view().rows_from(0, rows.rows() - 1)),
        query(rows.view().rows_from(rows.rows() - 1, 1)),
        squares(squared_distances(HammingDistance{}, items, items)),
        query_squares(squared_distances(HammingDistance{}, query, items)) {}
};

}  // namespace mercer::testing
