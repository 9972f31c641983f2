#include "engine/strips.h"

namespace mercer::engine {

void solve_strip(const RowBlock& y, const Matrix<double>& lower, const Strips& negative,
                 StripRange strip, std::array<double, kBlock>& squares) {
  negative.add_product(y, 0, strip.begin, strip, y);
  // Columns one after another, so that the substitution runs along them.
  std::array<std::array<double, kBlock>, kProductColumns> columns;
  for (std::size_t begin = strip.begin; begin < strip.end; begin += kProductColumns) {
    const std::size_t end = std::min(begin + kProductColumns, strip.end);
    negative.add_product(y.from(strip.begin), strip.begin, begin - strip.begin, {begin, end}, y);
    for (std::size_t i = 0; i < y.count; ++i) {
      for (std::size_t j = begin; j < end; ++j) columns[j - begin][i] = y.values[i * y.stride + j];
    }
    for (std::size_t j = begin; j < end; ++j) {
      auto& column = columns[j - begin];
      for (std::size_t l = begin; l < j; ++l) {
        const auto& before = columns[l - begin];
        const double factor = lower(j, l);
        for (std::size_t i = 0; i < y.count; ++i) column[i] -= before[i] * factor;
      }
      for (std::size_t i = 0; i < y.count; ++i) {
        column[i] /= lower(j, j);
        squares[i] += column[i] * column[i];
      }
    }
    for (std::size_t i = 0; i < y.count; ++i) {
      for (std::size_t j = begin; j < end; ++j) y.values[i * y.stride + j] = columns[j - begin][i];
    }
  }
}

}  // namespace mercer::engine
