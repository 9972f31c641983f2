#include "methods/kronecker_order.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <mercer/error.h>

#include "numbers.h"

namespace mercer::methods {
namespace {

using testing::normal_matrix;

constexpr KroneckerOrder kOrders[] = {KroneckerOrder::bisection, KroneckerOrder::principal,
                                      KroneckerOrder::file, KroneckerOrder::random};

std::vector<std::size_t> order_of(MatrixView<const double> points, KroneckerOrder order,
                                  std::size_t group_size, std::size_t threads = 1) {
  engine::Workers workers(RunOptions{.threads = threads});
  return kronecker_order(points, order, group_size, engine::RandomStream(7), workers);
}

std::vector<std::size_t> ascending(std::size_t n) {
  std::vector<std::size_t> rows(n);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

RC_GTEST_PROP(KroneckerOrder, HasEveryRowOnce, ()) {
  const auto groups = *rc::gen::inRange<std::size_t>(1, 9);
  const auto group_size = *rc::gen::inRange<std::size_t>(1, 9);
  const auto d = *rc::gen::inRange<std::size_t>(1, 4);
  const auto points = normal_matrix(groups * group_size, d, *rc::gen::arbitrary<std::uint64_t>());
  for (const KroneckerOrder order : kOrders) {
    auto rows = order_of(points, order, group_size);
    std::ranges::sort(rows);
    RC_ASSERT(rows == ascending(points.rows()));
  }
}

TEST(KroneckerOrder, DoesNotDependOnThreads) {
  const auto points = normal_matrix(600, 4, 1);
  for (const KroneckerOrder order : kOrders) {
    EXPECT_EQ(order_of(points, order, 20, 1), order_of(points, order, 20, 4));
  }
}

TEST(KroneckerOrder, LeavesEqualRowsInTheirOrder) {
  Matrix<double> points(30, 3);
  std::fill_n(points.data(), points.size(), 2.5);
  for (const KroneckerOrder order :
       {KroneckerOrder::bisection, KroneckerOrder::principal, KroneckerOrder::file}) {
    EXPECT_EQ(order_of(points, order, 5), ascending(30));
  }
}

TEST(KroneckerOrder, PrincipalFollowsTheLongestAxis) {
  // Ten to one along (1, 1): the order is that of x + y.
  const auto noise = normal_matrix(200, 2, 1);
  Matrix<double> points(200, 2);
  for (std::size_t i = 0; i < 200; ++i) {
    points(i, 0) = 1e6 + 10 * noise(i, 0);  // far from the origin: the mean has to come off
    points(i, 1) = 10 * noise(i, 0);
  }
  auto expected = ascending(200);
  std::ranges::sort(expected, {}, [&](std::size_t i) { return noise(i, 0); });
  EXPECT_EQ(order_of(points, KroneckerOrder::principal, 10), expected);
}

TEST(KroneckerOrder, BisectionKeepsClustersInGroups) {
  // Four far clusters, listed in turns: each becomes one group.
  const double centers[4][2] = {{0, 0}, {100, 0}, {0, 30}, {100, 30}};
  auto points = normal_matrix(40, 2, 1);
  for (std::size_t i = 0; i < 40; ++i) {
    points(i, 0) += centers[i % 4][0];
    points(i, 1) += centers[i % 4][1];
  }
  const auto rows = order_of(points, KroneckerOrder::bisection, 10);
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(rows[i] % 4, rows[i / 10 * 10] % 4);
}

TEST(KroneckerOrder, BisectionCutsBetweenGroups) {
  // On a line the halves are intervals, so every group is one.
  const auto points = normal_matrix(7 * 6, 1, 1);
  const auto rows = order_of(points, KroneckerOrder::bisection, 6);
  for (std::size_t g = 1; g < 7; ++g) {
    double below = -INFINITY;
    double above = INFINITY;
    for (std::size_t i = 0; i < 6; ++i) {
      below = std::max(below, points(rows[(g - 1) * 6 + i], 0));
      above = std::min(above, points(rows[g * 6 + i], 0));
    }
    EXPECT_LT(below, above);
  }
}

TEST(KroneckerOrder, WorksOverTheWholeRangeOfDoubles) {
  for (const double scale : {1e-200, 1e150}) {
    const auto points = normal_matrix(60, 2, 1, scale);
    const auto plain = normal_matrix(60, 2, 1);
    EXPECT_EQ(order_of(points, KroneckerOrder::principal, 6),
              order_of(plain, KroneckerOrder::principal, 6));
  }
}

TEST(KroneckerOrder, RandomDependsOnTheStreamOnly) {
  const auto points = normal_matrix(50, 2, 1);
  const auto others = normal_matrix(50, 2, 2);
  EXPECT_EQ(order_of(points, KroneckerOrder::random, 5),
            order_of(others, KroneckerOrder::random, 5));
  EXPECT_NE(order_of(points, KroneckerOrder::random, 5), ascending(50));
}

}  // namespace
}  // namespace mercer::methods
