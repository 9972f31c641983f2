#include "engine/bit_sums.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/bit_sums.cpp"
#include "engine/simd_targets.h"
// foreach_target.h includes this file once per instruction set, so it comes before highway.h.
#include <hwy/foreach_target.h>  // NOLINT
#include <hwy/highway.h>

#include "engine/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mercer::engine::HWY_NAMESPACE {

void make_sum_tables_f64(const double* v, std::size_t stride, std::size_t rows, double factor,
                         double* HWY_RESTRICT tables) {
  const Tag<double> d;
  constexpr std::size_t kL = kLanes<double>;
  const auto scale = hn::Set(d, factor);
  for (std::size_t first = 0; first < kBlock; first += 4, tables += 16 * kProductColumns) {
    for (std::size_t c = 0; c < kProductColumns; c += kL) {
      hn::StoreU(hn::Zero(d), d, tables + c);
      for (std::size_t bit = 0; bit < 4; ++bit) {
        const std::size_t row = first + bit;
        const auto own =
            row < rows ? hn::Mul(scale, hn::LoadU(d, v + row * stride + c)) : hn::Zero(d);
        // All subsets of the rows before, and this one.
        const std::size_t subsets = std::size_t{1} << bit;
        for (std::size_t s = 0; s < subsets; ++s) {
          const auto others = hn::LoadU(d, tables + s * kProductColumns + c);
          hn::StoreU(hn::Add(others, own), d, tables + (subsets + s) * kProductColumns + c);
        }
      }
    }
  }
}

/// Two rows at a time: their chains of additions hide each other's latency.
template <std::size_t kRows>
HWY_INLINE void bit_rows(const std::uint32_t* bits, const double* HWY_RESTRICT tables,
                         std::size_t row, double* HWY_RESTRICT y, std::size_t stride) {
  using V = Vec<double>;
  const Tag<double> d;
  constexpr std::size_t kL = kLanes<double>;
  constexpr std::size_t kVectors = kProductColumns / kL;
  constexpr std::size_t kWords = kBlock / 32;
  constexpr std::size_t kTable = 16 * kProductColumns;
  V sum[kRows][kVectors];
  HWY_UNROLL(2) for (std::size_t r = 0; r < kRows; ++r) {
    HWY_UNROLL(8) for (std::size_t v = 0; v < kVectors; ++v) {
      sum[r][v] = hn::LoadU(d, y + (row + r) * stride + v * kL);
    }
  }
  for (std::size_t w = 0; w < kWords; ++w) {
    const std::uint32_t* words = bits + (row / 32 * kWords + w) * 32 + row % 32;
    const double* table = tables + w * 8 * kTable;
    HWY_UNROLL(8) for (std::size_t nibble = 0; nibble < 8; ++nibble) {
      HWY_UNROLL(2) for (std::size_t r = 0; r < kRows; ++r) {
        const std::size_t subset = (words[r] >> (4 * nibble)) & 15U;
        const double* entry = table + nibble * kTable + subset * kProductColumns;
        HWY_UNROLL(8) for (std::size_t v = 0; v < kVectors; ++v) {
          sum[r][v] = hn::Add(sum[r][v], hn::LoadU(d, entry + v * kL));
        }
      }
    }
  }
  HWY_UNROLL(2) for (std::size_t r = 0; r < kRows; ++r) {
    HWY_UNROLL(8) for (std::size_t v = 0; v < kVectors; ++v) {
      hn::StoreU(sum[r][v], d, y + (row + r) * stride + v * kL);
    }
  }
}

void add_bit_sums_f64(const std::uint32_t* bits, const double* tables, std::size_t rows, double* y,
                      std::size_t stride) {
  std::size_t row = 0;
  for (; row + 2 <= rows; row += 2) bit_rows<2>(bits, tables, row, y, stride);
  if (row < rows) bit_rows<1>(bits, tables, row, y, stride);
}

}  // namespace mercer::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mercer::engine {

HWY_EXPORT(make_sum_tables_f64);
HWY_EXPORT(add_bit_sums_f64);

void make_sum_tables(const double* v, std::size_t stride, std::size_t rows, double factor,
                     double* tables) {
  HWY_DYNAMIC_DISPATCH(make_sum_tables_f64)(v, stride, rows, factor, tables);
}
void add_bit_sums(const std::uint32_t* bits, const double* tables, std::size_t rows, double* y,
                  std::size_t stride) {
  HWY_DYNAMIC_DISPATCH(add_bit_sums_f64)(bits, tables, rows, y, stride);
}

}  // namespace mercer::engine
#endif
