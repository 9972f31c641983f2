#include "engine/eigensolver.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <mercer/error.h>

#include "engine/blas.h"
#include "engine/orthonormal.h"
#include "engine/random.h"
#include "engine/tall.h"
#include "engine/tile.h"

namespace mercer::engine {

namespace {

std::size_t round_up(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

/// Columns of the basis before it is restarted.
std::size_t basis_size(std::size_t count, std::size_t block) {
  return round_up(std::max(2 * count + 2 * block, count + 6 * block), block);
}

/// Ritz vectors that survive a restart: the wanted ones and some that follow them, which keeps the
/// convergence of the last wanted ones fast.
std::size_t kept_size(std::size_t count, std::size_t block) {
  const std::size_t kept =
      std::min(count + std::max(block, count / 2), basis_size(count, block) - 2 * block);
  return padded_columns(kept);
}

class BlockKrylov {
 public:
  BlockKrylov(SymmetricOperator& a, const KrylovOptions& options, Workers& workers)
      : a_(a),
        options_(options),
        workers_(workers),
        n_(a.size()),
        p_(options.block),
        capacity_(basis_size(options.count, options.block)),
        basis_(n_, capacity_),
        next_(n_, p_),
        projected_(capacity_, capacity_),
        random_(RandomStream(options.seed).substream(0x4b72796c6f76)) {}

  IterativeEigenpairs run();

 private:
  MatrixView<double> basis(std::size_t cols) { return basis_.view().cols_from(0, cols); }

  void fill_random(std::size_t first, std::size_t last);
  void project_out(MatrixView<const double> directions);
  bool orthonormalise_once(Matrix<double>& coupling, double negligible);
  Matrix<double> orthonormalise();
  void expand();
  void solve_projected();
  double largest_residual(const Matrix<double>& coupling) const;
  void restart(std::size_t keep);
  bool time_to_look() const;
  bool may_have_missed_copies() const;
  bool found_missed_copies();
  void append();
  void report_progress(double residual);
  IterativeEigenpairs finish(bool converged);

  SymmetricOperator& a_;
  const KrylovOptions& options_;
  Workers& workers_;
  std::size_t n_;
  std::size_t p_;
  std::size_t capacity_;
  std::size_t cols_ = 0;         // columns of the basis in use
  std::size_t looked_at_ = 0;    // columns when the Ritz values were last computed
  Matrix<double> basis_;         // V, orthonormal columns
  Matrix<double> next_;          // the block that will be appended
  Matrix<double> projected_;     // T = V^T A V
  Matrix<double> ritz_vectors_;  // row i: coordinates of Ritz vector i in V, descending values
  std::vector<double> ritz_values_;
  double norm_ = 0;  // largest |Ritz value| seen
  std::size_t products_ = 0;
  RandomStream random_;
  std::uint64_t random_position_ = 0;
};

void BlockKrylov::fill_random(std::size_t first, std::size_t last) {
  const std::size_t count = last - first;
  for (std::size_t i = 0; i < n_; ++i) {
    for (std::size_t j = 0; j < count; ++j) {
      next_(i, first + j) = random_.normal(random_position_ + i * count + j);
    }
  }
  random_position_ += n_ * count;
}

void BlockKrylov::project_out(MatrixView<const double> directions) {
  if (directions.cols() == 0) return;
  const auto h = transposed_product(directions, next_, workers_);
  subtract_product(directions, h, next_, workers_);
}

/// One pass: next_ is made orthogonal to the basis and orthonormal; `coupling` is updated so that
/// (next_ before) = (next_ after) * coupling. Directions without content become random ones.
/// Returns whether the result is orthonormal to working precision.
bool BlockKrylov::orthonormalise_once(Matrix<double>& coupling, double negligible) {
  project_out(basis(cols_));
  if (!options_.null_vector.empty()) {
    project_out({options_.null_vector.data(), n_, 1});
  }
  const auto found = orthonormalise_columns(next_, coupling, negligible, workers_);
  for (const std::size_t j : found.empty) fill_random(j, j + 1);
  return found.empty.empty() && found.well_conditioned;
}

/// Makes next_ orthonormal and orthogonal to the basis; returns R with (next_ before) = (next_
/// after) R up to components in the basis. One good pass repairs what rounding left of the one
/// before.
Matrix<double> BlockKrylov::orthonormalise() {
  Matrix<double> coupling(p_, p_);
  for (std::size_t i = 0; i < p_; ++i) coupling(i, i) = 1;
  // The threshold belongs to the first pass only: later ones see unit columns.
  orthonormalise_once(coupling, std::numeric_limits<double>::epsilon() * norm_);
  constexpr int kMostPasses = 6;
  for (int pass = 1; pass < kMostPasses; ++pass) {
    if (orthonormalise_once(coupling, 0)) break;
  }
  return coupling;
}

/// next_ joins the basis.
void BlockKrylov::append() {
  for (std::size_t i = 0; i < n_; ++i) {
    std::ranges::copy(next_.row(i), basis_.row(i).begin() + static_cast<std::ptrdiff_t>(cols_));
  }
  cols_ += p_;
}

/// next_ = A (last block) without its components in the basis; the last columns of T are set.
/// Nothing relies on T being banded: after a restart it is not.
void BlockKrylov::expand() {
  const std::size_t first = cols_ - p_;
  a_.apply(basis_.view().cols_from(first, p_), next_);
  ++products_;
  const auto h = transposed_product(basis(cols_), next_, workers_);
  for (std::size_t i = 0; i < cols_; ++i) {
    for (std::size_t j = 0; j < p_; ++j) {
      if (!std::isfinite(h(i, j))) {
        throw NumericalError("kernel values overflowed: scale the data or the kernel's parameters");
      }
      projected_(i, first + j) = h(i, j);
      projected_(first + j, i) = h(i, j);
    }
  }
  subtract_product(basis(cols_), h, next_, workers_);
}

void BlockKrylov::solve_projected() {
  Matrix<double> t(projected_.view().rows_from(0, cols_).cols_from(0, cols_));
  const auto ascending = symmetric_eigen(t);
  ritz_values_.assign(ascending.rbegin(), ascending.rend());
  ritz_vectors_ = Matrix<double>::uninitialized(cols_, cols_);
  for (std::size_t i = 0; i < cols_; ++i) {
    std::ranges::copy(t.row(cols_ - 1 - i), ritz_vectors_.row(i).begin());
  }
  norm_ = std::max({norm_, std::abs(ritz_values_.front()), std::abs(ritz_values_.back())});
  looked_at_ = cols_;
}

/// Ritz values take cols^3 flops: with many columns they are computed only when there are an eighth
/// more, and before a restart, which needs them.
bool BlockKrylov::time_to_look() const {
  return cols_ >= looked_at_ + std::max(p_, looked_at_ / 8) || cols_ + p_ > capacity_ ||
         products_ + 1 >= options_.max_products;
}

/// A V = V T + next_ R E^T, so the residual of Ritz pair i is |R (last p coordinates of its
/// vector)|.
double BlockKrylov::largest_residual(const Matrix<double>& coupling) const {
  double largest = 0;
  for (std::size_t i = 0; i < std::min(options_.count, cols_); ++i) {
    double norm2 = 0;
    for (std::size_t r = 0; r < p_; ++r) {
      double sum = 0;
      for (std::size_t j = 0; j < p_; ++j) {
        sum += coupling(r, j) * ritz_vectors_(i, cols_ - p_ + j);
      }
      norm2 += sum * sum;
    }
    largest = std::max(largest, std::sqrt(norm2));
  }
  return largest;
}

/// The basis shrinks to its `keep` best Ritz vectors (rounded up to whole vectors of the product
/// code).
void BlockKrylov::restart(std::size_t keep) {
  keep = std::min(keep, cols_);
  const std::size_t padded = padded_columns(keep);
  Matrix<double> rotation(cols_, padded);
  for (std::size_t i = 0; i < keep; ++i) {
    for (std::size_t j = 0; j < cols_; ++j) rotation(j, i) = ritz_vectors_(i, j);
  }
  multiply_from_right(basis(cols_), rotation, workers_);
  projected_ = Matrix<double>(capacity_, capacity_);
  for (std::size_t i = 0; i < keep; ++i) projected_(i, i) = ritz_values_[i];
  cols_ = looked_at_ = keep;
}

/// A block of p columns holds at most p copies of a multiple eigenvalue. If p or more of the values
/// found agree and a smaller one follows, further copies may be missing although every residual is
/// small.
bool BlockKrylov::may_have_missed_copies() const {
  std::size_t run = 1;
  for (std::size_t i = 1; i < options_.count; ++i) {
    const bool same = ritz_values_[i - 1] - ritz_values_[i] <= 1e-8 * norm_;
    if (!same && run >= p_) return true;
    run = same ? run + 1 : 1;
  }
  return false;
}

/// Looks for eigenvectors that the basis does not contain: two products from a fresh random block
/// orthogonal to the converged Ritz vectors. When the block shows a larger value than the last
/// wanted one, the iteration goes on from the converged vectors and this block.
bool BlockKrylov::found_missed_copies() {
  const double last_wanted = ritz_values_[options_.count - 1];
  restart(options_.count);
  fill_random(0, p_);
  orthonormalise();
  Matrix<double> image(n_, p_);
  for (int step = 0; step < 2; ++step) {
    a_.apply(next_, image);
    ++products_;
    if (step == 0) {
      std::swap(next_, image);
      orthonormalise();
    }
  }
  auto quotient = transposed_product(next_, image, workers_);
  const double largest = symmetric_eigen(quotient).back();
  return largest > last_wanted + std::max(options_.tolerance, 1e-10) * norm_;
}

void BlockKrylov::report_progress(double residual) {
  // Residuals fall geometrically: measure the way on a logarithmic scale.
  if (norm_ == 0 || residual == 0) return;
  const double done = std::log(residual / norm_) / std::log(options_.tolerance);
  workers_.phase_range(std::clamp(done, 0.0, 0.98), std::clamp(done, 0.0, 0.98));
}

IterativeEigenpairs BlockKrylov::finish(bool converged) {
  const std::size_t k = std::min(options_.count, cols_);
  IterativeEigenpairs result;
  result.converged = converged;
  result.largest_magnitude = norm_;
  result.smallest_value = ritz_values_.back();
  result.negative_values = static_cast<std::size_t>(std::ranges::count_if(
      ritz_values_, [&](double value) { return value < -1e-8 * ritz_values_.front(); }));
  restart(k);
  result.vectors = Matrix<double>(basis(k));
  result.values.assign(ritz_values_.begin(), ritz_values_.begin() + static_cast<std::ptrdiff_t>(k));
  result.residuals = residual_norms(a_, result.values, result.vectors);
  result.products = ++products_;
  for (const double residual : result.residuals) {
    // Rounding in the product itself is forgiven; a wrong eigenpair is not.
    if (residual > 10 * options_.tolerance * norm_) result.converged = false;
  }
  return result;
}

IterativeEigenpairs BlockKrylov::run() {
  fill_random(0, p_);
  orthonormalise();
  append();
  for (;;) {
    expand();
    const bool look = time_to_look();
    if (look) {
      solve_projected();
      if (norm_ == 0) return finish(true);
    }
    const auto coupling = orthonormalise();
    if (look && cols_ >= options_.count) {
      const double residual = largest_residual(coupling);
      report_progress(residual);
      if (residual <= options_.tolerance * norm_) {
        if (!may_have_missed_copies() || products_ + 3 > options_.max_products) return finish(true);
        if (!found_missed_copies()) {
          solve_projected();
          return finish(true);
        }
        append();
        continue;
      }
    }
    if (products_ + 1 >= options_.max_products) return finish(false);
    if (cols_ + p_ > capacity_) restart(kept_size(options_.count, p_));
    append();
  }
}

}  // namespace

std::vector<double> residual_norms(SymmetricOperator& a, std::span<const double> values,
                                   MatrixView<const double> vectors) {
  const std::size_t n = vectors.rows();
  const std::size_t k = vectors.cols();
  Matrix<double> padded(n, padded_columns(k));
  for (std::size_t i = 0; i < n; ++i) std::ranges::copy(vectors.row(i), padded.row(i).begin());
  Matrix<double> images(n, padded.cols());
  a.apply(padded, images);
  std::vector<double> norms(k, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < k; ++j) {
      const double difference = images(i, j) - values[j] * vectors(i, j);
      norms[j] += difference * difference;
    }
  }
  for (double& norm : norms) norm = std::sqrt(norm);
  return norms;
}

bool krylov_is_suitable(std::size_t n, std::size_t count, std::size_t block) {
  return n > 512 && basis_size(count, block) + block <= n / 2;
}

double krylov_bytes(std::size_t n, std::size_t count, std::size_t block) {
  return static_cast<double>(n) * static_cast<double>(basis_size(count, block) + 3 * block) *
         sizeof(double);
}

IterativeEigenpairs krylov_eigenpairs(SymmetricOperator& a, const KrylovOptions& options,
                                      Workers& workers) {
  if (options.block == 0 || options.block % kProductColumns != 0) {
    throw InvalidArgument(
        fmt::format("block size {} is not a multiple of {}", options.block, kProductColumns));
  }
  if (options.count == 0 || basis_size(options.count, options.block) + options.block > a.size()) {
    throw InvalidArgument(
        fmt::format("cannot find {} eigenpairs of size {} by blocks of {}; use a dense solver",
                    options.count, a.size(), options.block));
  }
  return BlockKrylov(a, options, workers).run();
}

}  // namespace mercer::engine
