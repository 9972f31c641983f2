#include "engine/target_pivots.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace mercer::engine {

TargetPivots::TargetPivots(PartialCholesky& factor, Matrix<double> images, Workers& workers)
    : factor_(factor),
      workers_(workers),
      remainder_(std::move(images)),
      energies_(remainder_.rows()) {
  update({});
}

void TargetPivots::update(const std::vector<double>& w) {
  constexpr std::size_t kRows = 256;
  const auto g = factor_.factor();
  const std::size_t n = remainder_.rows();
  workers_.for_each((n + kRows - 1) / kRows, [&](std::size_t chunk) {
    for (std::size_t i = chunk * kRows; i < std::min(n, (chunk + 1) * kRows); ++i) {
      const auto row = remainder_.row(i);
      double sum = 0;
      for (std::size_t j = 0; j < row.size(); ++j) {
        if (!w.empty()) row[j] -= g(i, g.cols() - 1) * w[j];
        sum += row[j] * row[j];
      }
      energies_[i] = sum;
    }
  });
}

bool TargetPivots::grow() {
  std::optional<std::size_t> best;
  double best_score = 0;
  for (std::size_t j = 0; j < energies_.size(); ++j) {
    const double residual = factor_.residuals()[j];
    if (residual <= factor_.negligible()) continue;
    const double score = energies_[j] / residual;
    if (!best || score > best_score) {
      best = j;
      best_score = score;
    }
  }
  if (!best) return false;
  const double root = std::sqrt(factor_.residuals()[*best]);
  std::vector<double> w(remainder_.row(*best).begin(), remainder_.row(*best).end());
  for (double& value : w) value /= root;
  if (factor_.append(std::span(&*best, 1), 1).empty()) return false;
  update(w);
  return true;
}

}  // namespace mercer::engine
