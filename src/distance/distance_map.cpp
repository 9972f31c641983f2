#include "distance/distance_map.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <mercer/error.h>

#include "distance/gram_powers.h"
#include "distance/leave_one_out.h"
#include "engine/blas.h"
#include "engine/dense_product.h"
#include "engine/tile.h"

namespace mercer::distance {

namespace {

/// Items whose kernel values are spread out at a time.
constexpr std::size_t kChunk = 64;

std::vector<double> item_origins(const TrainingSquares& training, const OriginFunction& origin) {
  std::vector<double> g(training.items());
  for (std::size_t i = 0; i < g.size(); ++i) g[i] = origin(training.to_landmarks(i));
  return g;
}

/// K_QS times the columns of `right` (s rows, padded), the kernel values made from squares on the
/// way.
Matrix<double> multiply_gram(const TrainingSquares& training, std::span<const double> g,
                             const Matrix<double>& right, engine::Workers& workers) {
  const std::size_t n = training.items();
  const std::size_t s = training.sample.size();
  Matrix<double> result(n, right.cols());
  workers.for_each((n + kChunk - 1) / kChunk, [&](std::size_t chunk) {
    const std::size_t first = chunk * kChunk;
    const std::size_t count = std::min(kChunk, n - first);
    auto kernel = Matrix<double>::uninitialized(count, s);
    for (std::size_t i = 0; i < count; ++i) {
      const auto squares = training.squares.row(first + i);
      for (std::size_t j = 0; j < s; ++j) {
        kernel(i, j) = g[first + i] + g[training.sample[j]] - squares[j] / 2;
      }
    }
    engine::multiply_add({.m = count,
                          .n = right.cols(),
                          .k = s,
                          .a = kernel.data(),
                          .a_row_stride = s,
                          .a_col_stride = 1,
                          .b = right.data(),
                          .b_stride = right.cols(),
                          .c = result.row(first).data(),
                          .c_stride = result.cols()});
  });
  return result;
}

/// Kernel values with landmarks to kernel values with items, as a map of squares:
/// d^2 = T d^2_R + 2 g(q) (1 - T 1) + 2 g_i - 2 T g_R, where g(q) is affine in d^2_R too.
void fold_origin(AffineMap& map, std::span<const double> g, std::span<const std::size_t> landmarks,
                 const OriginFunction& origin) {
  map.offset.resize(map.weights.rows());
  for (std::size_t i = 0; i < map.weights.rows(); ++i) {
    const auto t = map.weights.row(i);
    double sum = 0;
    double own = 0;
    for (std::size_t j = 0; j < t.size(); ++j) {
      sum += t[j];
      own += t[j] * g[landmarks[j]];
    }
    const double free = 2 * (1 - sum);
    map.offset[i] = 2 * g[i] - 2 * own + free * origin.offset;
    for (std::size_t j = 0; j < t.size(); ++j) t[j] += free * origin.weights[j];
  }
}

void set_exact_rows(AffineMap& map, std::span<const std::size_t> landmarks) {
  for (std::size_t j = 0; j < landmarks.size(); ++j) {
    std::ranges::fill(map.weights.row(landmarks[j]), 0.0);
    map.weights(landmarks[j], j) = 1;
    map.offset[landmarks[j]] = 0;
  }
}

}  // namespace

std::vector<double> TrainingSquares::to_landmarks(std::size_t item) const {
  std::vector<double> values;
  values.reserve(landmarks.size());
  for (const std::size_t column : landmarks) values.push_back(squares(item, column));
  return values;
}

std::vector<std::size_t> TrainingSquares::landmark_items() const {
  std::vector<std::size_t> items;
  for (const std::size_t column : landmarks) items.push_back(sample[column]);
  return items;
}

Matrix<double> TrainingSquares::among_landmarks() const {
  Matrix<double> among(landmarks.size(), landmarks.size());
  for (std::size_t i = 0; i < landmarks.size(); ++i) {
    std::ranges::copy(to_landmarks(sample[landmarks[i]]), among.row(i).begin());
  }
  return among;
}

AffineMap projection_map(const TrainingSquares& training, const OriginFunction& origin,
                         engine::Workers& workers) {
  const std::size_t n = training.items();
  const std::size_t s = training.sample.size();
  const std::size_t m = training.landmarks.size();
  const std::vector<double> g = item_origins(training, origin);
  const std::vector<std::size_t> landmarks = training.landmark_items();
  auto kernel = Matrix<double>::uninitialized(m, s);  // K_RS
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < s; ++j) {
      kernel(i, j) =
          g[landmarks[i]] + g[training.sample[j]] - training.squares(landmarks[i], j) / 2;
    }
  }
  const auto qr = engine::pivoted_qr(std::move(kernel), kIndependent);
  AffineMap map{.weights = Matrix<double>(n, m),
                .leverages = std::vector<double>(s, 0.0),
                .coefficient_gram = Matrix<double>(m, m),
                .rank = qr.rank};
  if (qr.rank > 0) {
    Matrix<double> right(s, engine::padded_columns(qr.rank));
    for (std::size_t j = 0; j < s; ++j) {
      for (std::size_t k = 0; k < qr.rank; ++k) {
        right(j, k) = qr.q(k, j);
        map.leverages[j] += qr.q(k, j) * qr.q(k, j);
      }
    }
    const Matrix<double> images = multiply_gram(training, g, right, workers);  // K_QS Q
    const auto lower = qr.lower.view().rows_from(0, qr.rank);
    Matrix<double> solved(qr.rank, n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < qr.rank; ++k) solved(k, i) = images(i, k);
    }
    engine::solve_lower_transposed(lower, solved);
    for (std::size_t k = 0; k < qr.rank; ++k) {
      for (std::size_t i = 0; i < n; ++i) map.weights(i, qr.order[k]) = solved(k, i);
    }
    // beta^ = Q R^-T P^T k_R, so M = P R^-1 (Q^T K Q) R^-T P^T.
    Matrix<double> inner(qr.rank, qr.rank);
    for (std::size_t j = 0; j < s; ++j) {
      for (std::size_t a = 0; a < qr.rank; ++a) {
        for (std::size_t b = 0; b < qr.rank; ++b) {
          inner(a, b) += right(j, a) * images(training.sample[j], b);
        }
      }
    }
    engine::solve_lower_transposed(lower, inner);
    for (std::size_t a = 0; a < qr.rank; ++a) {
      for (std::size_t b = 0; b < a; ++b) std::swap(inner(a, b), inner(b, a));
    }
    engine::solve_lower_transposed(lower, inner);
    for (std::size_t a = 0; a < qr.rank; ++a) {
      for (std::size_t b = 0; b < qr.rank; ++b) {
        map.coefficient_gram(qr.order[a], qr.order[b]) = (inner(a, b) + inner(b, a)) / 2;
      }
    }
  }
  fold_origin(map, g, landmarks, origin);
  set_exact_rows(map, landmarks);
  return map;
}

