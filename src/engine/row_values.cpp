#include "engine/row_values.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/row_values.cpp"
#include "engine/simd_targets.h"
// foreach_target.h includes this file once per instruction set, so it comes before highway.h.
#include <hwy/foreach_target.h>  // NOLINT
#include <hwy/highway.h>

#include "engine/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mercer::engine::HWY_NAMESPACE {

/// Sums that wait for the pointwise function, which is dear for one number at a time.
constexpr std::size_t kWaiting = 64;
/// Points at a time: their chains of multiply-adds hide each other's latency.
constexpr std::size_t kAtOnce = 4;

template <TileForm kForm>
HWY_INLINE void coordinate_sums(const RowValuesArgs& args, const std::uint16_t* columns,
                                std::size_t count, double* HWY_RESTRICT sums) {
  const Tag<double> d;
  const double* y[kAtOnce];
  Vec<double> sum[kAtOnce];
  HWY_UNROLL(4) for (std::size_t c = 0; c < kAtOnce; ++c) {
    y[c] = args.rows + columns[HWY_MIN(c, count - 1)] * args.depth;
    sum[c] = hn::Zero(d);
  }
  for (std::size_t k = 0; k < args.depth; k += kLanes<double>) {
    const auto x = hn::LoadU(d, args.x + k);
    HWY_UNROLL(4) for (std::size_t c = 0; c < kAtOnce; ++c) {
      sum[c] = combine<kForm>(x, hn::LoadU(d, y[c] + k), sum[c]);
    }
  }
  HWY_UNROLL(4) for (std::size_t c = 0; c < kAtOnce; ++c) {
    sums[c] = hn::GetLane(hn::SumOfLanes(d, sum[c]));
  }
}

template <TileForm kForm>
HWY_NOINLINE void row_values_of_form(const RowValuesArgs& args) {
  const Tag<double> d;
  TileArgs<double> form;
  form.degree = args.degree;
  form.alpha = args.alpha;
  const auto* constants = exp2_constants<double>();
  MERCER_KEEP_CONSTANTS_IN_MEMORY(constants);
  HWY_ALIGN double sums[kWaiting] = {};
  for (std::size_t begin = 0; begin < args.count; begin += kWaiting) {
    const std::size_t count = HWY_MIN(kWaiting, args.count - begin);
    const std::uint16_t* columns = args.columns + begin;
    for (std::size_t c = 0; c < count; c += kAtOnce) {
      coordinate_sums<kForm>(args, columns + c, count - c, sums + c);
    }
    for (std::size_t c = 0; c < count; ++c) {
      sums[c] -= args.x_half_norm + args.half_norms[columns[c]];
    }
    for (std::size_t c = 0; c < count; c += kLanes<double>) {
      const auto value = pointwise<double, kForm>(hn::Load(d, sums + c), form, constants);
      hn::Store(value, d, sums + c);
    }
    for (std::size_t c = 0; c < count; ++c) args.out[begin + c] = sums[c];
  }
}

void row_values_f64(const RowValuesArgs& args) {
  switch (args.form) {
    case TileForm::linear:
      return row_values_of_form<TileForm::linear>(args);
    case TileForm::gaussian:
      return row_values_of_form<TileForm::gaussian>(args);
    case TileForm::matern32:
      return row_values_of_form<TileForm::matern32>(args);
    case TileForm::matern52:
      return row_values_of_form<TileForm::matern52>(args);
    case TileForm::rational_quadratic:
      return row_values_of_form<TileForm::rational_quadratic>(args);
    case TileForm::polynomial:
      return row_values_of_form<TileForm::polynomial>(args);
    case TileForm::sigmoid:
      return row_values_of_form<TileForm::sigmoid>(args);
    case TileForm::laplacian:
      return row_values_of_form<TileForm::laplacian>(args);
    case TileForm::laplacian_l1:
      return row_values_of_form<TileForm::laplacian_l1>(args);
    case TileForm::chi2:
      return row_values_of_form<TileForm::chi2>(args);
    case TileForm::exponential_chi2:
      return row_values_of_form<TileForm::exponential_chi2>(args);
  }
}

}  // namespace mercer::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mercer::engine {

HWY_EXPORT(row_values_f64);

void row_values(const RowValuesArgs& args) {
  HWY_DYNAMIC_DISPATCH(row_values_f64)(args);
}

}  // namespace mercer::engine
#endif
