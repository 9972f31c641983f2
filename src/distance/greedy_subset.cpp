#include "distance/greedy_subset.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/dense_product.h"

namespace mercer::distance {

namespace {

/// Candidates whose residual is smaller than this share of their column depend on the landmarks.
constexpr double kNegligible = 1e-10;
/// How far the gain by recurrences may be from the exact one.
constexpr double kAgreement = 1e-3;

void subtract(std::span<double> x, double factor, std::span<const double> y) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] -= factor * y[i];
}

}  // namespace

GreedySubset::GreedySubset(MatrixView<const double> gram, std::span<const std::size_t> candidates,
                           SubsetObjective objective, std::size_t capacity,
                           engine::Workers& workers)
    : gram_(gram),
      objective_(objective),
      workers_(workers),
      powers_(power_diagonals(gram, workers)),
      open_(gram.rows(), 0),
      g_(powers_.second),
      h_(objective == SubsetObjective::trace ? powers_.third : powers_.fourth),
      basis_(std::min(capacity, gram.rows()), gram.rows()) {
  for (const std::size_t row : candidates) open_[row] = 1;
}

bool GreedySubset::propose(Proposal& best) const {
  bool found = false;
  for (std::size_t j = 0; j < g_.size(); ++j) {
    if (open_[j] == 0 || !(g_[j] > kNegligible * powers_.second[j])) continue;
    const double score = h_[j] / g_[j];
    if (found && !(score > best.score)) continue;
    best = {.row = j, .score = score};
    found = true;
  }
  return found;
}

/// Twice is enough (Kahan, Parlett).
void GreedySubset::orthogonalise(std::span<double> x) const {
  for (int pass = 0; pass < 2; ++pass) {
    for (std::size_t s = 0; s < rows_.size(); ++s) {
      subtract(x, dot(basis_.row(s), x), basis_.row(s));
    }
  }
}

bool GreedySubset::try_step(std::size_t row, Step& step) {
  step.u.assign(gram_.row(row).begin(), gram_.row(row).end());
  orthogonalise(step.u);
  const double norm = std::sqrt(dot(step.u, step.u));
  if (!(norm > std::sqrt(kNegligible * powers_.second[row]))) return false;
  for (double& value : step.u) value /= norm;
  step.v = multiply(gram_, step.u, workers_);
  step.w = objective_ == SubsetObjective::trace ? step.v : multiply(gram_, step.v, workers_);
  step.gain = dot(step.u, step.w);
  return true;
}

void GreedySubset::accept(std::size_t row, Step step) {
  orthogonalise(step.w);  // N w with the basis before this row
  const std::vector<double> z = multiply(gram_, step.w, workers_);
  for (std::size_t j = 0; j < g_.size(); ++j) {
    g_[j] -= step.v[j] * step.v[j];
    h_[j] += (step.gain * step.v[j] - 2 * z[j]) * step.v[j];
  }
  std::ranges::copy(step.u, basis_.row(rows_.size()).begin());
  open_[row] = 0;
  rows_.push_back(row);
  gains_.push_back(step.gain);
}

bool GreedySubset::grow() {
  if (rows_.size() == basis_.rows()) return false;
  Proposal best;
  Step step;
  bool fresh = rows_.empty();
  while (propose(best)) {
    const bool independent = try_step(best.row, step);
    const bool agrees =
        independent && std::abs(step.gain - best.score) <= kAgreement * std::abs(step.gain);
    if (agrees || (fresh && independent)) {
      accept(best.row, std::move(step));
      return true;
    }
    if (fresh) {
      open_[best.row] = 0;  // nothing but rounding is left of it
    } else {
      refresh();
      fresh = true;
    }
  }
  return false;
}

void GreedySubset::refresh() {
  constexpr std::size_t kStripRows = 512;
  ++refreshes_;
  const std::size_t n = gram_.rows();
  const auto basis = std::as_const(basis_).view().rows_from(0, rows_.size());
  Matrix<double> transposed(n, rows_.size());
  for (std::size_t s = 0; s < rows_.size(); ++s) {
    for (std::size_t i = 0; i < n; ++i) transposed(i, s) = basis(s, i);
  }
  const engine::RightFactor right(gram_, workers_);
  for (std::size_t first = 0; first < n; first += kStripRows) {
    Matrix<double> residuals(gram_.rows_from(first, std::min(kStripRows, n - first)));
    for (int pass = 0; pass < 2 && !rows_.empty(); ++pass) {
      const auto shares = engine::dense_product(residuals, transposed, workers_);
      const auto explained = engine::dense_product(shares, basis, workers_);
      for (std::size_t i = 0; i < residuals.size(); ++i) {
        residuals.data()[i] -= explained.data()[i];
      }
    }
    const auto images = right.multiply(residuals, workers_);
    for (std::size_t i = 0; i < residuals.rows(); ++i) {
      g_[first + i] = dot(residuals.row(i), residuals.row(i));
      h_[first + i] = objective_ == SubsetObjective::trace ? dot(residuals.row(i), images.row(i))
                                                           : dot(images.row(i), images.row(i));
    }
  }
}

}  // namespace mercer::distance
