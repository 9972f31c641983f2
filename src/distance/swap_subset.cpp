#include "distance/swap_subset.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "engine/blas.h"
#include "engine/dense_product.h"
#include "engine/tall.h"

namespace mercer::distance {

namespace {

constexpr double kNegligible = 1e-10;
constexpr double kLeastGain = 1e-12;

struct Swap {
  double value = 0;     ///< Tr(P K) after it
  std::size_t out = 0;  ///< position among the landmarks
  std::size_t in = 0;   ///< item
  bool found = false;
};

/// A set of landmarks and what their swaps need: with an orthonormal basis U of their columns,
/// V = K U, Z = K V, C = U^T V, and G, H as in GreedySubset.
class SwapSearch {
 public:
  SwapSearch(MatrixView<const double> gram, const PowerDiagonals& powers,
             std::vector<std::size_t> rows, engine::Workers& workers)
      : rows_(std::move(rows)), powers_(powers), workers_(workers) {
    auto qr = engine::pivoted_qr(engine::pick_rows(gram, rows_), kIndependent);
    order_ = std::move(qr.order);
    rank_ = qr.rank;
    directions(qr.lower);
    if (rank_ == 0) return;
    Matrix<double> basis(gram.rows(), rank_);
    for (std::size_t i = 0; i < gram.rows(); ++i) {
      for (std::size_t s = 0; s < rank_; ++s) basis(i, s) = qr.q(s, i);
    }
    v_ = engine::dense_product(gram, basis, workers);
    z_ = engine::dense_product(gram, v_, workers);
    c_ = engine::dense_product(qr.q, v_, workers);
    for (std::size_t s = 0; s < rank_; ++s) captured_ += c_(s, s);
    residuals();
  }

  const std::vector<std::size_t>& rows() const { return rows_; }
  double captured() const { return captured_; }

  Swap best(std::span<const std::size_t> candidates) {
    std::vector<Swap> of_position(rows_.size());
    workers_.for_each(rows_.size(), [&](std::size_t position) {
      of_position[order_[position]] = best_for(position, candidates);
    });
    Swap best;
    for (const Swap& swap : of_position) {
      if (swap.found && (!best.found || swap.value > best.value)) best = swap;
    }
    return best;
  }

 private:
  /// Row j: the direction of the basis that only landmark order_[j] has, column j of R^-T at unit
  /// length.
  void directions(const Matrix<double>& lower) {
    directions_ = Matrix<double>(rank_, rank_);
    if (rank_ == 0) return;
    Matrix<double> inverse(rank_, rank_);
    for (std::size_t j = 0; j < rank_; ++j) inverse(j, j) = 1;
    engine::solve_lower(lower.view().rows_from(0, rank_), inverse);
    for (std::size_t j = 0; j < rank_; ++j) {
      for (std::size_t s = 0; s < rank_; ++s) directions_(j, s) = inverse(s, j);
      const double norm = std::sqrt(dot(directions_.row(j), directions_.row(j)));
      for (double& value : directions_.row(j)) value /= norm;
    }
  }

  void residuals() {
    g_ = powers_.second;
    h_ = powers_.third;
    const Matrix<double> vc = engine::dense_product(v_, c_, workers_);
    for (std::size_t j = 0; j < g_.size(); ++j) {
      g_[j] -= dot(v_.row(j), v_.row(j));
      h_[j] += dot(vc.row(j), v_.row(j)) - 2 * dot(v_.row(j), z_.row(j));
    }
  }

  Swap best_for(std::size_t position, std::span<const std::size_t> candidates) const {
    // A landmark that depends on the others takes nothing with it.
    const bool has_direction = position < rank_;
    std::vector<double> cq(rank_, 0.0);
    double loss = 0;
    if (has_direction) {
      for (std::size_t s = 0; s < rank_; ++s) cq[s] = dot(c_.row(s), directions_.row(position));
      loss = dot(cq, directions_.row(position));
    }
    Swap best;
    for (const std::size_t j : candidates) {
      if (std::ranges::find(rows_, j) != rows_.end()) continue;
      double g = g_.empty() ? powers_.second[j] : g_[j];
      double h = h_.empty() ? powers_.third[j] : h_[j];
      if (has_direction) {
        const auto q = directions_.row(position);
        const double v = dot(v_.row(j), q);
        const double z = dot(z_.row(j), q) - dot(v_.row(j), cq);
        g += v * v;
        h += 2 * z * v + loss * v * v;
      }
      if (!(g > kNegligible * powers_.second[j])) continue;
      const double value = captured_ - loss + h / g;
      if (best.found && !(value > best.value)) continue;
      best = {.value = value, .out = order_[position], .in = j, .found = true};
    }
    return best;
  }

  std::vector<std::size_t> rows_;
  const PowerDiagonals& powers_;
  engine::Workers& workers_;
  std::vector<std::size_t> order_;
  std::size_t rank_ = 0;
  Matrix<double> directions_;
  Matrix<double> v_;
  Matrix<double> z_;
  Matrix<double> c_;
  double captured_ = 0;
  std::vector<double> g_;
  std::vector<double> h_;
};

}  // namespace

SwappedSubset swap_subset(MatrixView<const double> gram, const PowerDiagonals& powers,
                          std::span<const std::size_t> candidates, std::vector<std::size_t> rows,
                          engine::Workers& workers) {
  SwappedSubset result;
  std::ranges::sort(rows);
  if (rows.empty()) return result;
  std::optional<SwapSearch> search(std::in_place, gram, powers, std::move(rows), workers);
  while (true) {
    const Swap swap = search->best(candidates);
    if (!swap.found || !(swap.value > search->captured() * (1 + kLeastGain))) break;
    std::vector<std::size_t> next = search->rows();
    next[swap.out] = swap.in;
    std::ranges::sort(next);
    SwapSearch after(gram, powers, std::move(next), workers);
    if (!(after.captured() > search->captured() * (1 + kLeastGain))) break;
    ++result.swaps;
    search.emplace(std::move(after));
  }
  result.rows = search->rows();
  return result;
}

}  // namespace mercer::distance
