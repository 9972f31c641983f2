#include "methods/landmark_certificates.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/blas.h"
#include "engine/gram.h"
#include "engine/kernel_matrix.h"
#include "engine/random.h"
#include "engine/tall.h"
#include "methods/landmark_angle.h"

namespace mercer::methods {

namespace {

constexpr std::uint64_t kProbeStream = 0x70726f6265;
/// Up to here all pairs are affordable: about a second.
constexpr std::size_t kMostRowsForProducts = 30000;
/// Beyond, and from streams, so many rows stand for all.
constexpr std::size_t kMostSampledRows = 1000;

void add(Summary& summary, const char* name, double value, bool rigorous = false) {
  summary.bounds.push_back({.name = name, .value = value, .rigorous = rigorous});
}

Matrix<double> padded_copy(MatrixView<const double> a) {
  Matrix<double> padded(a.rows(), engine::padded_columns(a.cols()));
  for (std::size_t i = 0; i < a.rows(); ++i) std::ranges::copy(a.row(i), padded.row(i).begin());
  return padded;
}

/// All rows: where they are, or read once more.
class RowsInMemory {
 public:
  RowsInMemory(TrainingRows& data, engine::Workers& workers) {
    if (data.in_memory()) {
      points_ = *data.in_memory();
      weights_.assign(data.memory_weights().begin(), data.memory_weights().end());
      return;
    }
    read_ = Matrix<double>::uninitialized(*data.rows(), data.cols());
    data.for_each_chunk(
        4096,
        [&](const Chunk& chunk) {
          for (std::size_t i = 0; i < chunk.points.rows(); ++i) {
            std::ranges::copy(chunk.points.row(i), read_.row(chunk.first_row + i).begin());
          }
          weights_.insert(weights_.end(), chunk.weights.begin(), chunk.weights.end());
        },
        workers);
    points_ = read_;
  }

  MatrixView<const double> points() const { return points_; }
  std::span<const double> weights() const { return weights_; }

 private:
  Matrix<double> read_;
  MatrixView<const double> points_;
  std::vector<double> weights_;
};

/// R_w = W^1/2 (K - Z Z^T) W^1/2 by its products; optionally between projections that take the mean
/// off.
class ResidualOperator {
 public:
  ResidualOperator(const Kernel& kernel, const LandmarkSet& set, MatrixView<const double> points,
                   std::span<const double> weights, engine::Workers& workers)
      : gram_(engine::make_gram(kernel, points, {.stored = false}, workers)),
        coordinates_(padded_copy(landmark_coordinates(kernel, set, points, workers))),
        workers_(workers) {
    double total = 0;
    for (std::size_t i = 0; i < points.rows(); ++i) {
      roots_.push_back(weights.empty() ? 1 : std::sqrt(weights[i]));
      total += roots_[i] * roots_[i];
    }
    for (const double root : roots_) mean_direction_.push_back(root / std::sqrt(total));
  }

  std::size_t size() const { return roots_.size(); }
  double root_weight(std::size_t i) const { return roots_[i]; }
  /// Z, with columns of zeros at the end.
  MatrixView<const double> coordinates() const { return coordinates_; }
  std::span<const double> mean_direction() const { return mean_direction_; }
  std::uint64_t kernel_evaluations() const { return gram_->kernel_evaluations(); }

  Matrix<double> apply(Matrix<double> v) {
    scale(v);
    Matrix<double> y(v.rows(), v.cols());
    gram_->multiply(v, y, workers_);
    const auto projected = engine::transposed_product(coordinates_, v, workers_);
    engine::subtract_product(coordinates_, projected, y, workers_);
    scale(y);
    return y;
  }

  void center(MatrixView<double> v) const {
    for (std::size_t j = 0; j < v.cols(); ++j) {
      double sum = 0;
      for (std::size_t i = 0; i < size(); ++i) sum += mean_direction_[i] * v(i, j);
      for (std::size_t i = 0; i < size(); ++i) v(i, j) -= mean_direction_[i] * sum;
    }
  }

 private:
  void scale(MatrixView<double> v) const {
    for (std::size_t i = 0; i < size(); ++i) {
      for (double& x : v.row(i)) x *= roots_[i];
    }
  }

