#pragma once

#include <cmath>
#include <span>
#include <vector>

#include <mercer/matrix.h>

#include "engine/gram.h"
#include "engine/parallel.h"
#include "methods/deflated_operator.h"

namespace mercer::methods {

/// The matrix of kernel PCA, (I - g g^T) W^1/2 K W^1/2 (I - g g^T) / scale with g_i = sqrt(w_i /
/// N), through products with K alone (Schoelkopf et al. 1998, appendix A; with weights, integer
/// ones equal repetition). Without centring the two projections are left out. `scale` is a power of
/// two near the largest diagonal entry: squares of products with it stay in range.
class CenteredGram final : public DeflatedOperator {
 public:
  /// `root_weights` are sqrt(w); empty means 1.
  CenteredGram(engine::KernelOperator& gram, std::vector<double> root_weights, bool center,
               engine::Workers& workers);

  std::size_t size() const override { return gram_.size(); }
  void apply(MatrixView<const double> v, MatrixView<double> y) override;

  double scale() const { return scale_; }
  double total_weight() const { return total_weight_; }
  double root_weight(std::size_t i) const { return root_weights_.empty() ? 1.0 : root_weights_[i]; }
  /// g, or nothing when not centred.
  std::span<const double> null_vector() const override { return null_vector_; }
  /// Weighted mean of every row of K, (K w)_i / N; zeros when not centred.
  std::span<const double> row_means() const { return row_means_; }
  /// Squared norm of the feature mean, w^T K w / N^2; 0 when not centred.
  double mean_norm2() const { return mean_norm2_; }
  /// Trace of the unscaled matrix, and of W^1/2 K W^1/2 before centring.
  double total_variance() const { return total_variance_; }
  double uncentered_trace() const { return uncentered_trace_; }
  /// The whole matrix, for dense solvers.
  Matrix<double> dense() override;

 private:
  void compute_means();
  void project_out_null_vector(MatrixView<double> v);
  void scale_rows(MatrixView<double> v, double factor) const;

  engine::KernelOperator& gram_;
  engine::Workers& workers_;
  std::vector<double> root_weights_;
  double total_weight_ = 0;
  double scale_ = 1;
  std::vector<double> null_vector_;
  std::vector<double> row_means_;
  double mean_norm2_ = 0;
  double total_variance_ = 0;
  double uncentered_trace_ = 0;
  Matrix<double> work_;
};

}  // namespace mercer::methods
