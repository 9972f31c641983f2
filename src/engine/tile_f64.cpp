#include "engine/tile.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/tile_f64.cpp"
#include "engine/simd_targets.h"
// foreach_target.h includes this file once per instruction set, so it comes before highway.h.
#include <hwy/foreach_target.h>  // NOLINT
#include <hwy/highway.h>

#include "engine/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mercer::engine::HWY_NAMESPACE {

std::size_t panel_width_f64() {
  return kWidth<double>;
}
void kernel_tile_f64(const TileArgs<double>& args) {
  kernel_tile_of(args);
}
void add_scatter_f64(const ScatterArgs<double>& args) {
  add_scatter_of(args);
}
void center_panel_f64(double* panel, std::size_t rows, const double* shift, const double* scale,
                      double* sums) {
  center_panel_of(panel, rows, shift, scale, sums);
}
void exp2_array_f64(const double* t, std::size_t count, double* out) {
  exp2_array_of(t, count, out);
}
PeakWork fma_peak_f64(std::size_t repeats) {
  return fma_peak_of<double>(repeats);
}
PeakWork exp_peak_f64(std::size_t repeats) {
  return exp_peak_of<double>(repeats);
}

/// kRows x (kVectors vectors) elements of C over all of k.
template <int kRows, int kVectors>
HWY_INLINE void product_tile(const ProductArgs& args, const double* HWY_RESTRICT a,
                             const double* HWY_RESTRICT b, double* HWY_RESTRICT c) {
  using V = Vec<double>;
  const Tag<double> d;
  constexpr std::ptrdiff_t kL = kLanes<double>;
  V sum[kRows][kVectors];
  HWY_UNROLL(12) for (int i = 0; i < kRows; ++i) {
    HWY_UNROLL(4) for (int v = 0; v < kVectors; ++v) {
      sum[i][v] = hn::LoadU(d, c + i * args.c_stride + v * kL);
    }
  }
  for (std::size_t k = 0; k < args.k; ++k) {
    V row[kVectors];
    HWY_UNROLL(4) for (int v = 0; v < kVectors; ++v) row[v] = hn::LoadU(d, b + v * kL);
    HWY_UNROLL(12) for (int i = 0; i < kRows; ++i) {
      const V scale = hn::Set(d, a[i * args.a_row_stride]);
      HWY_UNROLL(4) for (int v = 0; v < kVectors; ++v) {
        sum[i][v] = hn::MulAdd(scale, row[v], sum[i][v]);
      }
    }
    a += args.a_col_stride;
    b += args.b_stride;
  }
  HWY_UNROLL(12) for (int i = 0; i < kRows; ++i) {
    HWY_UNROLL(4) for (int v = 0; v < kVectors; ++v) {
      hn::StoreU(sum[i][v], d, c + i * args.c_stride + v * kL);
    }
  }
}

/// The columns [j, j + kVectors vectors) of C, as many rows at a time as there are accumulators
/// for.
template <int kVectors>
HWY_NOINLINE void product_columns(const ProductArgs& args, std::size_t j) {
  constexpr int kRows = HWY_MIN(kAccumulators / kVectors, 12);
  std::size_t i = 0;
  for (; i + kRows <= args.m; i += kRows) {
    product_tile<kRows, kVectors>(args, args.a + i * args.a_row_stride, args.b + j,
                                  args.c + i * args.c_stride + j);
  }
  for (; i < args.m; ++i) {
    product_tile<1, kVectors>(args, args.a + i * args.a_row_stride, args.b + j,
                              args.c + i * args.c_stride + j);
  }
}

void multiply_add_f64(const ProductArgs& args) {
  constexpr std::size_t kL = kLanes<double>;
  std::size_t j = 0;
  // Three vectors are the width of a panel, four and two those of blocks of 8, 16 and 32 columns.
  if (args.n == 3 * kL || args.n == 6 * kL) {
    for (; j < args.n; j += 3 * kL) product_columns<3>(args, j);
    return;
  }
  for (; j + 4 * kL <= args.n; j += 4 * kL) product_columns<4>(args, j);
  for (; j + 2 * kL <= args.n; j += 2 * kL) product_columns<2>(args, j);
  for (; j + kL <= args.n; j += kL) product_columns<1>(args, j);
}

