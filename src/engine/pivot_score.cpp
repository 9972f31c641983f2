#include "engine/pivot_score.h"

#include <cmath>

namespace mercer::engine {

double PivotScore::operator()(std::size_t row, double energy) const {
  if (criterion_ == PivotCriterion::gain) return energy / factor_.residuals()[row];
  const double norm = 1 + (norms_.empty() ? 0 : norms_[row]);
  return energy / (norm * norm);
}

void PivotScore::update() {
  if (criterion_ == PivotCriterion::gain) return;
  while (coefficients_.size() < factor_.rank()) add_column(coefficients_.size());
}

/// The new pivot p makes the unit vector v = (phi_p - sum_t c_pt phi_pivot(t)) / g_p, of which row
/// j has g_j: c_j grows by g_j times the coefficients of v.
void PivotScore::add_column(std::size_t column) {
  const auto g = factor_.factor();
  const std::size_t n = factor_.size();
  const std::size_t pivot = factor_.pivots()[column];
  const double root = g(pivot, column);
  std::vector<double> direction;
  for (const auto& before : coefficients_) direction.push_back(-before[pivot] / root);
  direction.push_back(1 / root);
  coefficients_.emplace_back(n, 0.0);
  norms_.assign(n, 0.0);
  for (std::size_t t = 0; t <= column; ++t) {
    auto& coefficients = coefficients_[t];
    for (std::size_t j = 0; j < n; ++j) {
      coefficients[j] += g(j, column) * direction[t];
      norms_[j] += std::abs(coefficients[j]);
    }
  }
}

}  // namespace mercer::engine
