#include "engine/radial_kernel.h"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <mercer/error.h>

namespace mercer::engine {

namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

struct Profile {
  double length_scale = 0;
  double lipschitz = 0;
};

/// The slope of (1 + a + a^2/3) e^-a is largest where a (1 + a) e^-a is: at the golden ratio.
double matern52_slope() {
  const double a = std::numbers::phi;
  return std::sqrt(5.0) * a * (1 + a) * std::exp(-a) / 3;
}

/// Slopes are largest at r = 1/sqrt(2 gamma), 0, length/sqrt(3), and where r^2 / length^2 is
/// 2 alpha / (2 alpha + 1).
std::optional<Profile> profile_of(const Kernel& kernel) {
  return std::visit(
      Overloaded{[](const Gaussian& k) -> std::optional<Profile> {
                   return Profile{1 / std::sqrt(*k.gamma),
                                  std::sqrt(2 * *k.gamma / std::numbers::e)};
                 },
                 [](const Laplacian& k) -> std::optional<Profile> {
                   return Profile{1 / *k.gamma, *k.gamma};
                 },
                 [](const Matern32& k) -> std::optional<Profile> {
                   return Profile{*k.length, std::numbers::sqrt3 / (std::numbers::e * *k.length)};
                 },
                 [](const Matern52& k) -> std::optional<Profile> {
                   return Profile{*k.length, matern52_slope() / *k.length};
                 },
                 [](const RationalQuadratic& k) -> std::optional<Profile> {
                   const double share = 1 / (2 * k.alpha + 1);
                   return Profile{*k.length, std::sqrt(2 * k.alpha * share) *
                                                 std::pow(1 + share, -k.alpha - 1) / *k.length};
                 },
                 [](const auto&) -> std::optional<Profile> { return std::nullopt; }},
      kernel);
}

/// Below this the terms that cancel in 1 - k cost more digits than six terms of its series lack.
constexpr double kSmall = 4e-3;

/// From here on e^-a is 0, and a e^-a would be infinity times 0 where a has overflowed.
constexpr double kLarge = 746;

double matern32_drop(double a) {
  if (a > kLarge) return 1;
  if (a > kSmall) return -std::expm1(-a) - a * std::exp(-a);
  return a * a * (1.0 / 2 - a * (1.0 / 3 - a * (1.0 / 8 - a * (1.0 / 30 - a / 144))));
}

double matern52_drop(double a) {
  if (a > kLarge) return 1;
  if (a > kSmall) return -std::expm1(-a) - (a + a * a / 3) * std::exp(-a);
  return a * a * (1.0 / 6 - a * a * (1.0 / 24 - a * (1.0 / 45 - a * (1.0 / 144 - a / 630))));
}

}  // namespace

std::optional<RadialKernel> RadialKernel::of(const Kernel& kernel) {
  const bool radial =
      std::holds_alternative<Gaussian>(kernel) || std::holds_alternative<Laplacian>(kernel) ||
      std::holds_alternative<Matern32>(kernel) || std::holds_alternative<Matern52>(kernel) ||
      std::holds_alternative<RationalQuadratic>(kernel);
  if (!radial) return std::nullopt;
  if (!is_resolved(kernel)) {
    throw InvalidArgument(fmt::format("the {} kernel has no scale yet", kernel_name(kernel)));
  }
  const auto profile = profile_of(kernel);
  RadialKernel result;
  result.kernel_ = kernel;
  result.length_scale_ = profile->length_scale;
  result.lipschitz_ = profile->lipschitz;
  return result;
}

double RadialKernel::value(double r) const {
  return 1 - drop(r);
}

double RadialKernel::distance(double value) const {
  if (value >= 1) return 0;
  double low = 0;
  double high = length_scale_;
  while (1 - drop(high) > value) {
    low = high;
    high *= 2;
  }
  for (;;) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return high;
    (1 - drop(middle) > value ? low : high) = middle;
  }
}

std::optional<Kernel> RadialKernel::fall() const {
  return std::visit(Overloaded{[](const Gaussian& k) -> std::optional<Kernel> { return k; },
                               [](const Matern32& k) -> std::optional<Kernel> {
                                 return Laplacian{.gamma = std::numbers::sqrt3 / *k.length};
                               },
                               [](const Matern52& k) -> std::optional<Kernel> {
                                 return Matern32{.length = std::sqrt(3.0 / 5.0) * *k.length};
                               },
                               [](const RationalQuadratic& k) -> std::optional<Kernel> {
                                 return RationalQuadratic{
                                     .length = *k.length * std::sqrt(k.alpha / (k.alpha + 1)),
                                     .alpha = k.alpha + 1};
                               },
                               [](const auto&) -> std::optional<Kernel> { return std::nullopt; }},
                    kernel_);
}

double RadialKernel::drop(double r) const {
  return std::visit(
      Overloaded{
          [r](const Gaussian& k) { return -std::expm1(-*k.gamma * r * r); },
          [r](const Laplacian& k) { return -std::expm1(-*k.gamma * r); },
          [r](const Matern32& k) { return matern32_drop(std::numbers::sqrt3 * r / *k.length); },
          [r](const Matern52& k) { return matern52_drop(std::sqrt(5.0) * r / *k.length); },
          [r](const RationalQuadratic& k) {
            const double ratio = r / *k.length;
            return -std::expm1(-k.alpha * std::log1p(ratio * ratio / (2 * k.alpha)));
          },
          [](const auto&) { return 0.0; }},
      kernel_);
}

double RadialKernel::feature_distance(double r) const {
  return std::sqrt(2 * drop(r));
}

double RadialKernel::operator_distance(double r) const {
  const double fall = drop(r);
  return std::sqrt(2 * fall * (2 - fall));
}

}  // namespace mercer::engine
