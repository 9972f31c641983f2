#include <array>
#include <cmath>
#include <numbers>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include <mercer/error.h>
#include <mercer/generate.h>

#include "engine/random.h"

namespace mercer {

namespace {

using engine::RandomStream;
constexpr double kPi = std::numbers::pi;

/// What a point is drawn from. Its own stream makes it independent of how many points there are.
struct Draw {
  RandomStream point;
  RandomStream shape;  ///< the same for all points
};

/// Writes the coordinates of the shape, which are zero before, and returns the part it lies on.
using Place = std::size_t (*)(const Draw& draw, std::span<double> x);

/// Radius 8, as in the experiments with accelerated kernel feature analysis.
std::size_t circle(const Draw& draw, std::span<double> x) {
  const double angle = 2 * kPi * draw.point.uniform(0);
  x[0] = 8 * std::cos(angle);
  x[1] = 8 * std::sin(angle);
  return 0;
}

std::size_t rings(const Draw& draw, std::span<double> x) {
  constexpr std::array kRadii = {1.0, 3.0, 5.0};
  const std::size_t ring = draw.point.below(0, kRadii.size());
  const double angle = 2 * kPi * draw.point.uniform(1);
  x[0] = kRadii[ring] * std::cos(angle);
  x[1] = kRadii[ring] * std::sin(angle);
  return ring;
}

/// The cross of the Swiss flag, filled: arms one sixth longer than wide. A square in the middle and
/// four arms around it, each hit in proportion to its area.
std::size_t swiss_cross(const Draw& draw, std::span<double> x) {
  constexpr double kWidth = 6;
  constexpr double kArm = 7;
  constexpr std::array<std::array<double, 2>, 4> kDirections = {{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}};
  const double across = kWidth * (draw.point.uniform(0) - 0.5);
  const double along = draw.point.uniform(1);
  const double where = draw.point.uniform(2) * (kWidth + 4 * kArm) - kWidth;
  if (where < 0) {
    x[0] = across;
    x[1] = kWidth * (along - 0.5);
    return 0;
  }
  const auto arm = std::min<std::size_t>(static_cast<std::size_t>(where / kArm), 3);
  const auto [dx, dy] = kDirections[arm];
  const double outward = kWidth / 2 + kArm * along;
  x[0] = dx * outward - dy * across;
  x[1] = dy * outward + dx * across;
  return arm + 1;
}

/// Parts are the four quarters of the way along the roll.
std::size_t swiss_roll(const Draw& draw, std::span<double> x) {
  constexpr double kHeight = 21;
  const double way = draw.point.uniform(0);
  const double angle = 1.5 * kPi * (1 + 2 * way);
  x[0] = angle * std::cos(angle);
  x[1] = kHeight * draw.point.uniform(1);
  x[2] = angle * std::sin(angle);
  return static_cast<std::size_t>(4 * way);
}

/// Two arms of one and a half turns. The square root spreads the points evenly along them.
std::size_t spirals(const Draw& draw, std::span<double> x) {
  const std::size_t arm = draw.point.below(0, 2);
  const double angle = 3 * kPi * std::sqrt(draw.point.uniform(1));
  const double sign = arm == 0 ? 1 : -1;
  x[0] = sign * angle * std::cos(angle);
  x[1] = sign * angle * std::sin(angle);
  return arm;
}

/// Two half circles of radius 1 that reach into each other.
std::size_t moons(const Draw& draw, std::span<double> x) {
  const std::size_t moon = draw.point.below(0, 2);
  const double angle = kPi * draw.point.uniform(1);
  x[0] = moon == 0 ? std::cos(angle) : 1 - std::cos(angle);
  x[1] = moon == 0 ? std::sin(angle) : 0.5 - std::sin(angle);
  return moon;
}

/// Five clouds of standard deviation 1 around centres in [-8, 8]^d.
std::size_t blobs(const Draw& draw, std::span<double> x) {
  constexpr std::uint64_t kBlobs = 5;
  const std::uint64_t blob = draw.point.below(0, kBlobs);
  const RandomStream centre = draw.shape.substream(blob);
  const RandomStream spread = draw.point.substream(0);
  for (std::size_t j = 0; j < x.size(); ++j) {
    x[j] = 16 * centre.uniform(j) - 8 + spread.normal(j);
  }
  return blob;
}

std::size_t uniform(const Draw& draw, std::span<double> x) {
  for (std::size_t j = 0; j < x.size(); ++j) x[j] = draw.point.uniform(j);
  return 0;
}

struct Shape {
  std::string_view name;
  std::size_t min_d;
  std::string_view description;
  Place place;
};

constexpr std::array<Shape, 8> kShapes = {{
    {"circle", 2, "circle of radius 8", circle},
    {"rings", 2, "three concentric circles of radius 1, 3 and 5", rings},
    {"swiss_cross", 2, "filled cross, 20 wide and 20 high", swiss_cross},
    {"swiss_roll", 3, "rolled-up rectangle", swiss_roll},
    {"spirals", 2, "two spirals of one and a half turns", spirals},
    {"moons", 2, "two interleaved half circles of radius 1", moons},
    {"blobs", 1, "five Gaussian clouds of standard deviation 1", blobs},
    {"uniform", 1, "points spread evenly in the unit cube", uniform},
}};

const Shape& find_shape(const std::string& name) {
  std::string known;
  for (const Shape& shape : kShapes) {
    if (shape.name == name) return shape;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", shape.name);
  }
  throw InvalidArgument(fmt::format("there is no shape '{}'; there are: {}", name, known));
}

void validate(const Shape& shape, const GenerateOptions& options) {
  if (options.n == 0) throw InvalidArgument("n = 0: at least one point must be generated");
  if (options.d < shape.min_d) {
    throw InvalidArgument(
        fmt::format("d = {}: '{}' needs at least {} columns", options.d, shape.name, shape.min_d));
  }
  if (!std::isfinite(options.noise) || options.noise < 0) {
    throw InvalidArgument(
        fmt::format("noise = {}: it must be a standard deviation, at least 0", options.noise));
  }
}

}  // namespace

Generated generate(const std::string& shape_name, const GenerateOptions& options) {
  const Shape& shape = find_shape(shape_name);
  validate(shape, options);
  enum Purpose : std::uint64_t { kPoints, kShape, kNoise };
  const RandomStream seed(options.seed);
  const RandomStream points = seed.substream(kPoints);
  const RandomStream noise = seed.substream(kNoise);

  Generated generated;
  generated.points = Matrix<double>(options.n, options.d);
  generated.labels.reserve(options.n);
  for (std::size_t i = 0; i < options.n; ++i) {
    const std::span<double> x = generated.points.row(i);
    generated.labels.push_back(shape.place({points.substream(i), seed.substream(kShape)}, x));
    const RandomStream noise_of_point = noise.substream(i);
    for (std::size_t j = 0; j < options.d; ++j) x[j] += options.noise * noise_of_point.normal(j);
  }
  return generated;
}

std::vector<ShapeInfo> shapes() {
  std::vector<ShapeInfo> list;
  for (const Shape& shape : kShapes) {
    list.push_back({std::string(shape.name), shape.min_d, std::string(shape.description)});
  }
  return list;
}

}  // namespace mercer
