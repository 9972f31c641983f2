#include "methods/control_variate.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "engine/kernel_matrix.h"
#include "engine/pivoted_cholesky.h"
#include "engine/random_pivots.h"

namespace mercer::methods {

namespace {

constexpr std::size_t kSampledColumns = 100;

/// Means of the rows off the diagonal, from some of the columns.
struct SampledMeans {
  std::vector<double> rows;
  double all = 0;
  std::uint64_t kernel_evaluations = 0;
};

SampledMeans sampled_means(const Kernel& kernel, MatrixView<const double> points,
                           const engine::RandomStream& stream, engine::Workers& workers) {
  const std::size_t n = points.rows();
  SampledMeans means{.rows = std::vector<double>(n, 0.0)};
  if (n < 2) return means;
  const auto columns = engine::sample_without_replacement(n, std::min(n, kSampledColumns), stream);
  auto sample = Matrix<double>::uninitialized(columns.size(), points.cols());
  for (std::size_t j = 0; j < columns.size(); ++j) {
    std::ranges::copy(points.row(columns[j]), sample.row(j).begin());
  }
  auto values = engine::kernel_matrix(kernel, points, sample, workers);
  means.kernel_evaluations = values.size();
  std::vector<double> counts(n, static_cast<double>(columns.size()));
  for (std::size_t j = 0; j < columns.size(); ++j) {
    values(columns[j], j) = 0;
    counts[columns[j]] -= 1;
  }
  double sum = 0;
  double count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double row = std::accumulate(values.row(i).begin(), values.row(i).end(), 0.0);
    means.rows[i] = row / counts[i];  // at least one column is another row's
    sum += row;
    count += counts[i];
  }
  means.all = sum / count;
  return means;
}

Control mean_control(const SampledMeans& means) {
  const std::size_t n = means.rows.size();
  Control control{.matrix = {.left = Matrix<double>(n, 1), .right = Matrix<double>(n, 1)},
                  .kernel_evaluations = means.kernel_evaluations};
  for (std::size_t i = 0; i < n; ++i) {
    control.matrix.left(i, 0) = means.all;
    control.matrix.right(i, 0) = 1;
  }
  return control;
}

/// (r_i - m/2) + (r_j - m/2).
Control row_column_control(const SampledMeans& means) {
  const std::size_t n = means.rows.size();
  Control control{.matrix = {.left = Matrix<double>(n, 2), .right = Matrix<double>(n, 2)},
                  .kernel_evaluations = means.kernel_evaluations};
  engine::LowRank& matrix = control.matrix;
  for (std::size_t i = 0; i < n; ++i) {
    matrix.left(i, 0) = matrix.right(i, 1) = means.rows[i] - means.all / 2;
    matrix.left(i, 1) = matrix.right(i, 0) = 1;
  }
  return control;
}

Control nystrom_control(std::size_t landmarks, const Kernel& kernel,
                        MatrixView<const double> points, const engine::RandomStream& stream,
                        engine::Workers& workers) {
  engine::PartialCholesky factor(kernel, points, landmarks, workers);
  engine::RandomPivots(factor, {}, stream).grow(landmarks);
  return {.matrix = {.left = Matrix<double>(factor.factor()), .right = {}},
          .kernel_evaluations = factor.kernel_evaluations()};
}

}  // namespace

Control make_control(ControlVariate kind, std::size_t landmarks, const Kernel& kernel,
                     MatrixView<const double> points, const engine::RandomStream& stream,
                     engine::Workers& workers) {
  switch (kind) {
    case ControlVariate::none:
      return {};
    case ControlVariate::mean:
      return mean_control(sampled_means(kernel, points, stream, workers));
    case ControlVariate::row_columns:
      return row_column_control(sampled_means(kernel, points, stream, workers));
    case ControlVariate::nystrom:
      return nystrom_control(std::min(landmarks, points.rows()), kernel, points, stream, workers);
  }
  return {};
}

std::size_t control_rank(ControlVariate kind, std::size_t landmarks, std::size_t n) {
  switch (kind) {
    case ControlVariate::none:
      return 0;
    case ControlVariate::mean:
      return 1;
    case ControlVariate::row_columns:
      return 2;
    case ControlVariate::nystrom:
      return std::min(landmarks, n);
  }
  return 0;
}

double control_bytes(ControlVariate kind, std::size_t landmarks, std::size_t n) {
  const double factors = kind == ControlVariate::nystrom ? 1 : 2;
  return factors * static_cast<double>(n) *
         static_cast<double>(control_rank(kind, landmarks, n) * sizeof(double));
}

double control_making_bytes(ControlVariate kind, std::size_t landmarks, std::size_t n,
                            std::size_t d) {
  if (kind == ControlVariate::none) return 0;
  const double packed = static_cast<double>(n) * static_cast<double>(d * sizeof(double));
  if (kind == ControlVariate::nystrom) {
    return packed + engine::PartialCholesky::bytes(n, std::min(landmarks, n));
  }
  return packed + static_cast<double>(n) *
                      static_cast<double>(std::min(n, kSampledColumns) * sizeof(double));
}

}  // namespace mercer::methods
