#include "methods/kronecker_order.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

namespace mercer::methods {

namespace {

using Rows = std::span<std::size_t>;

/// Some rows about their mean, divided by the largest entry: products of two stay in range.
class CentredRows {
 public:
  CentredRows(MatrixView<const double> points, Rows rows)
      : points_(points), rows_(rows), mean_(points.cols(), 0.0) {
    const double share = 1 / static_cast<double>(rows.size());
    for (const std::size_t row : rows) {
      for (std::size_t j = 0; j < cols(); ++j) mean_[j] += share * points(row, j);
    }
    for (const std::size_t row : rows) {
      for (std::size_t j = 0; j < cols(); ++j) {
        const double distance = std::abs(points(row, j) - mean_[j]);
        if (distance <= scale_) continue;
        scale_ = distance;
        farthest_ = row;
      }
    }
  }

  Rows rows() const { return rows_; }
  std::size_t cols() const { return mean_.size(); }
  bool all_equal() const { return scale_ == 0; }
  /// The row with the entry farthest from the mean (the first on ties).
  std::size_t farthest() const { return farthest_; }

  double operator()(std::size_t row, std::size_t j) const {
    return (points_(row, j) - mean_[j]) / scale_;
  }

  double projection(std::size_t row, const std::vector<double>& axis) const {
    double sum = 0;
    for (std::size_t j = 0; j < cols(); ++j) sum += (*this)(row, j) * axis[j];
    return sum;
  }

 private:
  MatrixView<const double> points_;
  Rows rows_;
  std::vector<double> mean_;
  double scale_ = 0;
  std::size_t farthest_ = 0;
};

void normalize(std::vector<double>& v) {
  double sum = 0;
  for (const double value : v) sum += value * value;
  for (double& value : v) value /= std::sqrt(sum);
}

/// The first principal axis of rows that are not all equal by power iteration, its largest entry
/// positive so that neighbouring groups run the same way. It starts at a row, in whose direction
/// there surely is variance. Where the first two variances are so close that it has not converged,
/// any mixture of their axes orders as well.
std::vector<double> first_axis(const CentredRows& x, engine::Workers& workers) {
  constexpr std::size_t kMostSteps = 100;
  constexpr double kTolerance = 1e-8;
  std::vector<double> axis(x.cols());
  for (std::size_t j = 0; j < x.cols(); ++j) axis[j] = x(x.farthest(), j);
  normalize(axis);
  double change = 1;
  for (std::size_t step = 0; step < kMostSteps && change > kTolerance; ++step) {
    workers.poll();
    std::vector<double> next(x.cols(), 0.0);
    for (const std::size_t row : x.rows()) {
      const double z = x.projection(row, axis);
      for (std::size_t j = 0; j < x.cols(); ++j) next[j] += z * x(row, j);
    }
    normalize(next);
    change = 0;
    for (std::size_t j = 0; j < x.cols(); ++j) {
      change = std::max(change, std::abs(next[j] - axis[j]));
    }
    axis = std::move(next);
  }
  const auto largest =
      std::ranges::max_element(axis, [](double a, double b) { return std::abs(a) < std::abs(b); });
  if (*largest < 0) {
    for (double& value : axis) value = -value;
  }
  return axis;
}

void sort_along_axis(MatrixView<const double> points, Rows rows, engine::Workers& workers) {
  const CentredRows x(points, rows);
  if (x.all_equal()) return;
  const auto axis = first_axis(x, workers);
  std::vector<std::pair<double, std::size_t>> keyed;
  keyed.reserve(rows.size());
  for (const std::size_t row : rows) keyed.emplace_back(x.projection(row, axis), row);
  std::ranges::sort(keyed);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = keyed[i].second;
}

/// Halves, each sorted along its own axis and halved in turn, one level after the other. Cuts are
/// between groups while there are several of them.
void bisect(MatrixView<const double> points, std::vector<std::size_t>& order,
            std::size_t group_size, engine::Workers& workers) {
  std::vector<Rows> level{order};
  while (!level.empty()) {
    workers.for_each(level.size(),
                     [&](std::size_t i) { sort_along_axis(points, level[i], workers); });
    std::vector<Rows> halves;
    for (const Rows rows : level) {
      const std::size_t unit = rows.size() > group_size ? group_size : 1;
      const std::size_t middle = rows.size() / unit / 2 * unit;
      for (const Rows half : {rows.first(middle), rows.subspan(middle)}) {
        if (half.size() > 2) halves.push_back(half);
      }
    }
    level = std::move(halves);
  }
}

}  // namespace

const char* order_name(KroneckerOrder order) {
  switch (order) {
    case KroneckerOrder::bisection:
      return "bisection";
    case KroneckerOrder::principal:
      return "principal";
    case KroneckerOrder::file:
      return "file";
    case KroneckerOrder::random:
      return "random";
  }
  return "";
}

std::vector<std::size_t> kronecker_order(MatrixView<const double> points, KroneckerOrder order,
                                         std::size_t group_size, const engine::RandomStream& stream,
                                         engine::Workers& workers) {
  const std::size_t n = points.rows();
  if (order == KroneckerOrder::random) return engine::sample_without_replacement(n, n, stream);
  std::vector<std::size_t> rows(n);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  if (order == KroneckerOrder::principal) sort_along_axis(points, rows, workers);
  if (order == KroneckerOrder::bisection) bisect(points, rows, group_size, workers);
  return rows;
}

}  // namespace mercer::methods
