// Random projections in the place of points.
//
//   D. Achlioptas, F. McSherry, B. Schoelkopf, "Sampling techniques for kernel methods", NIPS
//   2001, section 5; D. Achlioptas, "Database-friendly random projections", JCSS 66 (2003)
//
//   paper      here
//   P          d x s, entries +-1/sqrt(s). The paper prints 1/sqrt(d), which would shrink squared
//              lengths to s/d of what they are
//   m + t      points: of training and to be transformed
//   epsilon    error
//
// E |xP|^2 = |x|^2 with variance (2/s)(|x|^4 - sum x_i^4), (2/s)|x|^4 for the sparse map, and
// E <xP, yP> = <x, y>. The tail 2 exp(-(s/2)(error^2/2 - error^3/3)) of one vector, summed over all
// x - y and x + y, is theorem 6.
//
// Coordinate sampling fails where few columns matter; after a rotation all matter alike. That is
// what the paper argues from, and the sign map is the cheap form of it.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <mercer/error.h>
#include <mercer/projection.h>

#include "engine/random.h"
#include "methods/random_rotation.h"
#include "system/memory.h"

namespace mercer {

namespace {

using engine::RandomStream;

constexpr std::uint64_t kProjectionStream = 0x70726f6a656374;

/// Entries of column j are read from stream j: more dimensions extend those there are.
template <class Entry>
Matrix<double> independent_entries(std::size_t columns, std::size_t dimensions,
                                   const RandomStream& stream, const Entry& entry) {
  auto p = Matrix<double>::uninitialized(columns, dimensions);
  for (std::size_t j = 0; j < dimensions; ++j) {
    const RandomStream own = stream.substream(j);
    for (std::size_t i = 0; i < columns; ++i) p(i, j) = entry(own.uniform(i));
  }
  return p;
}

Matrix<double> sampled_coordinates(std::size_t columns, std::size_t dimensions,
                                   const RandomStream& stream) {
  const double scale = std::sqrt(static_cast<double>(columns) / static_cast<double>(dimensions));
  const auto chosen = engine::sample_without_replacement(columns, dimensions, stream);
  Matrix<double> p(columns, dimensions);
  for (std::size_t j = 0; j < dimensions; ++j) p(chosen[j], j) = scale;
  return p;
}

Matrix<double> rotated_coordinates(std::size_t columns, std::size_t dimensions,
                                   const RandomStream& stream, engine::Workers& workers) {
  auto rows = Matrix<double>::uninitialized(dimensions, columns);
  for (std::size_t i = 0; i < rows.size(); ++i) rows.data()[i] = stream.normal(i);
  methods::orthonormalise(rows, workers);
  const double scale = std::sqrt(static_cast<double>(columns) / static_cast<double>(dimensions));
  auto p = Matrix<double>::uninitialized(columns, dimensions);
  for (std::size_t i = 0; i < columns; ++i) {
    for (std::size_t j = 0; j < dimensions; ++j) p(i, j) = scale * rows(j, i);
  }
  return p;
}

}  // namespace

std::size_t projection_dimensions(std::size_t points, double error, double beta) {
  if (points < 2) {
    throw InvalidArgument(fmt::format("there are {} points: distances need two", points));
  }
  if (!(error > 0 && error < 1)) {
    throw InvalidArgument(
        fmt::format("the error of a projection is {}: it must be between 0 and 1", error));
  }
  if (!(beta > 0 && std::isfinite(beta))) {
    throw InvalidArgument(fmt::format("beta is {}: it must be positive and finite", beta));
  }
  const double s = (4 + 2 * beta) / (error * error / 2 - error * error * error / 3) *
                   std::log(static_cast<double>(points));
  constexpr double kMost = 1e15;
  return static_cast<std::size_t>(std::ceil(std::min(s, kMost)));
}

ColumnProjection random_projection(std::size_t columns, std::size_t dimensions, ProjectionMap map,
                                   const RunOptions& run) {
  if (dimensions == 0) throw InvalidArgument("a projection on 0 dimensions keeps nothing");
  if (dimensions >= columns) {
    throw InvalidArgument(
        fmt::format("a projection of {} columns on {} dimensions saves nothing: leave it out, or "
                    "take fewer dimensions",
                    columns, dimensions));
  }
  const double bytes =
      2.0 * sizeof(double) * static_cast<double>(columns) * static_cast<double>(dimensions);
  const auto limit = static_cast<double>(system::memory_limit_bytes(run.memory_limit_bytes));
  if (bytes > limit) {
    throw MemoryLimitError(fmt::format(
        "a projection of {} columns on {} dimensions needs {}, more than the limit of {}", columns,
        dimensions, system::format_bytes(bytes), system::format_bytes(limit)));
  }
  const RandomStream stream = RandomStream(run.seed).substream(kProjectionStream);
  const auto s = static_cast<double>(dimensions);
  switch (map) {
    case ProjectionMap::signs:
      return {independent_entries(columns, dimensions, stream,
                                  [&](double u) { return (u < 0.5 ? 1 : -1) / std::sqrt(s); })};
    case ProjectionMap::sparse:
      return {independent_entries(columns, dimensions, stream, [&](double u) {
        const double sign = u < 1.0 / 6 ? 1 : u < 1.0 / 3 ? -1 : 0;
        return sign * std::sqrt(3 / s);
      })};
    case ProjectionMap::coordinates:
      return {sampled_coordinates(columns, dimensions, stream)};
    case ProjectionMap::rotated:
      break;
  }
  engine::Workers workers(run);
  workers.begin_phase("projection");
  return {rotated_coordinates(columns, dimensions, stream, workers)};
}

}  // namespace mercer
