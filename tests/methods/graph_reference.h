#pragma once

#include <cmath>
#include <span>
#include <vector>

#include <mercer/model.h>
#include <mercer/reduction.h>

#include "engine/reference.h"
#include "numbers.h"

// Graphs written out as matrices, and weighted sets made by plain loops.
namespace mercer::testing {

/// The shadow cover by its definition: a row goes to the first centre nearer than the radius, or
/// becomes one.
inline WeightedSet shadow_set(MatrixView<const double> points, double radius) {
  WeightedSet set;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    std::size_t c = 0;
    for (; c < set.rows.size(); ++c) {
      double distance2 = 0;
      for (std::size_t j = 0; j < points.cols(); ++j) {
        const double difference = points(i, j) - points(set.rows[c], j);
        distance2 += difference * difference;
      }
      if (distance2 < radius * radius) break;
    }
    if (c == set.rows.size()) {
      set.rows.push_back(i);
      set.weights.push_back(0);
    }
    set.weights[c] += 1;
    set.map.push_back(c);
  }
  set.centers = Matrix<double>(set.rows.size(), points.cols());
  for (std::size_t c = 0; c < set.rows.size(); ++c) {
    std::ranges::copy(points.row(set.rows[c]), set.centers.row(c).begin());
  }
  set.data_rows = points.rows();
  return set;
}

inline WeightedSet weighted_set(MatrixView<const double> points, std::vector<double> weights = {}) {
  WeightedSet set;
  set.centers = Matrix<double>(points);
  set.weights = weights.empty() ? std::vector<double>(points.rows(), 1.0) : std::move(weights);
  return set;
}

/// 1, 2, 3, 4, 1, 2, ...
inline std::vector<double> small_integers(std::size_t n) {
  std::vector<double> weights(n);
  for (std::size_t i = 0; i < n; ++i) weights[i] = static_cast<double>(1 + i % 4);
  return weights;
}

inline std::vector<double> row_sums(MatrixView<const double> edges) {
  std::vector<double> sums(edges.rows(), 0.0);
  for (std::size_t i = 0; i < edges.rows(); ++i) {
    for (const double edge : edges.row(i)) sums[i] += edge;
  }
  return sums;
}

/// Eigenpairs of D^-1 K, descending: column j of `vectors` is y_j with sum_i d_i y_ij^2 = 1.
inline engine::reference::Eigen random_walk_reference(MatrixView<const double> edges) {
  const auto d = row_sums(edges);
  Matrix<double> s(edges);
  for (std::size_t i = 0; i < s.rows(); ++i) {
    for (std::size_t j = 0; j < s.cols(); ++j) s(i, j) /= std::sqrt(d[i]) * std::sqrt(d[j]);
  }
  auto eigen = engine::reference::symmetric_eigen(s);
  for (std::size_t i = 0; i < s.rows(); ++i) {
    for (std::size_t j = 0; j < s.cols(); ++j) eigen.vectors(i, j) /= std::sqrt(d[i]);
  }
  return eigen;
}

/// D - K.
inline Matrix<double> laplacian_reference(MatrixView<const double> edges) {
  const auto d = row_sums(edges);
  Matrix<double> l(edges.rows(), edges.cols());
  for (std::size_t i = 0; i < l.rows(); ++i) {
    for (std::size_t j = 0; j < l.cols(); ++j) l(i, j) = (i == j ? d[i] : 0) - edges(i, j);
  }
  return l;
}

inline Matrix<double> without_diagonal(Matrix<double> edges) {
  for (std::size_t i = 0; i < edges.rows(); ++i) edges(i, i) = 0;
  return edges;
}

/// Columns [first, first + count) of some rows.
inline Matrix<double> part(MatrixView<const double> a, std::span<const std::size_t> rows,
                           std::size_t first, std::size_t count) {
  Matrix<double> out(rows.size(), count);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < count; ++j) out(i, j) = a(rows[i], first + j);
  }
  return out;
}

/// Where the copies of each row begin after `repeat_rows`.
inline std::vector<std::size_t> first_copies(const std::vector<double>& weights) {
  std::vector<std::size_t> first;
  std::size_t at = 0;
  for (const double weight : weights) {
    first.push_back(at);
    at += static_cast<std::size_t>(weight);
  }
  return first;
}

/// Coordinates of the library from the coefficients of random-walk eigenmaps, w y / lambda.
inline Matrix<double> random_walk_nodes(const Model& model) {
  Matrix<double> y(model.coefficients());
  for (std::size_t i = 0; i < y.rows(); ++i) {
    for (std::size_t j = 0; j < y.cols(); ++j) {
      y(i, j) *= model.eigenvalues()[j] / model.degree_weights()[i];
    }
  }
  return y;
}

inline double largest_magnitude(MatrixView<const double> a) {
  double largest = 0;
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (const double value : a.row(i)) largest = std::max(largest, std::abs(value));
  }
  return largest;
}

}  // namespace mercer::testing
