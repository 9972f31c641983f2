#include "engine/principal_cholesky.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "engine/reference.h"
#include "numbers.h"

namespace mercer::engine {
namespace {

using testing::normal_matrix;
using Indices = std::vector<std::size_t>;

Matrix<double> example(std::size_t size) {
  const auto points = normal_matrix(size, 3, size);
  return reference::kernel_matrix(Laplacian{0.8}, points, points);
}

std::vector<double> row_of(MatrixView<const double> a, const Indices& kept, std::size_t added) {
  std::vector<double> row;
  for (const std::size_t j : kept) row.push_back(a(added, j));
  row.push_back(a(added, added));
  return row;
}

/// Largest entry of A x - b over the kept rows for the x that the factor gives.
double residual(const PrincipalCholesky& factor, MatrixView<const double> a, const Indices& kept) {
  std::vector<double> x(kept.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1 + static_cast<double>(kept[i] % 5);
  const auto b = x;
  factor.solve(x);
  double largest = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    double difference = -b[i];
    for (std::size_t j = 0; j < kept.size(); ++j) difference += a(kept[i], kept[j]) * x[j];
    largest = std::max(largest, std::abs(difference));
  }
  return largest;
}

RC_GTEST_PROP(PrincipalCholeskyProperty, SolvesAfterAnyGainsAndLosses, ()) {
  const auto size = *rc::gen::inRange<std::size_t>(1, 40);
  const auto start = *rc::gen::inRange<std::size_t>(0, size + 1);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const auto a = example(size);
  PrincipalCholesky factor(size);
  const auto room = factor.reset(start);
  Indices kept;
  Indices left;
  for (std::size_t i = 0; i < size; ++i) (i < start ? kept : left).push_back(i);
  for (std::size_t i = 0; i < start; ++i) {
    for (std::size_t j = 0; j <= i; ++j) room(i, j) = a(i, j);
  }
  RC_ASSERT(factor.factorize());
  const RandomStream stream(seed);
  for (std::size_t step = 0; step < 60; ++step) {
    const bool gains = kept.empty() || (!left.empty() && stream.uniform(2 * step) < 0.5);
    auto& from = gains ? left : kept;
    const auto position = static_cast<std::size_t>(stream.below(2 * step + 1, from.size()));
    const std::size_t moved = from[position];
    if (gains) {
      RC_ASSERT(factor.append(row_of(a, kept, moved)));
    } else {
      factor.remove(position);
    }
    from.erase(from.begin() + static_cast<std::ptrdiff_t>(position));
    (gains ? kept : left).push_back(moved);
    RC_ASSERT(factor.size() == kept.size());
    RC_ASSERT(residual(factor, a, kept) < 1e-11);
  }
}

TEST(PrincipalCholesky, RefusesARowThatMakesTheMatrixIndefiniteAndStays) {
  const auto a = example(10);
  PrincipalCholesky factor(11);
  Indices kept;
  for (std::size_t i = 0; i < 10; ++i) {
    ASSERT_TRUE(factor.append(row_of(a, kept, i)));
    kept.push_back(i);
  }
  std::vector<double> row(11, 0.0);
  row[3] = 5;
  row[10] = 1;
  EXPECT_FALSE(factor.append(row));
  EXPECT_EQ(factor.size(), 10U);
  EXPECT_LT(residual(factor, a, kept), 1e-12);
}

TEST(PrincipalCholesky, HasNoRowsAfterAMatrixThatIsNotPositiveDefinite) {
  PrincipalCholesky factor(2);
  const auto room = factor.reset(2);
  room(0, 0) = room(1, 1) = 1;
  room(1, 0) = 2;
  EXPECT_FALSE(factor.factorize());
  EXPECT_EQ(factor.size(), 0U);
  EXPECT_TRUE(factor.append(std::vector{4.0}));
  std::vector<double> b = {8};
  factor.solve(b);
  EXPECT_DOUBLE_EQ(b[0], 2);
}

}  // namespace
}  // namespace mercer::engine
