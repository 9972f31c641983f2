#include "engine/residual_energies.h"

#include <algorithm>
#include <numeric>

#include "engine/tall.h"
#include "engine/tile.h"

namespace mercer::engine {

namespace {

/// What the factor and the centring take off the kernel values of some rows:
/// [G, a, 1] [G, 1, a]^T.
class Removed {
 public:
  Removed(const PartialCholesky& factor, std::size_t columns, std::span<const std::size_t> rows) {
    const auto g = factor.factor();
    const auto a = factor.offsets();
    const std::size_t width = columns + (a.empty() ? 0 : 2);
    left_ = Matrix<double>::uninitialized(rows.size(), width);
    right_ = Matrix<double>::uninitialized(rows.size(), width);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::copy_n(g.row(rows[i]).begin(), columns, left_.row(i).begin());
      std::copy_n(g.row(rows[i]).begin(), columns, right_.row(i).begin());
      if (a.empty()) continue;
      left_(i, columns) = right_(i, columns + 1) = a[rows[i]];
      left_(i, columns + 1) = right_(i, columns) = 1;
    }
  }

  LowRank view() const { return {.left = left_, .right = right_}; }

 private:
  Matrix<double> left_;
  Matrix<double> right_;
};

/// Operations for a kernel value of d columns, about: it comes from memory or is computed.
double value_cost(bool stored, std::size_t d) {
  return stored ? 8 : 24 + 2 * static_cast<double>(d);
}

}  // namespace

std::vector<double> residual_energies(const PartialCholesky& factor, std::size_t columns,
                                      std::span<const std::size_t> rows,
                                      std::span<const std::size_t> terms,
                                      std::span<const double> weights, Workers& workers) {
  const Matrix<double> row_points = pick_rows(factor.points(), rows);
  const Matrix<double> term_points = pick_rows(factor.points(), terms);
  const KernelPoints<double> from(factor.kernel(), row_points.view(), factor.shift());
  const KernelPoints<double> to(factor.kernel(), term_points.view(), factor.shift());
  const Removed removed_rows(factor, columns, rows);
  const Removed removed_terms(factor, columns, terms);
  std::vector<double> energies(rows.size(), 0.0);
  workers.for_each(from.blocks(), [&](std::size_t i) {
    std::vector<double> tile(kBlock * kBlock);
    const std::size_t first = i * kBlock;
    const LowRankRows left(removed_rows.view().left.rows_from(first, from.block_size(i)),
                           panel_width<double>());
    for (std::size_t j = 0; j < to.blocks(); ++j) {
      workers.poll();
      from.block(i, to, j, tile.data());
      left.subtract(tile.data(),
                    removed_terms.view().right.rows_from(j * kBlock, to.block_size(j)));
      add_block_sums({.block = tile.data(),
                      .width = panel_width<double>(),
                      .rows = from.block_size(i),
                      .cols = to.block_size(j),
                      .col_weights = weights.data() + j * kBlock,
                      .row_sums = energies.data() + first,
                      .squared = true});
    }
  });
  return energies;
}

ResidualEnergies::ResidualEnergies(std::unique_ptr<GramOperator> gram, PartialCholesky& factor,
                                   std::span<const double> weights, Workers& workers)
    : factor_(factor),
      weights_(weights),
      workers_(workers),
      active_(factor.size()),
      gram_(std::move(gram)),
      terms_(factor.size()),
      energies_(factor.size(), 0.0) {
  std::iota(active_.begin(), active_.end(), std::size_t{0});
  members_ = active_;
  for (std::size_t i = 0; i < terms_.size(); ++i) terms_[i] = weight(i);
}

void ResidualEnergies::cut(double least_residual) {
  const auto is_cut = [&](std::size_t row) { return factor_.residuals()[row] < least_residual; };
  std::ranges::copy_if(active_, std::back_inserter(leaving_), is_cut);
  std::erase_if(active_, is_cut);
}

double ResidualEnergies::sum_of_active() const {
  double sum = 0;
  for (const std::size_t row : active_) sum += energies_[row];
  return sum;
}

double ResidualEnergies::largest_score() const {
  double sum = 0;
  for (const std::size_t row : active_) sum += weight(row) * factor_.residuals()[row];
  return sum;
}

bool ResidualEnergies::worn() const {
  constexpr double kWorn = 1e-6;
  return sum_of_active() < kWorn * sum_when_anew_;
}

void ResidualEnergies::refresh() {
  factor_.refresh_residuals();
  compact();
  compute_anew();
  ++refreshes_;
}

