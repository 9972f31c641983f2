#include "engine/packing.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <mercer/error.h>

namespace mercer::engine {

namespace {

constexpr double kLog2E = std::numbers::log2e;

struct ChoosePacking {
  using Result = std::optional<Packing>;

  // t = -gamma r^2 log2(e), so 2^t is the kernel.
  Result operator()(const Gaussian& k) const {
    return Packing{.form = TileForm::gaussian,
                   .scale = std::sqrt(2 * kLog2E) * std::sqrt(*k.gamma),
                   .shifted = true,
                   .by_norms = true};
  }
  Result operator()(const Laplacian& k) const {
    return Packing{.form = TileForm::laplacian, .scale = *k.gamma * kLog2E, .shifted = true};
  }
  Result operator()(const LaplacianL1& k) const {
    return Packing{.form = TileForm::laplacian_l1, .scale = *k.gamma * kLog2E, .shifted = true};
  }
  Result operator()(const Matern32& k) const {
    return Packing{.form = TileForm::matern32,
                   .scale = std::numbers::sqrt3 / *k.length,
                   .shifted = true,
                   .by_norms = true};
  }
  Result operator()(const Matern52& k) const {
    return Packing{.form = TileForm::matern52,
                   .scale = std::sqrt(5.0) / *k.length,
                   .shifted = true,
                   .by_norms = true};
  }
  Result operator()(const RationalQuadratic& k) const {
    return Packing{.form = TileForm::rational_quadratic,
                   .scale = 1 / (*k.length * std::sqrt(k.alpha)),
                   .shifted = true,
                   .by_norms = true,
                   .alpha = k.alpha};
  }
  Result operator()(const Polynomial& k) const {
    return Packing{.form = TileForm::polynomial,
                   .scale = std::sqrt(*k.gamma),
                   .bias = k.coef0,
                   .degree = k.degree};
  }
  Result operator()(const Linear&) const { return Packing{}; }
  Result operator()(const Cosine&) const { return Packing{.unit_rows = true}; }
  Result operator()(const Sigmoid& k) const {
    return Packing{.form = TileForm::sigmoid, .scale = std::sqrt(*k.gamma), .bias = k.coef0};
  }
  Result operator()(const Chi2&) const { return Packing{.form = TileForm::chi2}; }
  Result operator()(const ExponentialChi2& k) const {
    return Packing{.form = TileForm::exponential_chi2, .scale = *k.gamma * kLog2E};
  }
  Result operator()(const Precomputed&) const { return std::nullopt; }
  Result operator()(const Custom&) const { return std::nullopt; }
};

/// 1 / |x| without overflow or underflow in the squares; 0 for a row of zeros.
template <class Input>
double inverse_norm(std::span<const Input> x) {
  double largest = 0;
  for (const Input value : x) largest = std::max(largest, std::abs(static_cast<double>(value)));
  if (largest == 0) return 0;
  double sum = 0;
  for (const Input value : x) {
    const double scaled = static_cast<double>(value) / largest;
    sum += scaled * scaled;
  }
  return 1 / (std::sqrt(sum) * largest);
}

}  // namespace

std::optional<Packing> packing_of(const Kernel& kernel) {
  if (!is_resolved(kernel)) {
    throw InvalidArgument(fmt::format(
        "the {} kernel still lacks a parameter: use resolve_bandwidth first", kernel_name(kernel)));
  }
  return std::visit(ChoosePacking{}, kernel);
}

template <class Input>
double row_scale(const Packing& packing, std::span<const Input> x) {
  return packing.unit_rows ? inverse_norm(x) : packing.scale;
}

template double row_scale(const Packing& packing, std::span<const double> x);
template double row_scale(const Packing& packing, std::span<const float> x);

void throw_row_too_large(const Kernel& kernel, std::size_t row, bool single_precision) {
  throw NumericalError(fmt::format(
      "row {} is too large for the {} kernel with its parameters: squared distances overflow; "
      "scale the data or the parameter{}",
      row + 1, kernel_name(kernel), single_precision ? ", or use double precision" : ""));
}

}  // namespace mercer::engine
