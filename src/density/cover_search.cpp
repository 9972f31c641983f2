#include "density/cover_search.h"

#include <algorithm>
#include <cmath>

namespace mercer::density {

namespace {

/// Near 1 / radius; radii below 2^-1023 would need more than the largest power of two.
double scale_for(double radius) {
  if (radius == 0) return 1;
  return std::ldexp(1.0,
                    std::min(-std::ilogb(radius), std::numeric_limits<double>::max_exponent - 1));
}

}  // namespace

CoverRule::CoverRule(double radius)
    : radius_(radius),
      scale_(scale_for(radius)),
      unit_(1 / scale_),
      limit_(scaled_radius() * scaled_radius()) {}

}  // namespace mercer::density
