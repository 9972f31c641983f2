#include "engine/distance_sums.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/distance_sums.cpp"
#include "engine/simd_targets.h"
// foreach_target.h includes this file once per instruction set, so it comes before the others.
// clang-format off
#include <hwy/foreach_target.h>  // NOLINT
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
// clang-format on

#include "engine/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mercer::engine::HWY_NAMESPACE {

/// Rows at a time: x is loaded once for all, and their chains of additions hide each other's
/// latency.
constexpr std::size_t kTogether = 4;

template <DistanceForm kForm>
HWY_INLINE Vec<double> add_term(Vec<double> x, Vec<double> y, Vec<double> sum) {
  const Tag<double> d;
  const auto difference = hn::Sub(x, y);
  if constexpr (kForm == DistanceForm::squared_differences) {
    return hn::MulAdd(difference, difference, sum);
  } else if constexpr (kForm == DistanceForm::differences) {
    return hn::Add(sum, hn::Abs(difference));
  } else {
    // The smallest normal number below makes 0/0 a 0.
    const auto total = hn::Add(x, y);
    const auto ratio = hn::Div(difference, hn::Max(total, hn::Set(d, 0x1p-1022)));
    if constexpr (kForm == DistanceForm::chi2) {
      return hn::MulAdd(difference, ratio, sum);
    } else {
      // As in distance_value.cpp: with t = |x - y| / (x + y), a quarter of x + y times
      // (1 + t) ln(1 + t) + (1 - t) ln(1 - t), the latter 0 at t = 1.
      const auto one = hn::Set(d, 1.0);
      const auto t = hn::Abs(ratio);
      const auto rest = hn::Sub(one, t);
      const auto falling =
          hn::IfThenElseZero(hn::Gt(rest, hn::Zero(d)), hn::Mul(rest, hn::Log1p(d, hn::Neg(t))));
      const auto term = hn::MulAdd(hn::Add(one, t), hn::Log1p(d, t), falling);
      return hn::MulAdd(hn::Mul(total, hn::Set(d, 0.25)), term, sum);
    }
  }
}

template <DistanceForm kForm>
HWY_NOINLINE void sums_of_form(const DistanceSumArgs& args) {
  const Tag<double> d;
  const std::size_t count = args.columns.size();
  for (std::size_t begin = 0; begin < count; begin += kTogether) {
    const double* y[kTogether];
    Vec<double> sum[kTogether];
    HWY_UNROLL(4) for (std::size_t c = 0; c < kTogether; ++c) {
      y[c] = args.rows + args.columns[HWY_MIN(begin + c, count - 1)] * args.depth;
      sum[c] = hn::Zero(d);
    }
    for (std::size_t k = 0; k < args.depth; k += kLanes<double>) {
      const auto x = hn::LoadU(d, args.x + k);
      HWY_UNROLL(4) for (std::size_t c = 0; c < kTogether; ++c) {
        sum[c] = add_term<kForm>(x, hn::LoadU(d, y[c] + k), sum[c]);
      }
    }
    for (std::size_t c = 0; c < HWY_MIN(kTogether, count - begin); ++c) {
      args.out[begin + c] = hn::GetLane(hn::SumOfLanes(d, sum[c]));
    }
  }
}

void distance_sums_f64(const DistanceSumArgs& args) {
  switch (args.form) {
    case DistanceForm::squared_differences:
      return sums_of_form<DistanceForm::squared_differences>(args);
    case DistanceForm::differences:
      return sums_of_form<DistanceForm::differences>(args);
    case DistanceForm::chi2:
      return sums_of_form<DistanceForm::chi2>(args);
    case DistanceForm::jensen_shannon:
      return sums_of_form<DistanceForm::jensen_shannon>(args);
  }
}

template <class D, class V>
HWY_INLINE double total_bits(D d, V counts) {
  return static_cast<double>(hn::GetLane(hn::SumOfLanes(d, counts)));
}

void bit_distances_u64(const BitDistanceArgs& args) {
  const hn::CappedTag<std::uint64_t, kBitWords> d;
  for (std::size_t c = 0; c < args.columns.size(); ++c) {
    const std::uint64_t* y = args.rows + args.columns[c] * args.words;
    auto different = hn::Zero(d);
    auto any = hn::Zero(d);
    for (std::size_t w = 0; w < args.words; w += hn::Lanes(d)) {
      const auto a = hn::LoadU(d, args.x + w);
      const auto b = hn::LoadU(d, y + w);
      different = hn::Add(different, hn::PopulationCount(hn::Xor(a, b)));
      if (args.jaccard) any = hn::Add(any, hn::PopulationCount(hn::Or(a, b)));
    }
    const double distance = total_bits(d, different);
    const double either = args.jaccard ? total_bits(d, any) : 1;
    args.out[c] = either > 0 ? distance / either : 0;
  }
}

}  // namespace mercer::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mercer::engine {

HWY_EXPORT(distance_sums_f64);
HWY_EXPORT(bit_distances_u64);

void distance_sums(const DistanceSumArgs& args) {
  HWY_DYNAMIC_DISPATCH(distance_sums_f64)(args);
}
void bit_distances(const BitDistanceArgs& args) {
  HWY_DYNAMIC_DISPATCH(bit_distances_u64)(args);
}

}  // namespace mercer::engine
#endif
