// Register tiles. Included once per instruction set and per source (tile_f64.cpp, tile_f32.cpp).
#if defined(MERCER_ENGINE_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MERCER_ENGINE_TILE_INL_H_
#undef MERCER_ENGINE_TILE_INL_H_
#else
#define MERCER_ENGINE_TILE_INL_H_
#endif

#include <cstddef>

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "engine/pointwise-inl.h"
#include "engine/tile.h"

HWY_BEFORE_NAMESPACE();
namespace mercer::engine::HWY_NAMESPACE {

// Shape of a register tile: kRowVectors vectors of rows times kCols columns, all in accumulators.
// One step over a coordinate loads kRowVectors vectors, broadcasts kCols numbers and does the
// product of the two counts in multiply-adds, so a nearly square tile that fills the registers is
// best: 24 + 4 of 32 registers on AVX-512, 12 + 4 of 16 before.
#if HWY_TARGET == HWY_AVX3
constexpr int kRowVectors = 3;
constexpr int kCols = 8;
constexpr int kAccumulators = 24;
#elif HWY_TARGET == HWY_AVX2
constexpr int kRowVectors = 3;
constexpr int kCols = 4;
constexpr int kAccumulators = 12;
#elif HWY_TARGET == HWY_SCALAR
constexpr int kRowVectors = 4;
constexpr int kCols = 2;
constexpr int kAccumulators = 8;
#else
constexpr int kRowVectors = 2;
constexpr int kCols = 4;
constexpr int kAccumulators = 12;
#endif

template <class T>
constexpr int kLanes = HWY_LANES(T);
template <class T>
constexpr int kWidth = kRowVectors * kLanes<T>;
static_assert(kBlock % kWidth<float> == 0 && kBlock % kWidth<double> == 0 && kBlock % kCols == 0);
static_assert(kWidth<float> % kCols == 0 && kWidth<double> % kCols == 0,
              "a group of columns must lie within one panel");
static_assert(kWidth<float> % kWidth<double> == 0, "panels of doubles lie within one of floats");
static_assert(kProductColumns % kLanes<double> == 0);

/// Adds the contribution of one coordinate. Distances that are not by norms go downwards from 0
/// where an exponential follows.
template <TileForm kForm, class V>
HWY_INLINE V combine(V x, V y, V sum) {
  if constexpr (kForm == TileForm::laplacian) {
    const V difference = hn::Sub(x, y);
    return hn::MulAdd(difference, difference, sum);
  } else if constexpr (kForm == TileForm::laplacian_l1) {
    return hn::Sub(sum, hn::Abs(hn::Sub(x, y)));
  } else if constexpr (kForm == TileForm::chi2 || kForm == TileForm::exponential_chi2) {
    const V total = hn::Add(x, y);
    const auto present = hn::Gt(total, hn::Sub(total, total));
    if constexpr (kForm == TileForm::chi2) {
      const V product = hn::Mul(x, y);
      return hn::Add(sum, hn::IfThenElseZero(present, hn::Div(hn::Add(product, product), total)));
    } else {
      const V difference = hn::Sub(x, y);
      return hn::Sub(sum,
                     hn::IfThenElseZero(present, hn::Div(hn::Mul(difference, difference), total)));
    }
  } else {
    return hn::MulAdd(x, y, sum);
  }
}

template <class T, TileForm kForm>
HWY_INLINE Vec<T> pointwise(Vec<T> sum, const TileArgs<T>& args,
                            decltype(exp2_constants<T>()) constants) {
  using V = Vec<T>;
  const Tag<T> d;
  const V one = hn::Set(d, T{1});
  if constexpr (kForm == TileForm::gaussian || kForm == TileForm::laplacian_l1 ||
                kForm == TileForm::exponential_chi2) {
    return exp2_negative(d, sum, constants);
  } else if constexpr (kForm == TileForm::laplacian) {
    return exp2_negative(d, hn::Neg(hn::Sqrt(sum)), constants);
  } else if constexpr (kForm == TileForm::matern32 || kForm == TileForm::matern52) {
    const V a = hn::Sqrt(hn::Max(hn::Zero(d), hn::Mul(sum, hn::Set(d, T{-2}))));
    V factor = hn::Add(one, a);
    if constexpr (kForm == TileForm::matern52) {
      factor = hn::MulAdd(hn::Mul(a, a), hn::Set(d, T{1} / T{3}), factor);
    }
    return hn::Mul(factor, exp_minus<T>(a));
  } else if constexpr (kForm == TileForm::rational_quadratic) {
    const V half_square = hn::Max(hn::Zero(d), hn::Neg(sum));
    return exp_minus<T>(hn::Mul(hn::Set(d, static_cast<T>(args.alpha)), hn::Log1p(d, half_square)));
  } else if constexpr (kForm == TileForm::polynomial) {
    return integer_power<T>(sum, args.degree);
  } else if constexpr (kForm == TileForm::sigmoid) {
    return hn::Tanh(d, sum);
  } else {
    return sum;
  }
}

/// One register tile over `depth` coordinates. kFirst: sums start from the norms, otherwise from
/// `out`. kLast: the pointwise function is applied before the store. kFetchRows: the rows wait in
/// the second-level cache.
template <class T, TileForm kForm, bool kFirst, bool kLast, bool kFetchRows = false>
HWY_INLINE void register_tile(const TileArgs<T>& args, std::size_t depth, const T* HWY_RESTRICT x,
                              const T* HWY_RESTRICT y, const T* HWY_RESTRICT x_half_norms,
                              const T* HWY_RESTRICT y_half_norms, T* HWY_RESTRICT out) {
  using V = Vec<T>;
  const Tag<T> d;
  V sum[kCols][kRowVectors];
  HWY_UNROLL(8) for (int j = 0; j < kCols; ++j) {
    HWY_UNROLL(4) for (int v = 0; v < kRowVectors; ++v) {
      if constexpr (kFirst) {
        sum[j][v] = hn::Neg(
            hn::Add(hn::LoadU(d, x_half_norms + v * kLanes<T>), hn::Set(d, y_half_norms[j])));
      } else {
        sum[j][v] = hn::LoadU(d, out + j * kWidth<T> + v * kLanes<T>);
      }
    }
  }
  constexpr std::size_t kFetchAhead = 24;  // coordinates, some 600 cycles
  for (std::size_t k = 0; k < depth; ++k) {
    V row[kRowVectors];
    if constexpr (kFetchRows) {
      HWY_UNROLL(4) for (int v = 0; v < kRowVectors; ++v) {
        hwy::Prefetch(x + kFetchAhead * kWidth<T> + v * kLanes<T>);
      }
    }
    HWY_UNROLL(4) for (int v = 0; v < kRowVectors; ++v) row[v] = hn::LoadU(d, x + v * kLanes<T>);
    HWY_UNROLL(8) for (int j = 0; j < kCols; ++j) {
      const V col = hn::Set(d, y[j]);
      HWY_UNROLL(4) for (int v = 0; v < kRowVectors; ++v) {
        sum[j][v] = combine<kForm>(row[v], col, sum[j][v]);
      }
    }
    x += kWidth<T>;
    y += kWidth<T>;
  }
  const auto* constants = exp2_constants<T>();
  MERCER_KEEP_CONSTANTS_IN_MEMORY(constants);
  HWY_UNROLL(8) for (int j = 0; j < kCols; ++j) {
    HWY_UNROLL(4) for (int v = 0; v < kRowVectors; ++v) {
      V value = sum[j][v];
      if constexpr (kLast) value = pointwise<T, kForm>(value, args, constants);
      hn::StoreU(value, d, out + j * kWidth<T> + v * kLanes<T>);
    }
  }
}

/// All register tiles of a block, over coordinates [begin, begin + depth).
template <class T, TileForm kForm, bool kFirst, bool kLast>
HWY_NOINLINE void tile_pass(const TileArgs<T>& args, std::size_t begin, std::size_t depth) {
  constexpr std::size_t kW = kWidth<T>;
  for (std::size_t p = 0; p < args.row_panels; ++p) {
    const T* x = args.rows + (p * args.depth + begin) * kW;
    T* out = args.out + p * args.panel_stride;
    for (std::size_t j = 0; j < args.col_count; j += kCols) {
      const T* y = args.cols + ((j / kW) * args.depth + begin) * kW + j % kW;
      register_tile<T, kForm, kFirst, kLast>(args, depth, x, y, args.row_half_norms + p * kW,
                                             args.col_half_norms + j, out + j * kW);
    }
  }
}

template <class T, TileForm kForm>
void tile_of_form(const TileArgs<T>& args) {
  // Longer panels than this would not stay in the first-level cache while they are swept; then
  // partial sums go through `out`. The cut depends on the number of columns alone, never on the
  // block.
  constexpr std::size_t kLongestPass = 384;
  if (args.depth <= kLongestPass) {
    tile_pass<T, kForm, true, true>(args, 0, args.depth);
    return;
  }
  // What is combined, not what follows, shapes the passes before the last: one form each will do.
  constexpr TileForm kSums = kForm == TileForm::laplacian || kForm == TileForm::laplacian_l1 ||
                                     kForm == TileForm::chi2 || kForm == TileForm::exponential_chi2
                                 ? kForm
                                 : TileForm::linear;
  const std::size_t passes = (args.depth + kLongestPass - 1) / kLongestPass;
  const std::size_t step = (args.depth + passes - 1) / passes;
  tile_pass<T, kSums, true, false>(args, 0, step);
  std::size_t begin = step;
  for (; begin + step < args.depth; begin += step) {
    tile_pass<T, kSums, false, false>(args, begin, step);
  }
  tile_pass<T, kForm, false, true>(args, begin, args.depth - begin);
}

template <class T>
HWY_INLINE void kernel_tile_of(const TileArgs<T>& args) {
  switch (args.form) {
    case TileForm::linear:
      return tile_of_form<T, TileForm::linear>(args);
    case TileForm::gaussian:
      return tile_of_form<T, TileForm::gaussian>(args);
    case TileForm::matern32:
      return tile_of_form<T, TileForm::matern32>(args);
    case TileForm::matern52:
      return tile_of_form<T, TileForm::matern52>(args);
    case TileForm::rational_quadratic:
      return tile_of_form<T, TileForm::rational_quadratic>(args);
    case TileForm::polynomial:
      return tile_of_form<T, TileForm::polynomial>(args);
    case TileForm::sigmoid:
      return tile_of_form<T, TileForm::sigmoid>(args);
    case TileForm::laplacian:
      return tile_of_form<T, TileForm::laplacian>(args);
    case TileForm::laplacian_l1:
      return tile_of_form<T, TileForm::laplacian_l1>(args);
    case TileForm::chi2:
      return tile_of_form<T, TileForm::chi2>(args);
    case TileForm::exponential_chi2:
      return tile_of_form<T, TileForm::exponential_chi2>(args);
  }
}

template <class T>
HWY_INLINE void add_scatter_of(const ScatterArgs<T>& args) {
  constexpr std::size_t kW = kWidth<T>;
  const TileArgs<T> unused;
  for (std::size_t j = 0; j < args.col_count; j += kCols) {
    const T* y = args.cols + (j / kW) * args.panel_stride + j % kW;
    for (std::size_t p = 0; p < args.row_panels; ++p) {
      const T* x = args.rows + p * args.panel_stride;
      T* out = args.out + p * args.out_stride + j * kW;
      // Sums that wait in the last-level cache would stop every tile at its beginning.
      const T* next = p + 1 < args.row_panels ? out + args.out_stride : args.out + (j + kCols) * kW;
      constexpr std::size_t kLine = 64 / sizeof(T);
      for (std::size_t v = 0; v < kCols * kW; v += kLine) hwy::Prefetch(next + v);
      register_tile<T, TileForm::linear, /*kFirst=*/false, /*kLast=*/false, /*kFetchRows=*/true>(
          unused, args.depth, x, y, nullptr, nullptr, out);
    }
  }
}

HWY_INLINE void add_to_sums(Vec<double> value, double scale, double* sums) {
  const Tag<double> d;
  hn::StoreU(hn::MulAdd(hn::Set(d, scale), value, hn::LoadU(d, sums)), d, sums);
}

HWY_INLINE void add_to_sums(Vec<float> value, double scale, double* sums) {
#if HWY_TARGET == HWY_SCALAR
  sums[0] += scale * static_cast<double>(hn::GetLane(value));
#else
  const Tag<double> d;
  const Tag<float> whole;
  add_to_sums(hn::PromoteTo(d, hn::LowerHalf(value)), scale, sums);
  add_to_sums(hn::PromoteTo(d, hn::UpperHalf(hn::Half<decltype(whole)>(), value)), scale,
              sums + kLanes<double>);
#endif
}

template <class T>
HWY_INLINE void center_panel_of(T* panel, std::size_t rows, const double* shift,
                                const double* scale, double* sums) {
  const Tag<T> d;
  constexpr std::size_t kW = kWidth<T>;
  // A shift that is rounded to float would move every mean by its rounding; what rounding leaves is
  // subtracted after it.
  HWY_ALIGN T narrow_shift[kW];
  HWY_ALIGN T shift_rest[kW];
  for (std::size_t i = 0; i < kW; ++i) {
    narrow_shift[i] = static_cast<T>(shift[i]);
    shift_rest[i] = static_cast<T>(shift[i] - static_cast<double>(narrow_shift[i]));
  }
  for (std::size_t r = 0; r < rows; ++r, panel += kW) {
    const double factor = scale == nullptr ? 1.0 : scale[r];
    HWY_UNROLL(4) for (int v = 0; v < kRowVectors; ++v) {
      T* values = panel + v * kLanes<T>;
      auto value = hn::Sub(hn::LoadU(d, values), hn::Load(d, narrow_shift + v * kLanes<T>));
      if constexpr (sizeof(T) < sizeof(double)) {
        value = hn::Sub(value, hn::Load(d, shift_rest + v * kLanes<T>));
      }
      value = hn::Mul(value, hn::Set(d, static_cast<T>(factor)));
      hn::StoreU(value, d, values);
      add_to_sums(value, factor, sums + v * kLanes<T>);
    }
  }
}

template <class T>
HWY_INLINE void exp2_array_of(const T* t, std::size_t count, T* out) {
  const Tag<T> d;
  std::size_t i = 0;
  for (; i + kLanes<T> <= count; i += kLanes<T>) {
    hn::StoreU(exp2_negative<T>(hn::LoadU(d, t + i)), d, out + i);
  }
  for (; i < count; ++i) out[i] = hn::GetLane(exp2_negative<T>(hn::Set(d, t[i])));
}

template <class T>
HWY_INLINE PeakWork fma_peak_of(std::size_t repeats) {
  using V = Vec<T>;
  const Tag<T> d;
  constexpr int kChains = 12;  // enough to cover the latency of two pipes
  V sum[kChains];
  HWY_UNROLL(12) for (int j = 0; j < kChains; ++j) sum[j] = hn::Set(d, static_cast<T>(j));
  const V x = hn::Set(d, static_cast<T>(0.999));
  const V y = hn::Set(d, static_cast<T>(1e-3));
  for (std::size_t r = 0; r < repeats; ++r) {
    // NOLINTNEXTLINE(modernize-loop-convert): to be unrolled by number
    HWY_UNROLL(12) for (int j = 0; j < kChains; ++j) sum[j] = hn::MulAdd(sum[j], x, y);
  }
  V total = sum[0];
  HWY_UNROLL(11) for (int j = 1; j < kChains; ++j) total = hn::Add(total, sum[j]);
  return {.flops = 2.0 * kChains * kLanes<T> * static_cast<double>(repeats),
          .sink = static_cast<double>(hn::GetLane(total))};
}

/// Exponentials of a register tile's worth of numbers in the first-level cache; one "flop" each.
template <class T>
HWY_INLINE PeakWork exp_peak_of(std::size_t repeats) {
  using V = Vec<T>;
  const Tag<T> d;
  constexpr std::size_t kCount = 384;
  HWY_ALIGN T t[kCount];
  for (std::size_t i = 0; i < kCount; ++i) t[i] = static_cast<T>(-0.05) * static_cast<T>(i);
  V largest[4] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  for (std::size_t r = 0; r < repeats; ++r) {
    for (std::size_t i = 0; i < kCount; i += 4 * kLanes<T>) {
      HWY_UNROLL(4) for (int v = 0; v < 4; ++v) {
        largest[v] = hn::Max(largest[v], exp2_negative<T>(hn::LoadU(d, t + i + v * kLanes<T>)));
      }
    }
    t[r % kCount] += static_cast<T>(-1e-6);  // another input each time, or the loop is folded
  }
  const V total = hn::Add(hn::Add(largest[0], largest[1]), hn::Add(largest[2], largest[3]));
  return {.flops = static_cast<double>(kCount) * static_cast<double>(repeats),
          .sink = static_cast<double>(hn::GetLane(total))};
}

}  // namespace mercer::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MERCER_ENGINE_TILE_INL_H_
