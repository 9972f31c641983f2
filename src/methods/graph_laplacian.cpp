#include "methods/graph_laplacian.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include <mercer/error.h>

#include "engine/tall.h"
#include "engine/tile.h"
#include "methods/fit_record.h"

namespace mercer::methods {

namespace {

/// sqrt(x_i y_i) / its norm, also where x_i y_i is out of range.
std::vector<double> unit_root_product(std::span<const double> x, std::span<const double> y) {
  std::vector<double> g(x.size());
  double largest = 0;
  for (std::size_t i = 0; i < g.size(); ++i) {
    g[i] = std::sqrt(x[i]) * std::sqrt(y[i]);
    largest = std::max(largest, g[i]);
  }
  double norm2 = 0;
  for (double& value : g) {
    value /= largest;
    norm2 += value * value;
  }
  for (double& value : g) value /= std::sqrt(norm2);
  return g;
}

std::vector<double> root_quotient(std::span<const double> x, std::span<const double> y) {
  std::vector<double> root(x.size());
  for (std::size_t i = 0; i < root.size(); ++i) root[i] = std::sqrt(x[i] / y[i]);
  return root;
}

}  // namespace

void check_graph_kernel(const Kernel& kernel) {
  check_kernel(kernel);
  if (std::holds_alternative<Precomputed>(kernel)) {
    throw InvalidArgument(
        "a precomputed kernel has no points to extend the graph from: give the points and a kernel "
        "(a custom one may look values up)");
  }
  if (std::holds_alternative<Linear>(kernel) || std::holds_alternative<Polynomial>(kernel) ||
      std::holds_alternative<Cosine>(kernel) || std::holds_alternative<Sigmoid>(kernel)) {
    throw InvalidArgument(fmt::format(
        "the {} kernel may be negative, but edges of a graph must not be: use a kernel that decays "
        "with distance (gaussian, laplacian, matern32, ...)",
        kernel_name(kernel)));
  }
}

std::vector<double> graph_degrees(engine::KernelOperator& gram, std::span<const double> weights,
                                  engine::Workers& workers) {
  const std::size_t n = gram.size();
  Matrix<double> columns(n, engine::kProductColumns);
  Matrix<double> sums(n, engine::kProductColumns);
  for (std::size_t i = 0; i < n; ++i) columns(i, 0) = weights[i];
  gram.multiply(columns, sums, workers);
  std::vector<double> degrees(n);
  for (std::size_t i = 0; i < n; ++i) {
    degrees[i] = sums(i, 0);
    if (degrees[i] > 0 && std::isfinite(degrees[i])) continue;
    throw NumericalError(
        fmt::format("node {} of the graph has degree {}: degrees must be positive and finite, so "
                    "kernel values must not be negative, nor all zero at a point",
                    i + 1, degrees[i]));
  }
  return degrees;
}

std::vector<double> without_self_loops(std::vector<double> degrees, std::span<const double> loops) {
  // The sum of n terms that the loop is taken from is known to about n epsilon.
  const double rounding =
      std::max(static_cast<double>(degrees.size()) * std::numeric_limits<double>::epsilon(), 1e-12);
  for (std::size_t i = 0; i < degrees.size(); ++i) {
    const double rest = degrees[i] - loops[i];
    if (!(rest > rounding * degrees[i])) {
      throw NumericalError(fmt::format(
          "node {} of the graph has no neighbours: its degree is {:.3g} without its self-loop of "
          "{:.3g}; keep self_loops, widen the kernel, or leave the point out",
          i + 1, rest, loops[i]));
    }
    degrees[i] = rest;
  }
  return degrees;
}

GraphMatrixParts random_walk(std::span<const double> weights, std::span<const double> degrees) {
  return {.scaling = root_quotient(weights, degrees),
          .diagonal = {},
          .known_vector = unit_root_product(weights, degrees),
          .known_value = 1,
          .sink = 0};
}

GraphMatrixParts random_walk_without_loops(std::span<const double> weights,
                                           std::span<const double> degrees,
                                           std::span<const double> loops) {
  auto parts = random_walk(weights, degrees);
  parts.diagonal.resize(degrees.size());
  for (std::size_t i = 0; i < degrees.size(); ++i) parts.diagonal[i] = -loops[i] / degrees[i];
  return parts;
}

NegatedLaplacian negated_laplacian(std::span<const double> weights,
                                   std::span<const double> degrees) {
  const double unit = std::ldexp(1.0, std::ilogb(std::ranges::max(degrees)));
  const std::vector<double> units(weights.size(), unit);
  const std::vector<double> ones(weights.size(), 1.0);
  // L <= 2 D, and degrees are below 2 units: no eigenvalue of -L / unit is below -4.
  NegatedLaplacian result{.parts = {.scaling = root_quotient(weights, units),
                                    .diagonal = std::vector<double>(degrees.size()),
                                    .known_vector = unit_root_product(weights, ones),
                                    .known_value = 0,
                                    .sink = -5},
                          .unit = unit};
  for (std::size_t i = 0; i < degrees.size(); ++i) result.parts.diagonal[i] = -degrees[i] / unit;
  return result;
}

GraphMatrix::GraphMatrix(engine::KernelOperator& gram, GraphMatrixParts parts,
                         engine::Workers& workers)
    : gram_(gram), parts_(std::move(parts)), workers_(workers) {}

void GraphMatrix::apply(MatrixView<const double> v, MatrixView<double> y) {
  if (work_.rows() != v.rows() || work_.cols() != v.cols()) {
    work_ = Matrix<double>::uninitialized(v.rows(), v.cols());
  }
  for (std::size_t i = 0; i < v.rows(); ++i) {
    for (std::size_t j = 0; j < v.cols(); ++j) work_(i, j) = parts_.scaling[i] * v(i, j);
  }
  gram_.multiply(work_, y, workers_);
  for (std::size_t i = 0; i < v.rows(); ++i) {
    const double diagonal = parts_.diagonal.empty() ? 0 : parts_.diagonal[i];
    for (std::size_t j = 0; j < v.cols(); ++j) {
      y(i, j) = parts_.scaling[i] * y(i, j) + diagonal * v(i, j);
    }
  }
  // A v leaves the complement of g only by rounding and by what v has of g itself, so that one
  // projection makes A g = 0 and keeps the matrix symmetric.
  const MatrixView<const double> g(parts_.known_vector.data(), size(), 1);
  engine::subtract_product(g, engine::transposed_product(g, y, workers_), y, workers_);
}

Matrix<double> GraphMatrix::dense() {
  Matrix<double> a = gram_.dense(workers_);
  const auto& g = parts_.known_vector;
  const double moved = parts_.known_value - parts_.sink;
  for (std::size_t i = 0; i < size(); ++i) {
    for (std::size_t j = 0; j < size(); ++j) {
      a(i, j) = parts_.scaling[i] * a(i, j) * parts_.scaling[j] - moved * g[i] * g[j];
    }
    if (!parts_.diagonal.empty()) a(i, i) += parts_.diagonal[i];
  }
  return a;
}

}  // namespace mercer::methods
