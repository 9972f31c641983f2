#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include <mercer/matrix.h>

#include "engine/eigensolver.h"
#include "engine/random.h"

// Matrices with known eigenvalues, for tests of eigensolvers.
namespace mercer::testing {

/// Q diag(values) Q^T with Q a product of three reflections: any spectrum, applied in O(n).
class Spectrum final : public engine::SymmetricOperator {
 public:
  explicit Spectrum(std::vector<double> values) : values_(std::move(values)) {
    for (std::uint64_t r = 0; r < 3; ++r) {
      std::vector<double> axis(values_.size());
      double norm2 = 0;
      for (std::size_t i = 0; i < axis.size(); ++i) {
        axis[i] = engine::RandomStream(r + 1).normal(i);
        norm2 += axis[i] * axis[i];
      }
      for (double& x : axis) x /= std::sqrt(norm2);
      axes_.push_back(std::move(axis));
    }
  }
  std::size_t size() const override { return values_.size(); }
  void apply(MatrixView<const double> v, MatrixView<double> y) override {
    ++products;
    for (std::size_t c = 0; c < v.cols(); ++c) {
      std::vector<double> x(size());
      for (std::size_t i = 0; i < size(); ++i) x[i] = v(i, c);
      for (std::size_t r = 0; r < 3; ++r) reflect(axes_[r], x);
      for (std::size_t i = 0; i < size(); ++i) x[i] *= values_[i];
      for (std::size_t r = 3; r-- > 0;) reflect(axes_[r], x);
      for (std::size_t i = 0; i < size(); ++i) y(i, c) = x[i];
    }
  }

  std::size_t products = 0;

 private:
  static void reflect(const std::vector<double>& axis, std::vector<double>& x) {
    double dot = 0;
    for (std::size_t i = 0; i < x.size(); ++i) dot += axis[i] * x[i];
    for (std::size_t i = 0; i < x.size(); ++i) x[i] -= 2 * dot * axis[i];
  }

  std::vector<double> values_;
  std::vector<std::vector<double>> axes_;
};

inline std::vector<double> decaying(std::size_t n, double rate) {
  std::vector<double> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = std::pow(rate, static_cast<double>(i));
  return values;
}

inline double orthogonality_error(MatrixView<const double> v) {
  double worst = 0;
  for (std::size_t a = 0; a < v.cols(); ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      double dot = 0;
      for (std::size_t i = 0; i < v.rows(); ++i) dot += v(i, a) * v(i, b);
      worst = std::max(worst, std::abs(dot - (a == b ? 1 : 0)));
    }
  }
  return worst;
}

}  // namespace mercer::testing
