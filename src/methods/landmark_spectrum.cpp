#include "methods/landmark_spectrum.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <mercer/error.h>

#include "engine/dense_product.h"
#include "engine/eigensolver.h"
#include "engine/tile.h"
#include "engine/triangular.h"

namespace mercer::methods {

namespace {

void transpose_square(Matrix<double>& a) {
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < i; ++j) std::swap(a(i, j), a(j, i));
  }
}

/// A symmetric matrix in memory, for the iterative solver.
class DenseOperator final : public engine::SymmetricOperator {
 public:
  DenseOperator(MatrixView<const double> a, engine::Workers& workers) : a_(a), workers_(workers) {}

  std::size_t size() const override { return a_.rows(); }
  void apply(MatrixView<const double> v, MatrixView<double> y) override {
    constexpr std::size_t kRows = 64;
    workers_.for_each((size() + kRows - 1) / kRows, [&](std::size_t part) {
      const std::size_t first = part * kRows;
      const auto out = y.rows_from(first, std::min(kRows, size() - first));
      for (std::size_t i = 0; i < out.rows(); ++i) std::ranges::fill(out.row(i), 0.0);
      engine::multiply_add({.m = out.rows(),
                            .n = v.cols(),
                            .k = size(),
                            .a = &a_(first, 0),
                            .a_row_stride = a_.stride(),
                            .a_col_stride = 1,
                            .b = v.data(),
                            .b_stride = v.stride(),
                            .c = out.data(),
                            .c_stride = out.stride()});
    });
  }

 private:
  MatrixView<const double> a_;
  engine::Workers& workers_;
};

}  // namespace

LandmarkSpectrum::LandmarkSpectrum(const engine::Moments& kernel_values,
                                   MatrixView<const double> lower, double trace, bool center,
                                   engine::Workers& workers)
    : mean_(kernel_values.mean()), weight_(kernel_values.weight()), trace_(trace), center_(center) {
  Matrix<double> scatter = kernel_values.scatter();
  const engine::LowerTriangle triangle(lower);
  triangle.solve(scatter, workers);
  transpose_square(scatter);
  triangle.solve(scatter, workers);
  engine::solve_lower(lower, MatrixView<double>(mean_.data(), mean_.size(), 1));
  finish(std::move(scatter), center);
}

LandmarkSpectrum::LandmarkSpectrum(const engine::Moments& coordinates, double trace, bool center)
    : mean_(coordinates.mean()), weight_(coordinates.weight()), trace_(trace), center_(center) {
  finish(coordinates.scatter(), center);
}

void LandmarkSpectrum::finish(Matrix<double> scatter, bool center) {
  scatter_ = std::move(scatter);
  for (std::size_t i = 0; i < size(); ++i) {
    explained_.push_back(scatter_(i, i) + weight_ * mean_[i] * mean_[i]);
    for (std::size_t j = 0; j <= i; ++j) {
      double value = (scatter_(i, j) + scatter_(j, i)) / 2;
      if (!center) value += weight_ * mean_[i] * mean_[j];
      if (!std::isfinite(value)) {
        throw NumericalError("kernel values overflowed: scale the data or the kernel's parameters");
      }
      scatter_(i, j) = value;
      scatter_(j, i) = value;
    }
  }
}

LandmarkSpectrum LandmarkSpectrum::leading(std::size_t landmarks) const {
  const auto end = static_cast<std::ptrdiff_t>(landmarks);
  LandmarkSpectrum first;
  first.scatter_ = Matrix<double>(scatter_.view().rows_from(0, landmarks).cols_from(0, landmarks));
  first.mean_.assign(mean_.begin(), mean_.begin() + end);
  first.explained_.assign(explained_.begin(), explained_.begin() + end);
  first.weight_ = weight_;
  first.trace_ = trace_;
  first.center_ = center_;
  return first;
}

double LandmarkSpectrum::residual_trace(std::size_t landmarks) const {
  const auto end = explained_.begin() + static_cast<std::ptrdiff_t>(landmarks);
  return std::max(trace_ - std::accumulate(explained_.begin(), end, 0.0), 0.0);
}

double LandmarkSpectrum::residual_fraction(std::size_t landmarks) const {
  return trace_ > 0 ? residual_trace(landmarks) / trace_ : 0;
}

