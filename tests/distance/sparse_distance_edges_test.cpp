#include <atomic>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <mercer/error.h>
#include <mercer/sparse_distance.h>

#include "numbers.h"

namespace mercer {
namespace {

TEST(SparseDistanceEdges, OneItem) {
  for (const Distance& distance :
       {Distance(EuclideanDistance{}), Distance(HammingDistance{.threshold = 0}),
        Distance(KernelDistance{Gaussian{.gamma = 1}})}) {
    Matrix<double> item(1, 3);
    item(0, 0) = 2;
    for (const auto map : {DistanceMap::regression, DistanceMap::orthogonal, DistanceMap::affine}) {
      const auto fit = fit_sparse_distance(distance, item, {.landmarks = 5, .map = map});
      EXPECT_EQ(fit.model.landmarks().size(), 1u);
      EXPECT_TRUE(fit.model.sigma().empty());
      const auto query = testing::normal_matrix(2, 3, 1);
      const auto truth = squared_distances(distance, query, item);
      EXPECT_EQ(fit.model.estimate(query).squared(1, 0), truth(1, 0));
      EXPECT_EQ(fit.model.neighbors(query).items(0, 0), 0);
      EXPECT_FALSE(fit.summary.relative_error.has_value());
    }
  }
}

TEST(SparseDistanceEdges, AllItemsAsLandmarksGiveTheDistancesThemselves) {
  const auto items = testing::normal_matrix(9, 4, 2);
  const auto queries = testing::normal_matrix(3, 4, 3);
  std::vector<std::size_t> all{0, 1, 2, 3, 4, 5, 6, 7, 8};
  const auto fit = fit_sparse_distance(L1Distance{}, items, {.landmark_items = all});
  EXPECT_TRUE(testing::same_bits(fit.model.estimate(queries).squared,
                                 squared_distances(L1Distance{}, queries, items)));
  const auto more = fit_sparse_distance(L1Distance{}, items, {.landmarks = 40});
  EXPECT_LE(more.model.landmarks().size(), 9u);
  EXPECT_EQ(more.summary.termination.reason, TerminationReason::fewer_components);
}

TEST(SparseDistanceEdges, EqualItemsAndEqualLandmarks) {
  Matrix<double> items(6, 2);
  for (std::size_t i = 0; i < 6; ++i) items(i, 0) = 3;
  const auto fit = fit_sparse_distance(EuclideanDistance{}, items, {.landmarks = 3});
  EXPECT_EQ(fit.model.landmarks().size(), 1u);
  const auto query = testing::normal_matrix(1, 2, 4);
  const double truth = squared_distance(EuclideanDistance{}, query.row(0), items.row(0));
  const auto estimates = fit.model.estimate(query).squared;
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(estimates(0, i), truth, 1e-12);
  const std::vector<std::size_t> twice{0, 1, 2};
  const auto same = fit_sparse_distance(EuclideanDistance{}, items, {.landmark_items = twice});
  EXPECT_NEAR(same.model.estimate(query).squared(0, 5), truth, 1e-12);
  EXPECT_EQ(same.model.neighbors(query).items(0, 0), 0);
}

TEST(SparseDistanceEdges, CollinearItemsWithAConstantOriginStillHaveTheirBounds) {
  // No constant makes 0, 1, 2, ... positive semi-definite; bounds take another origin.
  Matrix<double> items(12, 1);
  for (std::size_t i = 0; i < 12; ++i) items(i, 0) = static_cast<double>(i);
  Matrix<double> queries(2, 1);
  queries(0, 0) = 3.3;
  queries(1, 0) = -20;
  const auto fit =
      fit_sparse_distance(EuclideanDistance{}, items,
                          {.landmarks = 3, .origin = DistanceOrigin::constant, .constant = 1});
  const auto truth = squared_distances(EuclideanDistance{}, queries, items);
  const auto bounds = fit.model.bounds(queries);
  for (std::size_t q = 0; q < 2; ++q) {
    for (std::size_t i = 0; i < 12; ++i) {
      EXPECT_LE(bounds.lower(q, i), truth(q, i) + 1e-9);
      EXPECT_GE(bounds.upper(q, i), truth(q, i) - 1e-9);
    }
  }
  EXPECT_THROW(fit.model.coefficient_error_bounds(queries), InvalidArgument);
}

TEST(SparseDistanceEdges, HugeAndTinyScales) {
  for (const double scale : {1e-60, 1e-3, 1e60}) {
    auto items = testing::normal_matrix(40, 5, 5, scale);
    auto queries = testing::normal_matrix(4, 5, 6, scale);
    const auto fit = fit_sparse_distance(EuclideanDistance{}, items, {.landmarks = 6});
    const auto truth = squared_distances(EuclideanDistance{}, queries, items);
    const auto found = fit.model.estimate(queries).squared;
    EXPECT_LT(testing::largest_difference(found, truth) / (scale * scale), 1e-8) << scale;
  }
  const auto far = testing::normal_matrix(10, 2, 7, 1e200);
  EXPECT_THROW(fit_sparse_distance(EuclideanDistance{}, far, {.landmarks = 2}), NumericalError);
}

TEST(SparseDistanceEdges, NumbersThatAreNoneAreNamed) {
  auto items = testing::normal_matrix(5, 2, 8);
  const auto fit = fit_sparse_distance(EuclideanDistance{}, items, {.landmarks = 2});
  auto queries = items;
  queries(3, 1) = std::numeric_limits<double>::quiet_NaN();
  try {
    fit.model.estimate(queries);
    FAIL();
  } catch (const DataError& e) {
    EXPECT_NE(std::string(e.what()).find("row 4, column 2"), std::string::npos) << e.what();
  }
  EXPECT_THROW(fit_sparse_distance(EuclideanDistance{}, queries, {}), DataError);
  EXPECT_THROW(fit_sparse_distance(EuclideanDistance{}, Matrix<double>(0, 3), {}), DataError);
}

TEST(SparseDistanceEdges, OptionsThatContradictEachOtherAreRefused) {
  const auto items = testing::normal_matrix(10, 2, 9);
  const auto refuse = [&](const SparseDistanceOptions& options) {
    EXPECT_THROW(fit_sparse_distance(EuclideanDistance{}, items, options), InvalidArgument);
  };
  refuse({.landmarks = 0});
  refuse({.landmarks = 3, .error = 0.1});
  refuse({.error = -0.1});
  refuse({.error = 0.1, .selection = SubsetSelection::uniform});
  refuse({.landmarks = 2, .landmark_items = {1, 2}});
  refuse({.landmark_items = {1, 1}});
  refuse({.landmark_items = {10}});
  refuse({.landmarks = 2, .candidates = {3, 12}});
  refuse({.landmarks = 2, .constant = 3});
  refuse({.landmarks = 2, .origin = DistanceOrigin::constant});
  refuse({.landmarks = 2, .own_map = Matrix<double>(10, 2)});
  refuse({.landmarks = 6, .sample = 4});
  refuse({.landmarks = 2, .sample = 4, .indefinite = IndefinitePolicy::clip});
  refuse({.landmarks = 5, .max_landmarks = 0});
}

TEST(SparseDistanceEdges, MemoryIsAskedForFirst) {
  const auto items = testing::normal_matrix(300, 2, 10);
  EXPECT_THROW(fit_sparse_distance(EuclideanDistance{}, items, {}, {.memory_limit_bytes = 100'000}),
               MemoryLimitError);
  const auto fit = fit_sparse_distance(EuclideanDistance{}, items, {.landmarks = 3, .sample = 20},
                                       {.memory_limit_bytes = 100'000});
  EXPECT_THROW(fit.model.estimate(items, {.memory_limit_bytes = 1000}), MemoryLimitError);
}

TEST(SparseDistanceEdges, CanBeCancelledAndReportsProgress) {
  const auto items = testing::normal_matrix(200, 2, 11);
  EXPECT_THROW(
      fit_sparse_distance(EuclideanDistance{}, items, {}, {.cancelled = [] { return true; }}),
      Cancelled);
  std::size_t reports = 0;
  fit_sparse_distance(EuclideanDistance{}, items, {}, {.progress = [&](const Progress& progress) {
                        EXPECT_GE(progress.fraction, 0);
                        EXPECT_LE(progress.fraction, 1);
                        ++reports;
                      }});
  EXPECT_GT(reports, 0u);
}

TEST(SparseDistanceEdges, ErrorsOfAUsersFunctionReachTheCaller) {
  const IndexedDistance distance{.count = 20, .squared = [](std::size_t, std::size_t j) -> double {
                                   if (j == 7) throw std::runtime_error("simulation failed");
                                   return 1;
                                 }};
  EXPECT_THROW(fit_sparse_distance(distance, {.landmarks = 2}), std::runtime_error);
}

}  // namespace
}  // namespace mercer
