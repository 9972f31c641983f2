#include "engine/cos_sin.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cos_sin.cpp"
#include "engine/simd_targets.h"
// foreach_target.h includes this file once per instruction set, so it comes before highway.h.
#include <hwy/foreach_target.h>  // NOLINT
#include <hwy/highway.h>

#include "engine/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mercer::engine::HWY_NAMESPACE {

// sin(2 pi g) / g and (cos(2 pi g) - 1) / g^2 as polynomials of g^2, highest power first, for
// |g| <= 1/8: minimax (Remez exchange) with errors of 3e-18 and 3e-20.
constexpr double kSine[7] = {0x1.e3eeb4be5cae5p+1,  -0x1.e3006344b24f5p+3, 0x1.50782fc9da7abp+5,
                             -0x1.32d2cce2d4dd3p+6, 0x1.466bc677586fbp+6,  -0x1.4abbce625be41p+5,
                             0x1.921fb54442d18p+2};
constexpr double kCosine[7] = {-0x1.b26fcb1dbff62p+0, 0x1.f9cc6a71d7925p+2,  -0x1.a6d1ecb6cac3dp+4,
                               0x1.e1f50683b39d6p+5,  -0x1.55d3c7e3c95b6p+6, 0x1.03c1f081b5ab0p+6,
                               -0x1.3bd3cc9be45dep+4};

HWY_INLINE Vec<double> polynomial(const double (&coefficients)[7], Vec<double> y) {
  const Tag<double> d;
  Vec<double> p = hn::Set(d, coefficients[0]);
  HWY_UNROLL(6) for (int i = 1; i < 7; ++i) p = hn::MulAdd(p, y, hn::Set(d, coefficients[i]));
  return p;
}

HWY_INLINE void cos_sin(Vec<double> turns, Vec<double>& cosine, Vec<double>& sine) {
  using V = Vec<double>;
  const Tag<double> d;
  const hn::RebindToUnsigned<Tag<double>> bits;
  // Adding this makes the last bit count ones: the sum's low bits are an integer, modulo 2^52.
  const V to_integer = hn::Set(d, 0x1.8p52);
  const V within_a_turn = hn::Sub(turns, hn::Round(turns));
  const V shifted = hn::MulAdd(within_a_turn, hn::Set(d, 4.0), to_integer);
  const V quarters = hn::Sub(shifted, to_integer);
  const V g = hn::NegMulAdd(quarters, hn::Set(d, 0.25), within_a_turn);
  const V y = hn::Mul(g, g);
  const V s = hn::Mul(g, polynomial(kSine, y));
  const V c = hn::MulAdd(y, polynomial(kCosine, y), hn::Set(d, 1.0));
  // Quadrants 0, 1, 2, 3: (cos, sin) = (c, s), (-s, c), (-c, -s), (s, -c).
  const auto one = hn::Set(bits, 1);
  const auto quadrant = hn::BitCast(bits, shifted);
  const auto odd = hn::RebindMask(d, hn::Eq(hn::And(quadrant, one), one));
  const V negative_sine = hn::BitCast(d, hn::ShiftLeft<62>(quadrant));
  const V negative_cosine = hn::BitCast(d, hn::ShiftLeft<62>(hn::Add(quadrant, one)));
  const V sign = hn::SignBit(d);
  sine = hn::Xor(hn::IfThenElse(odd, c, s), hn::And(sign, negative_sine));
  cosine = hn::Xor(hn::IfThenElse(odd, s, c), hn::And(sign, negative_cosine));
}

void cos_sin_panel_f64(const double* HWY_RESTRICT turns, std::size_t rows, double scale,
                       double* HWY_RESTRICT first, double* HWY_RESTRICT second) {
  const Tag<double> d;
  constexpr std::size_t kW = kWidth<double>;
  const auto factor = hn::Set(d, scale);
  HWY_ALIGN double pairs[2 * kW];
  for (std::size_t r = 0; r < rows; ++r, turns += kW, first += kW, second += kW) {
    HWY_UNROLL(4) for (std::size_t v = 0; v < kRowVectors; ++v) {
      Vec<double> cosine;
      Vec<double> sine;
      cos_sin(hn::LoadU(d, turns + v * kLanes<double>), cosine, sine);
      hn::StoreInterleaved2(hn::Mul(cosine, factor), hn::Mul(sine, factor), d,
                            pairs + 2 * v * kLanes<double>);
    }
    HWY_UNROLL(4) for (std::size_t v = 0; v < kRowVectors; ++v) {
      const std::size_t i = v * kLanes<double>;
      hn::StoreU(hn::Load(d, pairs + i), d, first + i);
      hn::StoreU(hn::Load(d, pairs + kW + i), d, second + i);
    }
  }
}

}  // namespace mercer::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mercer::engine {

HWY_EXPORT(cos_sin_panel_f64);

void cos_sin_panel(const double* turns, std::size_t rows, double scale, double* first,
                   double* second) {
  HWY_DYNAMIC_DISPATCH(cos_sin_panel_f64)(turns, rows, scale, first, second);
}

}  // namespace mercer::engine
#endif
