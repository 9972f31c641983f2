#include "engine/residual_energies.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/kernel_points.h"
#include "engine/removed_matrix.h"
#include "engine/tall.h"
#include "engine/tile.h"

namespace mercer::engine {

namespace {

/// [G, 1, a] of some rows, with the first columns of G: what the factor and the centring take off
/// kernel values.
class Removed {
 public:
  Removed(const PartialCholesky& factor, std::size_t columns, std::span<const std::size_t> rows)
      : centered_(!factor.offsets().empty()),
        rows_(Matrix<double>::uninitialized(rows.size(), columns + (centered_ ? 2 : 0))) {
    const auto g = factor.factor();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::copy_n(g.row(rows[i]).begin(), columns, rows_.row(i).begin());
      if (!centered_) continue;
      rows_(i, columns) = 1;
      rows_(i, columns + 1) = factor.offsets()[rows[i]];
    }
  }

  RemovedMatrix all() const { return {.rows = rows_, .swapped = centered_}; }
  RemovedMatrix block(std::size_t b) const {
    const std::size_t first = b * kBlock;
    return {.rows = rows_.view().rows_from(first, std::min(kBlock, rows_.rows() - first)),
            .swapped = centered_};
  }

 private:
  bool centered_;
  Matrix<double> rows_;
};

// Operations for each pair of rows, about: they decide which way is taken, so that it does not
// depend on time.

/// A kernel value of d columns comes from memory or is computed.
double value_cost(const GramOptions& options, std::size_t d) {
  constexpr double kRead = 8;
  constexpr double kCompute = 32;
  if (options.stored) return kRead;
  return (kCompute + 2 * static_cast<double>(d)) / (options.single_precision ? 2 : 1);
}
constexpr double kProductCost = 6;
double square_cost(std::size_t rank) {
  return 16 + 2 * static_cast<double>(rank);
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
    auto tile = Matrix<double>::uninitialized(kBlock, kBlock);
    const std::size_t first = i * kBlock;
    const RemovedRows of_rows(removed_rows.block(i));
    for (std::size_t j = 0; j < to.blocks(); ++j) {
      workers.poll();
      from.block(i, to, j, tile.data());
      BlockSumArgs<double> sums{.block = tile.data(),
                                .width = panel_width<double>(),
                                .rows = from.block_size(i),
                                .cols = to.block_size(j),
                                .col_weights = weights.data() + j * kBlock,
                                .row_sums = energies.data() + first};
      of_rows.make_energies(sums, removed_terms.block(j).rows);
      add_block_sums(sums);
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

double ResidualEnergies::largest_of_active() const {
  double largest = 0;
  for (const std::size_t row : active_) largest = std::max(largest, energies_[row]);
  return largest;
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
  const bool was_single = single_precision();
  const bool anew = !one_column || anew_is_cheaper();
  if (!anew) remove_terms();
  compact();
  // What was found in single precision stays so.
  if (anew || single_precision() != was_single) {
    compute_anew();
  } else {
    downdate();
  }
}

std::vector<double> ResidualEnergies::exact(std::span<const std::size_t> rows) {
  std::vector<double> weights(factor_.size(), 0.0);
  for (const std::size_t row : active_) weights[row] = weight(row);
  std::vector<double> truth = factor_.energies(rows, weights);
  double worst = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double difference = std::abs(energies_[rows[i]] - truth[i]);
    if (!(difference <= worst)) worst = difference;  // NaN wins
  }
  constexpr double kSafety = 16;  // others may be worse
  constexpr double kTolerable = 1e-3;
  if (kSafety * worst <= error_) return truth;
  error_ = kSafety * worst;
  relative_error_ = error_ / largest_of_active();
  if (!(relative_error_ <= kTolerable)) use_double_precision();
  return truth;
}

/// Against removing the terms that leave and one product with the matrix.
bool ResidualEnergies::anew_is_cheaper() const {
  const double pairs = static_cast<double>(active_.size()) / 2;  // per active row
  const auto leaving = static_cast<double>(leaving_.size());
  const std::size_t d = factor_.points().cols();
  const double value = value_cost(gram_->options(), d);
  const double squares = square_cost(factor_.rank());
  return pairs * (value + squares) <
         pairs * (value + kProductCost) + leaving * (value_cost({.stored = false}, d) + squares);
}

bool ResidualEnergies::second_look_pays(std::size_t rows) const {
  const auto active = static_cast<double>(active_.size());
  const std::size_t d = factor_.points().cols();
  const auto looks = static_cast<double>(rows * factor_.size());
  return active * active / 2 * value_cost({.single_precision = true, .stored = false}, d) >
         looks * (value_cost({.stored = false}, d) + square_cost(factor_.rank()));
}

void ResidualEnergies::use_double_precision() {
  make_gram_of_members({.stored = gram_->options().stored});
  compute_anew();
}

void ResidualEnergies::compact() {
  for (const std::size_t row : leaving_) {
    terms_[static_cast<std::size_t>(std::ranges::lower_bound(members_, row) - members_.begin())] =
        0;
  }
  leaving_.clear();
  // Storing anew costs about as much as the first time: it has to pay.
  const std::size_t most = gram_->options().stored ? members_.size() / 2 : members_.size() - 1;
  if (active_.size() > most) return;
  members_ = active_;
  terms_.resize(members_.size());
  std::ranges::transform(members_, terms_.begin(), [this](std::size_t row) { return weight(row); });
  member_points_ = pick_rows(factor_.points(), members_);
  GramOptions options = gram_->options();
  options.single_precision = options.single_precision && second_look_pays(panel_width<double>());
  make_gram_of_members(options);
}

void ResidualEnergies::make_gram_of_members(const GramOptions& options) {
  evaluations_ += gram_->kernel_evaluations();
  gram_.reset();  // before there is another
  gram_ =
      make_gram(factor_.kernel(), member_points_.empty() ? factor_.points() : member_points_.view(),
                options, workers_);
}

void ResidualEnergies::compute_anew() {
  std::vector<double> energies(members_.size());
  gram_->energies(Removed(factor_, factor_.rank(), members_).all(), terms_, energies, workers_);
  for (std::size_t i = 0; i < members_.size(); ++i) energies_[members_[i]] = energies[i];
  columns_ = factor_.rank();
  sum_when_anew_ = sum_of_active();
  error_ = single_precision() ? relative_error_ * largest_of_active() : 0;
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
  constexpr std::size_t kTaskRows = 4096;  // less is done before another thread has woken
  const std::size_t tasks = (n + kTaskRows - 1) / kTaskRows;
  Matrix<double> partial(tasks, last);
  workers_.for_each(tasks, [&](std::size_t task) {
    for (std::size_t i = task * kTaskRows; i < std::min(n, (task + 1) * kTaskRows); ++i) {
      const auto row = g.row(members_[i]);
      for (std::size_t c = 0; c < last; ++c) partial(task, c) += row[c] * weighted[i];
    }
  });
  std::vector<double> products(last, 0.0);
  for (std::size_t task = 0; task < tasks; ++task) {
    for (std::size_t c = 0; c < last; ++c) products[c] += partial(task, c);
  }
  workers_.for_each(tasks, [&](std::size_t task) {
    for (std::size_t i = task * kTaskRows; i < std::min(n, (task + 1) * kTaskRows); ++i) {
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