AffineMap own_map(const TrainingSquares& training, const OriginFunction& origin,
                  const Matrix<double>& t) {
  constexpr double kExact = 1e-8;
  const std::size_t m = training.landmarks.size();
  if (t.rows() != training.items() || t.cols() != m) {
    throw InvalidArgument(fmt::format("own_map is {} x {}: {} items and {} landmarks need {} x {}",
                                      t.rows(), t.cols(), training.items(), m, training.items(),
                                      m));
  }
  const std::vector<std::size_t> landmarks = training.landmark_items();
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < m; ++j) {
      if (std::abs(t(landmarks[i], j) - (i == j ? 1 : 0)) <= kExact) continue;
      throw InvalidArgument(fmt::format(
          "own_map at row {} (a landmark), column {} is {}: a valid map has the rows of the "
          "identity at the landmarks",
          landmarks[i] + 1, j + 1, t(landmarks[i], j)));
    }
  }
  AffineMap map{
      .weights = t, .leverages = std::vector<double>(training.sample.size(), 0.0), .rank = m};
  fold_origin(map, item_origins(training, origin), landmarks, origin);
  set_exact_rows(map, landmarks);
  return map;
}

AffineMap ridge_map(const TrainingSquares& training, engine::Workers& workers) {
  // Strengths as shares of the largest squared singular value of the centred squares.
  constexpr double kStrengths[] = {0, 1e-10, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1};
  const std::size_t n = training.items();
  const std::size_t s = training.sample.size();
  const std::size_t m = training.landmarks.size();
  const auto share = 1 / static_cast<double>(s);
  Matrix<double> x(s, m);
  std::vector<double> x_means(m, 0.0);
  for (std::size_t j = 0; j < s; ++j) {
    std::ranges::copy(training.to_landmarks(training.sample[j]), x.row(j).begin());
    for (std::size_t k = 0; k < m; ++k) x_means[k] += share * x(j, k);
  }
  for (std::size_t j = 0; j < s; ++j) {
    for (std::size_t k = 0; k < m; ++k) x(j, k) -= x_means[k];
  }
  const auto svd = engine::singular_values(x);
  const std::size_t rank = svd.values.size();
  std::vector<double> y_means(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (const double value : training.squares.row(i)) y_means[i] += share * value;
  }
  // Centring the targets changes nothing: the left vectors are centred.
  const Matrix<double> targets = engine::dense_product(training.squares, svd.left, workers);
  const double largest = svd.values.empty() ? 0 : svd.values.front() * svd.values.front();
  const std::vector<std::size_t> landmarks = training.landmark_items();

  const auto with_strength = [&](double strength) {
    AffineMap map{.weights = Matrix<double>(n, m),
                  .offset = std::vector<double>(n),
                  .leverages = std::vector<double>(s, share)};
    std::vector<double> factors(rank, 0.0);
    for (std::size_t k = 0; k < rank; ++k) {
      const double square = svd.values[k] * svd.values[k];
      if (!(square > kIndependent * kIndependent * largest)) continue;
      ++map.rank;
      factors[k] = svd.values[k] / (square + strength * largest);
      for (std::size_t j = 0; j < s; ++j) {
        map.leverages[j] += svd.left(j, k) * svd.left(j, k) * svd.values[k] * factors[k];
      }
    }
    Matrix<double> solve(rank, m);
    for (std::size_t k = 0; k < rank; ++k) {
      for (std::size_t c = 0; c < m; ++c) solve(k, c) = factors[k] * svd.right(k, c);
    }
    map.weights = engine::dense_product(targets, solve, workers);
    for (std::size_t i = 0; i < n; ++i) {
      map.offset[i] = y_means[i] - dot(map.weights.row(i), x_means);
    }
    set_exact_rows(map, landmarks);
    return map;
  };

  AffineMap best;
  double least = INFINITY;
  for (const double strength : kStrengths) {
    AffineMap map = with_strength(strength);
    const double error = leave_one_out(training, map, workers).mean_square;
    if (error < least || best.weights.empty()) {
      least = error;
      best = std::move(map);
    }
  }
  return best;
}

}  // namespace mercer::distance