HWY_INLINE Vec<double> load_double(const double* values) {
  return hn::LoadU(Tag<double>(), values);
}
HWY_INLINE Vec<double> load_double(const float* values) {
  return hn::PromoteTo(Tag<double>(), hn::LoadU(hn::Rebind<float, Tag<double>>(), values));
}

/// The sums of kVectors vectors of rows from row i on, all in one panel. Row sums stay in
/// registers; those of columns are left as vectors, to be added up once per block.
template <bool kColumns, int kVectors, class T>
HWY_INLINE void vector_sums(const BlockSumArgs<T>& args, std::size_t i,
                            double* HWY_RESTRICT col_vectors) {
  using V = Vec<double>;
  const Tag<double> d;
  constexpr std::ptrdiff_t kL = kLanes<double>;
  const T* HWY_RESTRICT values = args.block + i / args.width * kBlock * args.width + i % args.width;
  V weight[kVectors];
  V sum[kVectors];
  HWY_UNROLL(4) for (int v = 0; v < kVectors; ++v) {
    if constexpr (kColumns) weight[v] = hn::LoadU(d, args.row_weights + i + v * kL);
    sum[v] = hn::LoadU(d, args.row_sums + i + v * kL);
  }
  for (std::size_t j = 0; j < args.cols; ++j, values += args.width) {
    const V scale = hn::Set(d, args.col_weights[j]);
    V column = hn::Load(d, col_vectors + static_cast<std::ptrdiff_t>(j) * kL);
    HWY_UNROLL(4) for (int v = 0; v < kVectors; ++v) {
      const V x = load_double(values + v * kL);
      sum[v] = hn::MulAdd(scale, x, sum[v]);
      if constexpr (kColumns) column = hn::MulAdd(weight[v], x, column);
    }
    if constexpr (kColumns) hn::Store(column, d, col_vectors + static_cast<std::ptrdiff_t>(j) * kL);
  }
  HWY_UNROLL(4) for (int v = 0; v < kVectors; ++v) {
    hn::StoreU(sum[v], d, args.row_sums + i + v * kL);
  }
}

/// Row sums and row weights of kVectors vectors of rows.
template <int kVectors>
struct RowVectors {
  Vec<double> weight[kVectors];
  Vec<double> sum[kVectors];
};

/// The squares of kGroup columns from column j on, which are enough to share what is loaded.
template <bool kColumns, int kVectors, int kGroup, class T>
HWY_INLINE void group_squares(const BlockSumArgs<T>& args, std::size_t i, std::size_t j,
                              RowVectors<kVectors>& rows, double* HWY_RESTRICT col_vectors) {
  using V = Vec<double>;
  const Tag<double> d;
  constexpr std::ptrdiff_t kL = kLanes<double>;
  const T* HWY_RESTRICT values =
      args.block + (i / args.width * kBlock + j) * args.width + i % args.width;
  V x[kGroup][kVectors];
  HWY_UNROLL(8) for (int c = 0; c < kGroup; ++c) {
    HWY_UNROLL(4) for (int v = 0; v < kVectors; ++v) {
      x[c][v] = load_double(values + static_cast<std::size_t>(c) * args.width + v * kL);
    }
  }
  const double* HWY_RESTRICT row_factor = args.row_factors + i;
  const double* HWY_RESTRICT col_factor = args.col_factors + j * args.col_factor_stride;
  for (std::size_t l = 0; l < args.rank; ++l, row_factor += args.row_factor_stride) {
    V factor[kVectors];
    HWY_UNROLL(4) for (int v = 0; v < kVectors; ++v) factor[v] = hn::LoadU(d, row_factor + v * kL);
    HWY_UNROLL(8) for (int c = 0; c < kGroup; ++c) {
      const V scale =
          hn::Set(d, col_factor[static_cast<std::size_t>(c) * args.col_factor_stride + l]);
      HWY_UNROLL(4) for (int v = 0; v < kVectors; ++v) {
        x[c][v] = hn::MulAdd(scale, factor[v], x[c][v]);
      }
    }
  }
  HWY_UNROLL(8) for (int c = 0; c < kGroup; ++c) {
    double* column_vector = col_vectors + (static_cast<std::ptrdiff_t>(j) + c) * kL;
    const V scale = hn::Set(d, args.col_weights[j + static_cast<std::size_t>(c)]);
    V column = hn::Load(d, column_vector);
    HWY_UNROLL(4) for (int v = 0; v < kVectors; ++v) {
      const V square = hn::Mul(x[c][v], x[c][v]);
      rows.sum[v] = hn::MulAdd(scale, square, rows.sum[v]);
      if constexpr (kColumns) column = hn::MulAdd(rows.weight[v], square, column);
    }
    if constexpr (kColumns) hn::Store(column, d, column_vector);
  }
}

