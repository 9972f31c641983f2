// Vectorised functions that turn inner products and distances into kernel values, in registers.
// Included once per instruction set.
#if defined(MERCER_ENGINE_POINTWISE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MERCER_ENGINE_POINTWISE_INL_H_
#undef MERCER_ENGINE_POINTWISE_INL_H_
#else
#define MERCER_ENGINE_POINTWISE_INL_H_
#endif

#include <numbers>
#include <type_traits>

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace mercer::engine::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Tag = hn::ScalableTag<T>;
template <class T>
using Vec = hn::Vec<Tag<T>>;

// 2^t for t <= 0, with at most 1.2 ulp (double) and 2.3 ulp (float) of error, gradual underflow
// included. Positive t counts as 0: it only comes from rounding in a squared distance.
//
// 2^t = 2^n 2^f, n = round(t) by adding a constant whose unit in the last place is 1 (or 1/16 with
// a table), |f| <= 1/2 (1/32), 2^f by a minimax polynomial. Base 2 needs no reduction by a multiple
// of log 2: callers scale their data by it once.
//
// The constants are read through a pointer that the compiler must take as changed. On AVX-512 it
// would otherwise load them all before the loop over the columns of the data and spill the
// accumulators.
#undef MERCER_KEEP_CONSTANTS_IN_MEMORY
#if HWY_TARGET == HWY_AVX3
#define MERCER_KEEP_CONSTANTS_IN_MEMORY(pointer) asm volatile("" : "+r"(pointer))
#else
#define MERCER_KEEP_CONSTANTS_IN_MEMORY(pointer)
#endif

#if HWY_TARGET == HWY_AVX3

struct Exp2ConstantsDouble {
  double smallest = -1080.0;
  double round_to_16th = 0x1.8p48;
  double c[6] = {0x1.430a1d08ec681p-13, 0x1.5d897e525c216p-10, 0x1.3b2ab6fb41213p-7,
                 0x1.c6b08d6f2a289p-5,  0x1.ebfbdff82c590p-3,  0x1.62e42fefa39f3p-1};
};
struct Exp2ConstantsFloat {
  float smallest = -151.0F;
  float round_to_1 = 0x1.8p23F;
  float c[6] = {0x1.5bba14p-10F, 0x1.3cea88p-7F, 0x1.c6b752p-5F,
                0x1.ebf9bcp-3F,  0x1.62e42ap-1F, 1.0F};
};
alignas(64) constexpr double kPowersOfTwo16th[16] = {
    0x1.0000000000000p+0, 0x1.0b5586cf9890fp+0, 0x1.172b83c7d517bp+0, 0x1.2387a6e756238p+0,
    0x1.306fe0a31b715p+0, 0x1.3dea64c123422p+0, 0x1.4bfdad5362a27p+0, 0x1.5ab07dd485429p+0,
    0x1.6a09e667f3bcdp+0, 0x1.7a11473eb0187p+0, 0x1.8ace5422aa0dbp+0, 0x1.9c49182a3f090p+0,
    0x1.ae89f995ad3adp+0, 0x1.c199bdd85529cp+0, 0x1.d5818dcfba487p+0, 0x1.ea4afa2a490dap+0};

HWY_INLINE Vec<double> exp2_negative(Tag<double> d, Vec<double> t, const Exp2ConstantsDouble* k) {
  using V = Vec<double>;
  t = hn::Max(hn::Set(d, k->smallest), hn::Min(hn::Zero(d), t));
  const V magic = hn::Set(d, k->round_to_16th);
  const V shifted = hn::Add(t, magic);  // its low four bits are the table index
  const V n = hn::Sub(shifted, magic);
  const V f = hn::Sub(t, n);
  V p = hn::Set(d, k->c[0]);
  HWY_UNROLL(5) for (int i = 1; i < 6; ++i) p = hn::MulAdd(p, f, hn::Set(d, k->c[i]));
  p = hn::Mul(p, f);
  const V power{_mm512_permutex2var_pd(hn::Load(d, kPowersOfTwo16th).raw,
                                       _mm512_castpd_si512(shifted.raw),
                                       hn::Load(d, kPowersOfTwo16th + 8).raw)};
  p = hn::MulAdd(p, power, power);
  return V{_mm512_scalef_pd(p.raw, n.raw)};  // scales by 2^floor(n)
}