double LandmarkSpectrum::total_upper() const {
  if (!center_) return trace_;
  return trace_ - weight_ * std::inner_product(mean_.begin(), mean_.end(), mean_.begin(), 0.0);
}

engine::EigenPairs LandmarkSpectrum::eigenpairs(std::size_t landmarks, std::size_t count,
                                                std::uint64_t seed,
                                                engine::Workers& workers) const {
  count = std::min(count, landmarks);
  if (count == 0) return {};
  const auto leading = scatter_.view().rows_from(0, landmarks).cols_from(0, landmarks);
  constexpr std::size_t kBlockColumns = 8;
  if (engine::krylov_is_suitable(landmarks, count, kBlockColumns)) {
    DenseOperator a(leading, workers);
    const auto result = engine::krylov_eigenpairs(
        a, {.count = count, .block = kBlockColumns, .seed = seed}, workers);
    if (result.converged) {
      engine::EigenPairs pairs{.values = result.values,
                               .vectors = Matrix<double>::uninitialized(count, landmarks)};
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = 0; j < landmarks; ++j) pairs.vectors(i, j) = result.vectors(j, i);
      }
      return pairs;
    }
  }
  Matrix<double> copy(leading);
  return engine::largest_eigenpairs(copy, count);
}

double LandmarkSpectrum::residual(const engine::EigenPairs& pairs, engine::Workers& workers) const {
  const std::size_t count = pairs.values.size();
  if (count == 0) return 0;
  auto columns = Matrix<double>::uninitialized(size(), count);
  for (std::size_t i = 0; i < size(); ++i) {
    for (std::size_t j = 0; j < count; ++j) columns(i, j) = pairs.vectors(j, i);
  }
  DenseOperator a(scatter_, workers);
  const auto norms = engine::residual_norms(a, pairs.values, columns);
  return *std::ranges::max_element(norms) / pairs.values.front();
}

double LandmarkSpectrum::change(const engine::EigenPairs& fewer, const engine::EigenPairs& more,
                                std::size_t count, engine::Workers& workers) const {
  if (fewer.values.size() < count || more.values.size() < count) return 1;
  if (!(fewer.values[count - 1] > 0 && more.values[count - 1] > 0)) return 1;
  const std::size_t m = fewer.vectors.cols();
  const std::size_t all = more.vectors.cols();
  // M = Lambda_m^-1/2 V_m^T S[1:m, :] V Lambda^-1/2: inner products of the unit vectors of scores.
  const auto projected =
      engine::dense_product(fewer.vectors.view().rows_from(0, count),
                            scatter_.view().rows_from(0, m).cols_from(0, all), workers);
  auto vectors = Matrix<double>::uninitialized(all, count);
  for (std::size_t j = 0; j < count; ++j) {
    for (std::size_t l = 0; l < all; ++l) vectors(l, j) = more.vectors(j, l);
  }
  auto cosines = engine::dense_product(projected, vectors, workers);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) {
      cosines(i, j) /= std::sqrt(fewer.values[i]) * std::sqrt(more.values[j]);
    }
  }
  auto squares = engine::outer_product(cosines, workers);
  const double smallest = engine::symmetric_eigenvalues(squares).back();
  return std::sqrt(std::clamp(1 - smallest, 0.0, 1.0));
}

SubspaceError subspace_error(const LandmarkSpectrum& spectrum, const engine::EigenPairs& whole,
                             std::uint64_t seed, engine::Workers& workers) {
  const std::size_t m = spectrum.size();
  const std::size_t count = whole.values.size();
  if (spectrum.residual_fraction(m) < kNegligibleFraction) {
    const double largest =
        std::min(kNegligibleFraction * spectrum.trace() / whole.values.back(), 1.0);
    return {.change = largest, .estimate = largest};
  }
  const auto half = spectrum.eigenpairs(m / 2, count, seed, workers);
  const auto quarter = spectrum.eigenpairs(m / 4, count, seed, workers);
  SubspaceError error{.change = spectrum.change(half, whole, count, workers), .estimate = 1};
  const double before = spectrum.change(quarter, half, count, workers);
  // Errors fall geometrically with doublings: the next change is to this one as this to the last.
  // A change that did not fall says nothing about the next.
  error.estimate = before > error.change ? error.change * error.change / before : error.change;
  return error;
}

}  // namespace mercer::methods