  std::unique_ptr<engine::GramOperator> gram_;
  Matrix<double> coordinates_;
  engine::Workers& workers_;
  std::vector<double> roots_;
  std::vector<double> mean_direction_;
};

double column_norm2(MatrixView<const double> y, std::size_t j) {
  double sum = 0;
  for (std::size_t i = 0; i < y.rows(); ++i) sum += y(i, j) * y(i, j);
  return sum;
}

/// Norms of R from its products with Gaussian vectors and with the direction of the mean.
void add_probe_norms(Summary& summary, ResidualOperator& residual, std::uint64_t seed) {
  constexpr std::size_t kProbes = 15;  // and one column for the mean
  const auto stream = engine::RandomStream(seed).substream(kProbeStream);
  Matrix<double> v(residual.size(), kProbes + 1);
  for (std::size_t i = 0; i < v.rows(); ++i) {
    for (std::size_t j = 0; j < kProbes; ++j) v(i, j) = stream.normal(i * kProbes + j);
    v(i, kProbes) = residual.mean_direction()[i];
  }
  const Matrix<double> y = residual.apply(std::move(v));
  double mean = 0;
  double largest = 0;
  std::vector<double> norms;
  for (std::size_t j = 0; j < kProbes; ++j) {
    norms.push_back(column_norm2(y, j));
    mean += norms.back() / kProbes;
    largest = std::max(largest, norms.back());
  }
  double variance = 0;
  for (const double norm : norms) variance += (norm - mean) * (norm - mean) / (kProbes - 1);
  add(summary, "residual_frobenius_norm", std::sqrt(mean));
  add(summary, "residual_frobenius_norm_upper_95",
      std::sqrt(mean + 1.96 * std::sqrt(variance / kProbes)));
  // |R| <= 2 sqrt(2/pi) max |R omega_i| but with probability 2^-15.
  add(summary, "residual_spectral_norm_upper_9999", 2 * std::sqrt(2 / std::numbers::pi * largest));
  double gap = 0;
  for (std::size_t i = 0; i < y.rows(); ++i) gap += residual.mean_direction()[i] * y(i, kProbes);
  add(summary, "centred_residual_mean", std::max(gap, 0.0), /*rigorous=*/true);
}

/// By products of R with the top components over all rows.
double first_order_sine_of(ResidualOperator& residual, const LandmarkSpectrum& spectrum,
                           bool center, std::size_t count, std::uint64_t seed,
                           engine::Workers& workers) {
  const std::size_t m = spectrum.size();
  const auto pairs = spectrum.eigenpairs(m, m, seed, workers);
  std::size_t rank = 0;
  while (rank < m && pairs.values[rank] > 1e-12 * pairs.values[0]) ++rank;
  count = std::min(count, rank);
  // All unit eigenvectors over the rows, U = W^1/2 (Z - mean) V Lambda^-1/2.
  const auto z = residual.coordinates();
  Matrix<double> u(residual.size(), engine::padded_columns(m));
  for (std::size_t i = 0; i < u.rows(); ++i) {
    for (std::size_t j = 0; j < m; ++j) {
      u(i, j) = residual.root_weight(i) * (z(i, j) - (center ? spectrum.mean()[j] : 0));
    }
  }
  Matrix<double> rotation(u.cols(), engine::padded_columns(rank));
  for (std::size_t j = 0; j < m; ++j) {
    for (std::size_t c = 0; c < rank; ++c) {
      rotation(j, c) = pairs.vectors(c, j) / std::sqrt(pairs.values[c]);
    }
  }
  engine::multiply_from_right(u, rotation, workers);
  Matrix<double> top(u.rows(), engine::padded_columns(count));
  for (std::size_t i = 0; i < u.rows(); ++i) {
    std::copy_n(u.row(i).begin(), count, top.row(i).begin());
  }
  Matrix<double> y = residual.apply(std::move(top));
  if (center) residual.center(y);
  const auto inside = engine::transposed_product(u.view().cols_from(0, rank), y, workers);
  const auto all = engine::transposed_product(y, y, workers);
  return first_order_sine(pairs.values, inside, all.view().rows_from(0, count));
}

/// Norms of R from all pairs of s rows drawn uniformly from n.
std::uint64_t add_pair_norms(Summary& summary, const Kernel& kernel, const LandmarkSet& set,
                             const RowSample& sample, std::size_t n, double total_weight,
                             engine::Workers& workers) {
  const MatrixView<const double> points = sample.points;
  const std::size_t s = points.rows();
  auto r = engine::kernel_matrix(kernel, points, points, workers);
  const auto z = landmark_coordinates(kernel, set, points, workers);
  const auto diagonal = landmark_residuals(kernel, set, points, workers);
  workers.for_each(s, [&](std::size_t i) {
    for (std::size_t j = 0; j < s; ++j) {
      for (std::size_t l = 0; l < z.cols(); ++l) r(i, j) -= z(i, l) * z(j, l);
    }
  });
  const auto weight = [&](std::size_t i) {
    return sample.weights.empty() ? 1.0 : sample.weights[i];
  };
  for (std::size_t i = 0; i < s; ++i) {
    r(i, i) = diagonal[i];
    for (std::size_t j = 0; j < s; ++j) r(i, j) *= std::sqrt(weight(i) * weight(j));
  }
  const auto rows = static_cast<double>(n);
  const auto drawn = static_cast<double>(s);
  std::vector<double> row_squares(s, 0.0);
  double diagonal_squares = 0;
  double mean_sum = 0;
  double mean_diagonal = 0;
  for (std::size_t i = 0; i < s; ++i) {
    for (std::size_t j = 0; j < s; ++j) {
      const double root = std::sqrt(weight(i) * weight(j));
      if (i == j) {
        diagonal_squares += r(i, i) * r(i, i);
        mean_diagonal += root * r(i, i);
      } else {
        row_squares[i] += r(i, j) * r(i, j) / (drawn - 1);
        mean_sum += root * r(i, j);
      }
    }
  }
  double mean = 0;
  for (const double square : row_squares) mean += square / drawn;
  double variance = 0;
  for (const double square : row_squares) {
    variance += (square - mean) * (square - mean) / (drawn - 1);
  }
  const double frobenius2 = rows / drawn * diagonal_squares + rows * (rows - 1) * mean;
  const double deviation = rows * (rows - 1) * 2 * std::sqrt(variance / drawn * (1 - drawn / rows));
  const double gap =
      (rows / drawn * mean_diagonal + rows * (rows - 1) / (drawn * (drawn - 1)) * mean_sum) /
      total_weight;
  const bool all_rows = s == n;
  add(summary, "residual_frobenius_norm", std::sqrt(frobenius2), all_rows);
  add(summary, "residual_frobenius_norm_upper_95", std::sqrt(frobenius2 + 1.96 * deviation),
      all_rows);
  add(summary, "residual_spectral_norm", rows / drawn * engine::symmetric_eigenvalues(r).front(),
      all_rows);
  add(summary, "centred_residual_mean", std::max(gap, 0.0), all_rows);
  return static_cast<std::uint64_t>(s) * (s + 2 * set.size());
}

}  // namespace

std::uint64_t add_certificates(Summary& summary, const Kernel& kernel, const LandmarkSet& set,
                               const LandmarkSpectrum& spectrum, std::size_t components,
                               bool center, TrainingRows& data, const RowSample& sample,
                               double memory_limit_bytes, std::uint64_t seed,
                               engine::Workers& workers) {
  const std::size_t n = *data.rows();
  const double bytes =
      static_cast<double>(n) * static_cast<double>(data.cols() + set.size()) * sizeof(double);
  if (n > kMostSampledRows && n <= kMostRowsForProducts && bytes <= memory_limit_bytes / 4) {
    const RowsInMemory rows(data, workers);
    ResidualOperator residual(kernel, set, rows.points(), rows.weights(), workers);
    add_probe_norms(summary, residual, seed);
    summary.subspace_error_estimate =
        first_order_sine_of(residual, spectrum, center, components, seed, workers);
    return residual.kernel_evaluations() + static_cast<std::uint64_t>(n) * set.size();
  }
  const RowSample rows = spread_rows(sample, kMostSampledRows);
  if (rows.points.rows() < 2) return 0;
  std::uint64_t evaluations =
      add_pair_norms(summary, kernel, set, rows, n, spectrum.weight(), workers);
  summary.subspace_error_estimate = sampled_first_order_sine(
      kernel, set, spectrum, center, components, rows, data, seed, evaluations, workers);
  return evaluations;
}

}  // namespace mercer::methods
