#include "methods/centered_gram.h"

#include <algorithm>

#include <mercer/error.h>

#include "engine/feature_mean.h"
#include "engine/tall.h"
#include "engine/tile.h"

namespace mercer::methods {

CenteredGram::CenteredGram(engine::KernelOperator& gram, std::vector<double> root_weights,
                           bool center, engine::Workers& workers)
    : gram_(gram), workers_(workers), root_weights_(std::move(root_weights)) {
  const std::size_t n = gram.size();
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double weight = root_weight(i) * root_weight(i);
    total_weight_ += weight;
    uncentered_trace_ += weight * gram.diagonal()[i];
    largest = std::max(largest, weight * std::abs(gram.diagonal()[i]));
  }
  if (!std::isfinite(uncentered_trace_)) {
    throw NumericalError("kernel values overflowed: scale the data or the kernel's parameters");
  }
  total_variance_ = uncentered_trace_;
  if (largest > 0) scale_ = std::ldexp(1.0, std::ilogb(largest));
  row_means_.assign(n, 0.0);
  if (!center) return;
  null_vector_.resize(n);
  for (std::size_t i = 0; i < n; ++i) null_vector_[i] = root_weight(i) / std::sqrt(total_weight_);
  compute_means();
  total_variance_ -= total_weight_ * mean_norm2_;
}

void CenteredGram::compute_means() {
  std::vector<double> weights(root_weights_);
  for (double& weight : weights) weight *= weight;
  engine::FeatureMean mean = engine::feature_mean(gram_, weights, workers_);
  row_means_ = std::move(mean.products);
  mean_norm2_ = mean.norm2;
}

void CenteredGram::project_out_null_vector(MatrixView<double> v) {
  if (null_vector_.empty()) return;
  const MatrixView<const double> g(null_vector_.data(), size(), 1);
  engine::subtract_product(g, engine::transposed_product(g, v, workers_), v, workers_);
}

void CenteredGram::scale_rows(MatrixView<double> v, double factor) const {
  for (std::size_t i = 0; i < v.rows(); ++i) {
    const double row_factor = factor * root_weight(i);
    for (double& value : v.row(i)) value *= row_factor;
  }
}

void CenteredGram::apply(MatrixView<const double> v, MatrixView<double> y) {
  if (work_.rows() != v.rows() || work_.cols() != v.cols()) {
    work_ = Matrix<double>::uninitialized(v.rows(), v.cols());
  }
  for (std::size_t i = 0; i < v.rows(); ++i) std::ranges::copy(v.row(i), work_.row(i).begin());
  project_out_null_vector(work_);
  scale_rows(work_, 1);
  gram_.multiply(work_, y, workers_);
  scale_rows(y, 1 / scale_);
  project_out_null_vector(y);
}

Matrix<double> CenteredGram::dense() {
  Matrix<double> a = gram_.dense(workers_);
  for (std::size_t i = 0; i < size(); ++i) {
    for (std::size_t j = 0; j < size(); ++j) {
      const double centred = a(i, j) - row_means_[i] - row_means_[j] + mean_norm2_;
      a(i, j) = root_weight(i) * (centred / scale_) * root_weight(j);
    }
  }
  return a;
}

}  // namespace mercer::methods
