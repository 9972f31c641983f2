#include "engine/sparse_product.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/sparse_product.cpp"
#include "engine/simd_targets.h"
// foreach_target.h includes this file once per instruction set, so it comes before highway.h.
#include <hwy/foreach_target.h>  // NOLINT
#include <hwy/highway.h>

#include "engine/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mercer::engine::HWY_NAMESPACE {

/// Columns [first, first + kProductColumns) of v and y.
template <bool kLevels>
HWY_NOINLINE void sparse_strip(const SparseProductArgs& args, std::size_t first) {
  using V = Vec<double>;
  const Tag<double> d;
  constexpr std::size_t kL = kLanes<double>;
  constexpr std::size_t kVectors = kProductColumns / kL;
  constexpr std::uint16_t kHigh = 0x8000;
  for (std::size_t i = 0; i < args.row_count; ++i) {
    double* y_row = args.y_rows + i * args.y_stride + first;
    V sum[kVectors];
    V x[kVectors];
    HWY_UNROLL(8) for (std::size_t v = 0; v < kVectors; ++v) {
      sum[v] = hn::LoadU(d, y_row + v * kL);
      x[v] = hn::LoadU(d, args.v_rows + i * args.v_stride + first + v * kL);
    }
    for (std::uint32_t e = args.starts[i]; e < args.starts[i + 1]; ++e) {
      std::size_t column = args.columns[e];
      V value;
      if constexpr (kLevels) {
        value = hn::Set(d, args.levels[column / kHigh]);
        column %= kHigh;
      } else {
        value = hn::Set(d, args.values[e]);
      }
      const double* from = args.v_cols + column * args.v_stride + first;
      double* to = args.y_cols + column * args.y_stride + first;
      HWY_UNROLL(8) for (std::size_t v = 0; v < kVectors; ++v) {
        sum[v] = hn::MulAdd(value, hn::LoadU(d, from + v * kL), sum[v]);
        hn::StoreU(hn::MulAdd(value, x[v], hn::LoadU(d, to + v * kL)), d, to + v * kL);
      }
    }
    HWY_UNROLL(8) for (std::size_t v = 0; v < kVectors; ++v) {
      hn::StoreU(sum[v], d, y_row + v * kL);
    }
  }
}

void sparse_product_f64(const SparseProductArgs& args) {
  for (std::size_t first = 0; first < args.p; first += kProductColumns) {
    if (args.values == nullptr) {
      sparse_strip</*kLevels=*/true>(args, first);
    } else {
      sparse_strip</*kLevels=*/false>(args, first);
    }
  }
}

}  // namespace mercer::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mercer::engine {

HWY_EXPORT(sparse_product_f64);

void add_sparse_product(const SparseProductArgs& args) {
  HWY_DYNAMIC_DISPATCH(sparse_product_f64)(args);
}

}  // namespace mercer::engine
#endif