/// As vector_sums, of squares.
template <bool kColumns, int kVectors, class T>
HWY_INLINE void vector_squares(const BlockSumArgs<T>& args, std::size_t i,
                               double* HWY_RESTRICT col_vectors) {
  const Tag<double> d;
  constexpr std::ptrdiff_t kL = kLanes<double>;
  constexpr int kGroup = HWY_MIN(kAccumulators / kVectors, 8);
  RowVectors<kVectors> rows;
  HWY_UNROLL(4) for (int v = 0; v < kVectors; ++v) {
    if constexpr (kColumns) rows.weight[v] = hn::LoadU(d, args.row_weights + i + v * kL);
    rows.sum[v] = hn::LoadU(d, args.row_sums + i + v * kL);
  }
  std::size_t j = 0;
  for (; j + kGroup <= args.cols; j += kGroup) {
    group_squares<kColumns, kVectors, kGroup>(args, i, j, rows, col_vectors);
  }
  for (; j < args.cols; ++j) {
    group_squares<kColumns, kVectors, 1>(args, i, j, rows, col_vectors);
  }
  HWY_UNROLL(4) for (int v = 0; v < kVectors; ++v) {
    hn::StoreU(rows.sum[v], d, args.row_sums + i + v * kL);
  }
}

/// f of one row and column.
template <bool kSquared, class T>
double block_term(const BlockSumArgs<T>& args, std::size_t i, std::size_t j) {
  auto value =
      static_cast<double>(args.block[(i / args.width * kBlock + j) * args.width + i % args.width]);
  if constexpr (!kSquared) return value;
  for (std::size_t l = 0; l < args.rank; ++l) {
    value += args.row_factors[l * args.row_factor_stride + i] *
             args.col_factors[j * args.col_factor_stride + l];
  }
  return value * value;
}

template <bool kSquared, bool kColumns, class T>
void block_sums_of(const BlockSumArgs<T>& args) {
  const Tag<double> d;
  constexpr std::size_t kL = kLanes<double>;
  HWY_ALIGN double col_vectors[kBlock * kL];
  for (std::size_t j = 0; j < args.cols; ++j) hn::Store(hn::Zero(d), d, col_vectors + j * kL);
  const auto add_vectors = [&]<int kVectors>(std::size_t i) {
    if constexpr (kSquared) {
      vector_squares<kColumns, kVectors>(args, i, col_vectors);
    } else {
      vector_sums<kColumns, kVectors>(args, i, col_vectors);
    }
  };
  std::size_t i = 0;
  for (; i + kRowVectors * kL <= args.rows; i += kRowVectors * kL) {
    add_vectors.template operator()<kRowVectors>(i);
  }
  for (; i + kL <= args.rows; i += kL) add_vectors.template operator()<1>(i);
  // What is left of the last vector: its padding may hold anything.
  for (; i < args.rows; ++i) {
    for (std::size_t j = 0; j < args.cols; ++j) {
      const double x = block_term<kSquared>(args, i, j);
      args.row_sums[i] += args.col_weights[j] * x;
      if constexpr (kColumns) col_vectors[j * kL] += args.row_weights[i] * x;
    }
  }
  if constexpr (kColumns) {
    for (std::size_t j = 0; j < args.cols; ++j) {
      args.col_sums[j] += hn::GetLane(hn::SumOfLanes(d, hn::Load(d, col_vectors + j * kL)));
    }
  }
}

template <class T>
HWY_INLINE void add_block_sums_of(const BlockSumArgs<T>& args) {
  const bool columns = args.col_sums != nullptr;
  if (args.squared) {
    return columns ? block_sums_of<true, true>(args) : block_sums_of<true, false>(args);
  }
  columns ? block_sums_of<false, true>(args) : block_sums_of<false, false>(args);
}
void add_block_sums_f64(const BlockSumArgs<double>& args) {
  add_block_sums_of(args);
}
void add_block_sums_f32(const BlockSumArgs<float>& args) {
  add_block_sums_of(args);
}