void ResidualEnergies::update() {
  if (leaving_.empty() && columns_ == factor_.rank()) return;
  if (active_.empty()) return;
  const bool one_column = columns_ && *columns_ + 1 == factor_.rank();
  if (!one_column || anew_is_cheaper()) {
    compact();
    compute_anew();
    return;
  }
  remove_terms();
  compact();
  downdate();
}

/// Against removing the terms that leave and one product with the matrix.
bool ResidualEnergies::anew_is_cheaper() const {
  const auto active = static_cast<double>(active_.size());
  const auto leaving = static_cast<double>(leaving_.size());
  const double rank_cost = 2 * static_cast<double>(factor_.rank());
  const std::size_t d = factor_.points().cols();
  const double value = value_cost(gram_->stored(), d);
  constexpr double kProductCost = 4;
  return active / 2 * (value + rank_cost) <
         active / 2 * (value + kProductCost) + leaving * (value_cost(false, d) + rank_cost);
}

void ResidualEnergies::compact() {
  for (const std::size_t row : leaving_) {
    terms_[static_cast<std::size_t>(std::ranges::lower_bound(members_, row) - members_.begin())] =
        0;
  }
  leaving_.clear();
  // Storing anew costs about as much as the first time: it has to pay.
  const std::size_t most = gram_->stored() ? members_.size() / 2 : members_.size() - 1;
  if (active_.size() > most) return;
  evaluations_ += gram_->kernel_evaluations();
  const bool stored = gram_->stored();
  gram_.reset();
  members_ = active_;
  terms_.resize(members_.size());
  std::ranges::transform(members_, terms_.begin(), [this](std::size_t row) { return weight(row); });
  member_points_ = pick_rows(factor_.points(), members_);
  gram_ = make_gram(factor_.kernel(), member_points_, {.stored = stored}, workers_);
}

void ResidualEnergies::compute_anew() {
  std::vector<double> energies(members_.size());
  gram_->energies(Removed(factor_, factor_.rank(), members_).view(), terms_, energies, workers_);
  for (std::size_t i = 0; i < members_.size(); ++i) energies_[members_[i]] = energies[i];
  columns_ = factor_.rank();
  sum_when_anew_ = sum_of_active();
}

void ResidualEnergies::remove_terms() {
  if (leaving_.empty()) return;
  std::vector<double> weights;
  for (const std::size_t row : leaving_) weights.push_back(weight(row));
  const auto energies = residual_energies(factor_, *columns_, active_, leaving_, weights, workers_);
  evaluations_ += static_cast<std::uint64_t>(active_.size()) * leaving_.size();
  for (std::size_t i = 0; i < active_.size(); ++i) {
    energies_[active_[i]] = std::max(energies_[active_[i]] - energies[i], 0.0);
  }
}

void ResidualEnergies::downdate() {
  const std::size_t last = *columns_;
  const auto g = factor_.factor();
  const auto a = factor_.offsets();
  const std::size_t n = members_.size();
  std::vector<double> weighted(n);  // W g
  std::vector<double> h(n);
  double norm2 = 0;
  double sum = 0;         // of W g
  double sum_offset = 0;  // of a W g
  for (std::size_t i = 0; i < n; ++i) {
    weighted[i] = terms_[i] * g(members_[i], last);
    norm2 += weighted[i] * g(members_[i], last);
    if (a.empty()) continue;
    sum += weighted[i];
    sum_offset += a[members_[i]] * weighted[i];
  }
  gram_->multiply(weighted, h, workers_);
  // What the columns before explain: G (G^T W g).
  const std::size_t blocks = (n + kBlock - 1) / kBlock;
  Matrix<double> partial(blocks, last);
  workers_.for_each(blocks, [&](std::size_t block) {
    for (std::size_t i = block * kBlock; i < std::min(n, (block + 1) * kBlock); ++i) {
      const auto row = g.row(members_[i]);
      for (std::size_t c = 0; c < last; ++c) partial(block, c) += row[c] * weighted[i];
    }
  });
  std::vector<double> products(last, 0.0);
  for (std::size_t block = 0; block < blocks; ++block) {
    for (std::size_t c = 0; c < last; ++c) products[c] += partial(block, c);
  }
  workers_.for_each(blocks, [&](std::size_t block) {
    for (std::size_t i = block * kBlock; i < std::min(n, (block + 1) * kBlock); ++i) {
      const auto row = g.row(members_[i]);
      double left = h[i];
      if (!a.empty()) left -= a[members_[i]] * sum + sum_offset;
      for (std::size_t c = 0; c < last; ++c) left -= row[c] * products[c];
      double& energy = energies_[members_[i]];
      energy = std::max(energy - 2 * row[last] * left + row[last] * row[last] * norm2, 0.0);
    }
  });
  columns_ = factor_.rank();
}

}  // namespace mercer::engine
