#pragma once

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

namespace mercer::model {

/// What the components of a model with a normaliser are divided by: d(x) - mu_k, or NaN where that
/// is nothing but rounding.
class DegreeNormalizer {
 public:
  /// `weights` and `shift` as in ModelParts. `single_precision`: of the kernel values in the
  /// degrees.
  DegreeNormalizer(std::span<const double> weights, std::span<const double> shift,
                   bool single_precision)
      : shift_(shift), rounding_(16 * (single_precision ? double{FLT_EPSILON} : DBL_EPSILON)) {
    // At this degree the part lost to underflow, of kernel values or of their products with the
    // weights, may be as large as rounding.
    const double lost = single_precision ? double{FLT_MIN} / FLT_EPSILON : kSmallest;
    double weight = 0;
    for (const double w : weights) weight += std::abs(w);
    smallest_degree_ = std::max(lost * weight, kSmallest);
  }

  double divisor(double degree, std::size_t component) const {
    if (!(degree > smallest_degree_)) return kNaN;
    if (shift_.empty()) return degree;
    const double shift = shift_[component];
    const double difference = degree - shift;
    return std::abs(difference) > rounding_ * std::max(degree, std::abs(shift)) ? difference : kNaN;
  }

 private:
  static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  static constexpr double kSmallest = DBL_MIN / DBL_EPSILON;

  std::span<const double> shift_;
  double rounding_;
  double smallest_degree_ = 0;
};

}  // namespace mercer::model