void promote_f64(const float* from, std::size_t count, double* to) {
  const Tag<double> d;
  const hn::Rebind<float, Tag<double>> half;
  std::size_t i = 0;
  for (; i + kLanes<double> <= count; i += kLanes<double>) {
    hn::StoreU(hn::PromoteTo(d, hn::LoadU(half, from + i)), d, to + i);
  }
  for (; i < count; ++i) to[i] = static_cast<double>(from[i]);
}

void add_promoted_block_f64(const float* from, double* to) {
  const Tag<double> d;
  const hn::Rebind<float, Tag<double>> half;
  constexpr std::size_t kWide = kWidth<double>;
  constexpr std::size_t kNarrow = kWidth<float>;
  constexpr std::ptrdiff_t kL = kLanes<double>;
  for (std::size_t row = 0; row < kBlock; row += kWide) {
    const float* sums = from + row / kNarrow * kBlock * kNarrow + row % kNarrow;
    for (std::size_t col = 0; col < kBlock; ++col, sums += kNarrow, to += kWide) {
      HWY_UNROLL(4) for (int v = 0; v < kRowVectors; ++v) {
        double* total = to + v * kL;
        const auto sum = hn::PromoteTo(d, hn::LoadU(half, sums + v * kL));
        hn::StoreU(hn::Add(hn::LoadU(d, total), sum), d, total);
      }
    }
  }
}

}  // namespace mercer::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mercer::engine {

HWY_EXPORT(panel_width_f64);
HWY_EXPORT(kernel_tile_f64);
HWY_EXPORT(add_scatter_f64);
HWY_EXPORT(center_panel_f64);
HWY_EXPORT(exp2_array_f64);
HWY_EXPORT(fma_peak_f64);
HWY_EXPORT(exp_peak_f64);
HWY_EXPORT(multiply_add_f64);
HWY_EXPORT(add_block_sums_f64);
HWY_EXPORT(add_block_sums_f32);
HWY_EXPORT(promote_f64);
HWY_EXPORT(add_promoted_block_f64);

template <>
std::size_t panel_width<double>() {
  return HWY_DYNAMIC_DISPATCH(panel_width_f64)();
}
template <>
void kernel_tile<double>(const TileArgs<double>& args) {
  HWY_DYNAMIC_DISPATCH(kernel_tile_f64)(args);
}
template <>
void add_scatter<double>(const ScatterArgs<double>& args) {
  HWY_DYNAMIC_DISPATCH(add_scatter_f64)(args);
}
template <>
void center_panel<double>(double* panel, std::size_t rows, const double* shift, const double* scale,
                          double* sums) {
  HWY_DYNAMIC_DISPATCH(center_panel_f64)(panel, rows, shift, scale, sums);
}
template <>
void exp2_array<double>(const double* t, std::size_t count, double* out) {
  HWY_DYNAMIC_DISPATCH(exp2_array_f64)(t, count, out);
}
template <>
PeakWork run_fma_peak<double>(std::size_t repeats) {
  return HWY_DYNAMIC_DISPATCH(fma_peak_f64)(repeats);
}
template <>
PeakWork run_exp_peak<double>(std::size_t repeats) {
  return HWY_DYNAMIC_DISPATCH(exp_peak_f64)(repeats);
}
void multiply_add(const ProductArgs& args) {
  HWY_DYNAMIC_DISPATCH(multiply_add_f64)(args);
}
template <>
void add_block_sums<double>(const BlockSumArgs<double>& args) {
  HWY_DYNAMIC_DISPATCH(add_block_sums_f64)(args);
}
template <>
void add_block_sums<float>(const BlockSumArgs<float>& args) {
  HWY_DYNAMIC_DISPATCH(add_block_sums_f32)(args);
}
void add_promoted_block(const float* from, double* to) {
  HWY_DYNAMIC_DISPATCH(add_promoted_block_f64)(from, to);
}
void promote(const float* from, std::size_t count, double* to) {
  HWY_DYNAMIC_DISPATCH(promote_f64)(from, count, to);
}

}  // namespace mercer::engine
#endif
