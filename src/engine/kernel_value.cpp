#include "engine/kernel_value.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <mercer/error.h>

namespace mercer::engine {

namespace {

using Row = std::span<const double>;

double dot(Row x, Row y) {
  double sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) sum += x[j] * y[j];
  return sum;
}

double squared_distance(Row x, Row y) {
  double sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) sum += (x[j] - y[j]) * (x[j] - y[j]);
  return sum;
}

double distance(Row x, Row y) {
  return std::sqrt(squared_distance(x, y));
}

double l1_distance(Row x, Row y) {
  double sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) sum += std::abs(x[j] - y[j]);
  return sum;
}

double chi2_similarity(Row x, Row y) {
  double sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    if (x[j] + y[j] > 0) sum += 2 * x[j] * y[j] / (x[j] + y[j]);
  }
  return sum;
}

double chi2_distance(Row x, Row y) {
  double sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    if (x[j] + y[j] > 0) sum += (x[j] - y[j]) * (x[j] - y[j]) / (x[j] + y[j]);
  }
  return sum;
}

/// Scaled so that neither tiny nor huge rows under- or overflow in the squares.
double cosine(Row x, Row y) {
  const auto largest = [](Row v) {
    double m = 0;
    for (const double value : v) m = std::max(m, std::abs(value));
    return m;
  };
  const double x_scale = largest(x);
  const double y_scale = largest(y);
  if (x_scale == 0 || y_scale == 0) return 0;
  double xy = 0;
  double xx = 0;
  double yy = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double a = x[j] / x_scale;
    const double b = y[j] / y_scale;
    xy += a * b;
    xx += a * a;
    yy += b * b;
  }
  return xy / (std::sqrt(xx) * std::sqrt(yy));
}

struct Evaluate {
  Row x;
  Row y;

  double operator()(const Gaussian& k) const {
    return std::exp(-*k.gamma * squared_distance(x, y));
  }
  double operator()(const Laplacian& k) const { return std::exp(-*k.gamma * distance(x, y)); }
  double operator()(const LaplacianL1& k) const { return std::exp(-*k.gamma * l1_distance(x, y)); }
  double operator()(const Matern32& k) const {
    const double a = std::sqrt(3.0) * distance(x, y) / *k.length;
    return (1 + a) * std::exp(-a);
  }
  double operator()(const Matern52& k) const {
    const double a = std::sqrt(5.0) * distance(x, y) / *k.length;
    return (1 + a + a * a / 3) * std::exp(-a);
  }
  double operator()(const RationalQuadratic& k) const {
    const double r = distance(x, y) / *k.length;
    return std::pow(1 + r * r / (2 * k.alpha), -k.alpha);
  }
  double operator()(const Polynomial& k) const {
    return std::pow(*k.gamma * dot(x, y) + k.coef0, k.degree);
  }
  double operator()(const Linear&) const { return dot(x, y); }
  double operator()(const Cosine&) const { return cosine(x, y); }
  double operator()(const Sigmoid& k) const { return std::tanh(*k.gamma * dot(x, y) + k.coef0); }
  double operator()(const Chi2&) const { return chi2_similarity(x, y); }
  double operator()(const ExponentialChi2& k) const {
    return std::exp(-*k.gamma * chi2_distance(x, y));
  }
  double operator()(const Precomputed&) const {
    throw InvalidArgument("a precomputed kernel has no formula to evaluate");
  }
  double operator()(const Custom& k) const { return k.function(x, y); }
};

bool is_normalised(const Kernel& kernel) {
  return std::holds_alternative<Gaussian>(kernel) || std::holds_alternative<Laplacian>(kernel) ||
         std::holds_alternative<LaplacianL1>(kernel) || std::holds_alternative<Matern32>(kernel) ||
         std::holds_alternative<Matern52>(kernel) ||
         std::holds_alternative<RationalQuadratic>(kernel) ||
         std::holds_alternative<ExponentialChi2>(kernel);
}

bool needs_non_negative(const Kernel& kernel) {
  return std::holds_alternative<Chi2>(kernel) || std::holds_alternative<ExponentialChi2>(kernel);
}

void check_values(const Kernel& kernel, MatrixView<const double> points, std::size_t first_row) {
  const bool non_negative = needs_non_negative(kernel);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (std::size_t j = 0; j < points.cols(); ++j) {
      const double value = points(i, j);
      if (!std::isfinite(value)) {
        throw DataError(fmt::format(
            "row {}, column {} is {}: every value must be finite; remove or impute such rows first",
            first_row + i + 1, j + 1, value));
      }
      if (non_negative && value < 0) {
        throw DataError(fmt::format(
            "row {}, column {} is {}: the {} kernel is for non-negative data such as histograms",
            first_row + i + 1, j + 1, value, kernel_name(kernel)));
      }
    }
  }
}

void check_gram_matrix(MatrixView<const double> gram) {
  if (gram.rows() != gram.cols()) {
    throw DataError(fmt::format("a precomputed kernel needs a square matrix, this one is {} x {}",
                                gram.rows(), gram.cols()));
  }
  double largest = 0;
  for (std::size_t i = 0; i < gram.rows(); ++i) {
    for (const double value : gram.row(i)) largest = std::max(largest, std::abs(value));
  }
  for (std::size_t i = 0; i < gram.rows(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (std::abs(gram(i, j) - gram(j, i)) > 1e-8 * largest) {
        throw DataError(fmt::format(
            "the precomputed kernel matrix is not symmetric: entry ({}, {}) is {}, ({}, {}) is {}",
            i + 1, j + 1, gram(i, j), j + 1, i + 1, gram(j, i)));
      }
    }
  }
}

}  // namespace

double kernel_value(const Kernel& kernel, Row x, Row y) {
  return std::visit(Evaluate{x, y}, kernel);
}

std::vector<double> kernel_diagonal(const Kernel& kernel, MatrixView<const double> points) {
  std::vector<double> diagonal(points.rows(), 1.0);
  if (is_normalised(kernel)) return diagonal;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    diagonal[i] = std::holds_alternative<Precomputed>(kernel)
                      ? points(i, i)
                      : kernel_value(kernel, points.row(i), points.row(i));
  }
  return diagonal;
}

void check_training_points(const Kernel& kernel, MatrixView<const double> points) {
  if (points.rows() == 0 || points.cols() == 0) {
    throw DataError(
        fmt::format("there are no points: the table is {} x {}", points.rows(), points.cols()));
  }
  check_values(kernel, points, 0);
  if (std::holds_alternative<Precomputed>(kernel)) check_gram_matrix(points);
}

void check_new_points(const Kernel& kernel, MatrixView<const double> points,
                      std::size_t first_row) {
  check_values(kernel, points, first_row);
}

}  // namespace mercer::engine
