#include "methods/random_rotation.h"

#include <array>
#include <cmath>

namespace mercer::methods {

namespace {

double dot(std::span<const double> x, std::span<const double> y) {
  std::array<double, 8> sums{};
  std::size_t i = 0;
  for (; i + sums.size() <= x.size(); i += sums.size()) {
    for (std::size_t lane = 0; lane < sums.size(); ++lane) sums[lane] += x[i + lane] * y[i + lane];
  }
  for (; i < x.size(); ++i) sums[0] += x[i] * y[i];
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

void add_multiple(double factor, std::span<const double> x, std::span<double> y) {
  for (std::size_t i = 0; i < x.size(); ++i) y[i] += factor * x[i];
}

}  // namespace

double length(std::span<const double> x) {
  return std::sqrt(dot(x, x));
}

void orthonormalise(MatrixView<double> rows, engine::Workers& workers) {
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    workers.poll();
    const auto row = rows.row(i);
    // The second sweep takes off what rounding left in the first (Giraud et al. 2005).
    for (int sweep = 0; sweep < 2; ++sweep) {
      for (std::size_t j = 0; j < i; ++j) add_multiple(-dot(rows.row(j), row), rows.row(j), row);
    }
    const double factor = 1 / length(row);
    for (double& value : row) value *= factor;
  }
}

}  // namespace mercer::methods
