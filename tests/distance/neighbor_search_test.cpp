#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <mercer/error.h>
#include <mercer/sparse_distance.h>

#include "engine/every_distance.h"
#include "numbers.h"

namespace mercer {
namespace {

/// All items by distance, the lower number first on ties.
std::vector<std::pair<double, std::int64_t>> sorted(std::span<const double> squares) {
  std::vector<std::pair<double, std::int64_t>> order;
  for (std::size_t i = 0; i < squares.size(); ++i) {
    order.emplace_back(squares[i], static_cast<std::int64_t>(i));
  }
  std::ranges::sort(order);
  return order;
}

TEST(NeighborSearch, ExactNeighboursAreThoseOfComparingAll) {
  auto items = testing::uniform_matrix(150, 9, 1);
  for (std::size_t i = 100; i < 120; ++i) {  // ties
    std::ranges::copy(items.row(i - 100), items.row(i).begin());
  }
  auto queries = testing::uniform_matrix(30, 9, 2);
  for (std::size_t q = 0; q < 10; ++q) {
    std::ranges::copy(items.row(5 * q), queries.row(q).begin());
  }
  for (const Distance& distance : testing::every_distance()) {
    if (!is_hilbertian(distance)) continue;
    const auto truth = squared_distances(distance, queries, items);
    for (const std::size_t m : {1U, 8U, 40U}) {
      const auto fit = fit_sparse_distance(distance, items, {.landmarks = m});
      for (const std::size_t k : {1U, 7U, 150U}) {
        const auto found = fit.model.neighbors(queries, {.neighbors = k});
        for (std::size_t q = 0; q < 30; ++q) {
          const auto expected = sorted(truth.row(q));
          for (std::size_t j = 0; j < k; ++j) {
            EXPECT_EQ(found.items(q, j), expected[j].second)
                << distance_name(distance) << " m " << m << " k " << k << " query " << q;
            EXPECT_EQ(found.squared(q, j), expected[j].first);
          }
        }
        EXPECT_LE(found.distance_evaluations, 30u * 150);
        if (k == 150) {
          EXPECT_EQ(found.distance_evaluations, 30u * 150);
        }
      }
    }
  }
}

TEST(NeighborSearch, SparesDistancesWhereDataHaveStructure) {
  const auto factors = testing::normal_matrix(600, 3, 3);
  const auto loadings = testing::normal_matrix(3, 40, 4);
  Matrix<double> points(600, 40);
  for (std::size_t i = 0; i < 600; ++i) {
    for (std::size_t j = 0; j < 40; ++j) {
      for (std::size_t k = 0; k < 3; ++k) points(i, j) += factors(i, k) * loadings(k, j);
      points(i, j) += 0.01 * std::sin(static_cast<double>(i * 40 + j));
    }
  }
  const auto items = points.view().rows_from(0, 500);
  const auto queries = points.view().rows_from(500, 100);
  const auto fit = fit_sparse_distance(EuclideanDistance{}, items, {.landmarks = 6});
  const auto found = fit.model.neighbors(queries);
  EXPECT_LT(found.distance_evaluations, 100u * 500 / 10);
  EXPECT_GE(found.distance_evaluations, 100u * 6);
}

TEST(NeighborSearch, RerankingMeasuresTheItemsWithTheSmallestEstimates) {
  const auto items = testing::uniform_matrix(200, 12, 5);
  const auto queries = testing::uniform_matrix(20, 12, 6);
  const auto fit = fit_sparse_distance(L1Distance{}, items, {.landmarks = 10});
  const auto truth = squared_distances(L1Distance{}, queries, items);
  std::size_t hits_before = 0;
  for (const std::size_t c : {3U, 20U, 100U, 200U}) {
    const auto found = fit.model.neighbors(queries, {.neighbors = 3, .rerank = c});
    EXPECT_LE(found.distance_evaluations, 20u * (10 + c));
    std::size_t hits = 0;
    for (std::size_t q = 0; q < 20; ++q) {
      const auto expected = sorted(truth.row(q));
      for (std::size_t j = 0; j < 3; ++j) {
        EXPECT_EQ(found.squared(q, j), truth(q, static_cast<std::size_t>(found.items(q, j))));
        hits += found.items(q, j) == expected[j].second ? 1 : 0;
      }
    }
    EXPECT_GE(hits, hits_before);
    hits_before = hits;
  }
  EXPECT_EQ(hits_before, 60u);
}

TEST(NeighborSearch, RefusesWhatMakesNoSense) {
  const auto items = testing::uniform_matrix(10, 3, 7);
  const auto fit = fit_sparse_distance(L1Distance{}, items, {.landmarks = 3});
  EXPECT_THROW(fit.model.neighbors(items, {.neighbors = 0}), InvalidArgument);
  EXPECT_THROW(fit.model.neighbors(items, {.neighbors = 11}), InvalidArgument);
  EXPECT_THROW(fit.model.neighbors(items, {.neighbors = 3, .rerank = 2}), InvalidArgument);
  EXPECT_THROW(fit.model.neighbors(testing::uniform_matrix(2, 4, 8)), DataError);
  const auto small =
      fit_sparse_distance(L1Distance{}, items, {.landmarks = 3, .keep_items = false});
  EXPECT_THROW(small.model.neighbors(items), InvalidArgument);
  EXPECT_TRUE(
      testing::same_bits(small.model.estimate(items).squared, fit.model.estimate(items).squared));
}

}  // namespace
}  // namespace mercer