HWY_INLINE Vec<float> exp2_negative(Tag<float> d, Vec<float> t, const Exp2ConstantsFloat* k) {
  using V = Vec<float>;
  t = hn::Max(hn::Set(d, k->smallest), hn::Min(hn::Zero(d), t));
  const V magic = hn::Set(d, k->round_to_1);
  const V n = hn::Sub(hn::Add(t, magic), magic);
  const V f = hn::Sub(t, n);
  V p = hn::Set(d, k->c[0]);
  HWY_UNROLL(5) for (int i = 1; i < 6; ++i) p = hn::MulAdd(p, f, hn::Set(d, k->c[i]));
  return V{_mm512_scalef_ps(p.raw, n.raw)};
}

#else  // every other instruction set

// Minimax coefficients lie near log 2. NOLINTBEGIN(modernize-use-std-numbers)
// The rounding constant also carries the exponent bias: the low bits of t + round are n + 1023 +
// 60, which a shift turns into 2^(n + 60). The last product with 2^-60 then rounds once, into the
// denormals where it must.
struct Exp2ConstantsDouble {
  double smallest = -1080.0;
  double round = 0x1.8p52 + 1023 + 60;
  double descale = 0x1p-60;
  double c[12] = {0x1.e79bb6fd76420p-32, 0x1.e61b4f97210c0p-28, 0x1.b5267cdfd3abbp-24,
                  0x1.62bfc79d4d43dp-20, 0x1.ffcbfba980ff5p-17, 0x1.4309130ed8cc7p-13,
                  0x1.5d87fe78cd6cfp-10, 0x1.3b2ab6fba011ap-7,  0x1.c6b08d7049fe8p-5,
                  0x1.ebfbdff82c5a4p-3,  0x1.62e42fefa39efp-1,  1.0};
};
struct Exp2ConstantsFloat {
  float smallest = -151.0F;
  float round = 0x1.8p23F + 127 + 30;
  float descale = 0x1p-30F;
  float c[6] = {0x1.5bba14p-10F, 0x1.3cea88p-7F, 0x1.c6b752p-5F,
                0x1.ebf9bcp-3F,  0x1.62e42ap-1F, 1.0F};
};
// NOLINTEND(modernize-use-std-numbers)

template <int kMantissaBits, class D, class V, class Constants>
HWY_INLINE V exp2_by_shift(D d, V t, const Constants* k) {
  const hn::RebindToUnsigned<D> bits;
  t = hn::Max(hn::Set(d, k->smallest), hn::Min(hn::Zero(d), t));
  const V magic = hn::Set(d, k->round);
  const V shifted = hn::Add(t, magic);
  const V f = hn::Sub(t, hn::Sub(shifted, magic));
  constexpr int kTerms = std::extent_v<decltype(k->c)>;
  V p = hn::Set(d, k->c[0]);
  HWY_UNROLL(11) for (int i = 1; i < kTerms; ++i) p = hn::MulAdd(p, f, hn::Set(d, k->c[i]));
  const V scale = hn::BitCast(d, hn::ShiftLeft<kMantissaBits>(hn::BitCast(bits, shifted)));
  return hn::Mul(hn::Mul(p, scale), hn::Set(d, k->descale));
}
HWY_INLINE Vec<double> exp2_negative(Tag<double> d, Vec<double> t, const Exp2ConstantsDouble* k) {
  return exp2_by_shift<52>(d, t, k);
}
HWY_INLINE Vec<float> exp2_negative(Tag<float> d, Vec<float> t, const Exp2ConstantsFloat* k) {
  return exp2_by_shift<23>(d, t, k);
}

#endif

constexpr Exp2ConstantsDouble kExp2Double;
constexpr Exp2ConstantsFloat kExp2Float;
template <class T>
HWY_INLINE const auto* exp2_constants() {
  if constexpr (sizeof(T) == sizeof(double)) {
    return &kExp2Double;
  } else {
    return &kExp2Float;
  }
}

template <class T>
HWY_INLINE Vec<T> exp2_negative(Vec<T> t) {
  return exp2_negative(Tag<T>(), t, exp2_constants<T>());
}

/// exp(-a) for a >= 0.
template <class T>
HWY_INLINE Vec<T> exp_minus(Vec<T> a) {
  constexpr T kLog2E = static_cast<T>(std::numbers::log2e);
  return exp2_negative<T>(hn::Mul(a, hn::Set(Tag<T>(), -kLog2E)));
}

/// x^degree, degree >= 1, by repeated squaring.
template <class T>
HWY_INLINE Vec<T> integer_power(Vec<T> x, int degree) {
  Vec<T> result = hn::Set(Tag<T>(), T{1});
  for (;;) {
    if ((degree & 1) != 0) result = hn::Mul(result, x);
    degree >>= 1;
    if (degree == 0) return result;
    x = hn::Mul(x, x);
  }
}

}  // namespace mercer::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MERCER_ENGINE_POINTWISE_INL_H_
