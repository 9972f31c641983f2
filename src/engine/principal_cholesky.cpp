#include "engine/principal_cholesky.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/blas.h"

namespace mercer::engine {

namespace {

/// Turns the plane of two neighbouring columns.
struct Rotation {
  double cosine = 1;
  double sine = 0;

  void apply(double& left, double& right) const {
    const double turned = cosine * left + sine * right;
    right = cosine * right - sine * left;
    left = turned;
  }
};

}  // namespace

PrincipalCholesky::PrincipalCholesky(std::size_t capacity)
    : factor_(Matrix<double>::uninitialized(capacity, capacity)) {}

MatrixView<double> PrincipalCholesky::reset(std::size_t size) {
  size_ = size;
  return {factor_.data(), size, size, factor_.cols()};
}

bool PrincipalCholesky::factorize() {
  if (size_ == 0 || cholesky_lower({factor_.data(), size_, size_, factor_.cols()})) return true;
  size_ = 0;
  return false;
}

bool PrincipalCholesky::append(std::span<const double> row) {
  const auto added = factor_.row(size_).first(size_);
  std::copy_n(row.begin(), size_, added.begin());
  solve_lower({factor_.data(), size_, size_, factor_.cols()}, {added.data(), size_, 1});
  double pivot = row[size_];
  for (const double value : added) pivot -= value * value;
  if (!(pivot > 0)) return false;
  factor_(size_, size_) = std::sqrt(pivot);
  ++size_;
  return true;
}

void PrincipalCholesky::remove(std::size_t position) {
  // Without the row, each later one reaches one column past the diagonal. A rotation of the last
  // two columns brings it back, and is applied to all rows after it: row by row, in memory order.
  std::vector<Rotation> rotations;
  for (std::size_t i = position + 1; i < size_; ++i) {
    const auto row = factor_.row(i);
    for (std::size_t j = 0; j < rotations.size(); ++j) {
      rotations[j].apply(row[position + j], row[position + j + 1]);
    }
    const double diagonal = std::hypot(row[i - 1], row[i]);
    rotations.push_back({.cosine = row[i - 1] / diagonal, .sine = row[i] / diagonal});
    row[i - 1] = diagonal;
    std::copy_n(row.begin(), i, factor_.row(i - 1).begin());
  }
  --size_;
}

void PrincipalCholesky::solve(std::span<double> b) const {
  const MatrixView<const double> factor(factor_.data(), size_, size_, factor_.cols());
  const MatrixView<double> column(b.data(), size_, 1);
  solve_lower(factor, column);
  solve_lower_transposed(factor, column);
}

}  // namespace mercer::engine
