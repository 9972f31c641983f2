#include "engine/representing_pivots.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/dense_product.h"
#include "engine/tall.h"
#include "engine/tile.h"

namespace mercer::engine {

namespace {

/// Pivots between two updates of the matrices: enough to make these products, few enough for the
/// columns since the last one to stay in cache.
constexpr std::size_t kPanel = 32;

class RepresentingPivots {
 public:
  RepresentingPivots(MatrixView<const double> kernel_values, MatrixView<const double> vectors,
                     std::size_t count, Workers& workers)
      : vectors_(vectors),
        count_(count),
        workers_(workers),
        n_(kernel_values.rows()),
        left_(n_, padded_columns(n_)),
        products_(n_, padded_columns(n_)),
        residuals_(n_),
        result_{.factor = Matrix<double>(n_, count), .pivots = {}},
        g_(n_, kPanel),
        a_(n_, kPanel) {
    for (std::size_t i = 0; i < n_; ++i) {
      std::ranges::copy(kernel_values.row(i), left_.row(i).begin());
      residuals_[i] = left_(i, i);
    }
    constexpr double kPivotTolerance = 1e-10;
    negligible_ = kPivotTolerance * std::ranges::max(residuals_);
    compute_products();
  }

  RepresentingFactor run() {
    while (result_.pivots.size() < count_) {
      auto best = best_point();
      if (worn() || !best) {
        if (fresh_) break;
        update_matrices();
        compute_products();
        best = best_point();
        if (!best) break;
      }
      take(*best);
      if (panel_ == kPanel) update_matrices();
    }
    result_.factor = Matrix<double>(result_.factor.view().cols_from(0, result_.pivots.size()));
    return std::move(result_);
  }

 private:
  /// P = M M^T with M = R A, and its diagonal.
  void compute_products() {
    const auto images = dense_product(left_.view().cols_from(0, n_), vectors_, workers_);
    const auto products = outer_product(images, workers_);
    energies_.resize(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      std::ranges::copy(products.row(i), products_.row(i).begin());
      energies_[i] = products_(i, i);
    }
    energies_then_ = energies_;
    fresh_ = true;
  }

  static double sum(const std::vector<double>& values) {
    double total = 0;
    for (const double value : values) total += value;
    return total;
  }

  bool worn() const {
    constexpr double kWorn = 1e-4;
    return !fresh_ && sum(energies_) < kWorn * sum(energies_then_);
  }

  /// Energies that have lost all their digits would choose tiny residuals, which spoil the factor.
  std::optional<std::size_t> best_point() const {
    constexpr double kNoise = 1e-13;
    std::optional<std::size_t> best;
    double best_score = 0;
    for (std::size_t j = 0; j < n_; ++j) {
      if (residuals_[j] <= negligible_ || energies_[j] <= kNoise * energies_then_[j]) continue;
      const double score = energies_[j] / residuals_[j];
      if (!best || score > best_score) {
        best = j;
        best_score = score;
      }
    }
    return best;
  }

  void take(std::size_t j) {
    const double root = std::sqrt(residuals_[j]);
    const double half = energies_[j] / (2 * residuals_[j]);
    const std::vector<double> g_row(g_.row(j).begin(), g_.row(j).end());
    const std::vector<double> a_row(a_.row(j).begin(), a_.row(j).end());
    const std::size_t column = result_.pivots.size();
    for (std::size_t i = 0; i < n_; ++i) {
      // Rows of the symmetric matrices stand for columns.
      double g = left_(j, i);
      double p = products_(j, i);
      for (std::size_t q = 0; q < panel_; ++q) {
        g -= g_(i, q) * g_row[q];
        p -= g_(i, q) * a_row[q] + a_(i, q) * g_row[q];
      }
      g_(i, panel_) = g / root;
      a_(i, panel_) = p / root;
    }
    for (const std::size_t pivot : result_.pivots) g_(pivot, panel_) = 0;
    g_(j, panel_) = root;
    for (std::size_t i = 0; i < n_; ++i) {
      const double g = g_(i, panel_);
      a_(i, panel_) -= half * g;
      residuals_[i] = std::max(residuals_[i] - g * g, 0.0);
      energies_[i] = std::max(energies_[i] - 2 * g * a_(i, panel_), 0.0);
      result_.factor(i, column) = g;
    }
    residuals_[j] = 0;
    result_.pivots.push_back(j);
    ++panel_;
    fresh_ = false;
  }

  /// The pivots since the last time are taken off both matrices.
  void update_matrices() {
    if (panel_ == 0) return;
    workers_.check_cancelled();
    Matrix<double> both(n_, 2 * kPanel);                    // [g a]
    Matrix<double> turned(2 * kPanel, padded_columns(n_));  // [a g]^T
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t q = 0; q < panel_; ++q) {
        both(i, q) = turned(kPanel + q, i) = g_(i, q);
        both(i, kPanel + q) = turned(q, i) = a_(i, q);
      }
    }
    subtract_product(both.view().cols_from(0, kPanel), turned.view().rows_from(kPanel, kPanel),
                     left_, workers_);
    subtract_product(both, turned, products_, workers_);
    panel_ = 0;
  }

  MatrixView<const double> vectors_;
  std::size_t count_;
  Workers& workers_;
  std::size_t n_;
  Matrix<double> left_;      // R as of the last update, padded with zeros
  Matrix<double> products_;  // P as of then
  std::vector<double> residuals_;
  std::vector<double> energies_;       // diagonal of P, up to date
  std::vector<double> energies_then_;  // when P was computed last
  double negligible_ = 0;
  RepresentingFactor result_;
  Matrix<double> g_;  // columns since the last update
  Matrix<double> a_;
  std::size_t panel_ = 0;  // how many
  bool fresh_ = true;      // no pivot since P was computed
};

}  // namespace

Matrix<double> RepresentingFactor::pivot_factor() const {
  Matrix<double> lower(pivots.size(), pivots.size());
  for (std::size_t i = 0; i < pivots.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) lower(i, j) = factor(pivots[i], j);
  }
  return lower;
}

RepresentingFactor representing_pivots(MatrixView<const double> kernel_values,
                                       MatrixView<const double> vectors, std::size_t count,
                                       Workers& workers) {
  return RepresentingPivots(kernel_values, vectors, std::min(count, kernel_values.rows()), workers)
      .run();
}

}  // namespace mercer::engine
