#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <mercer/error.h>
#include <mercer/sparse_distance.h>

#include "engine/every_distance.h"
#include "engine/random.h"
#include "numbers.h"

namespace mercer {
namespace {

using engine::RandomStream;

Matrix<double> correlated(std::size_t n, std::size_t d, std::uint64_t seed) {
  const auto factors = testing::uniform_matrix(n, 4, seed);
  const auto loadings = testing::uniform_matrix(4, d, 1000);
  Matrix<double> points(n, d);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      for (std::size_t k = 0; k < 4; ++k) points(i, j) += factors(i, k) * loadings(k, j) / 4;
    }
  }
  return points;
}

double largest(MatrixView<const double> a) {
  double value = 0;
  for (std::size_t i = 0; i < a.rows(); ++i) value = std::max(value, std::ranges::max(a.row(i)));
  return value;
}

TEST(SparseDistance, BoundsAreNeverViolatedAndLandmarksAreExact) {
  // 1,000 cases: every distance, several sizes, queries inside and outside, duplicates.
  const auto distances = testing::every_distance();
  std::size_t cases = 0;
  for (std::uint64_t seed = 0; cases < 1000; ++seed) {
    const RandomStream stream(seed);
    const Distance& distance = distances[seed % distances.size()];
    if (!is_hilbertian(distance)) continue;
    ++cases;
    const std::size_t n = 2 + stream.below(0, 30);
    const std::size_t d = 1 + stream.below(1, 20);
    const std::size_t m = 1 + stream.below(2, 8);
    auto items = correlated(n, d, seed);
    std::ranges::copy(items.row(0), items.row(n - 1).begin());
    auto queries = correlated(4, d, seed + 77);
    std::ranges::copy(items.row(n / 2), queries.row(0).begin());
    SparseDistanceOptions options{.landmarks = m};
    options.map = seed % 3 == 0 ? DistanceMap::orthogonal : DistanceMap::regression;
    options.selection = seed % 2 == 0 ? SubsetSelection::uniform : SubsetSelection::greedy;
    options.origin = seed % 5 == 0   ? DistanceOrigin::base_point
                     : seed % 5 == 1 ? DistanceOrigin::centroid
                                     : DistanceOrigin::automatic;
    const auto fit = fit_sparse_distance(distance, items, options, {.threads = 1});
    const auto truth = squared_distances(distance, queries, items);
    const double scale = std::max(largest(truth), 1e-300);
    const auto bounds = fit.model.bounds(queries, {.threads = 1});
    const auto estimates = fit.model.estimate(queries, {.threads = 1});
    for (std::size_t q = 0; q < queries.rows(); ++q) {
      for (std::size_t i = 0; i < n; ++i) {
        EXPECT_LE(bounds.lower(q, i), truth(q, i) + 1e-12 * scale)
            << distance_name(distance) << " seed " << seed;
        EXPECT_GE(bounds.upper(q, i), truth(q, i) - 1e-12 * scale)
            << distance_name(distance) << " seed " << seed;
      }
      for (const std::size_t item : fit.model.landmarks()) {
        EXPECT_EQ(estimates.squared(q, item), truth(q, item));
        EXPECT_EQ(bounds.lower(q, item), truth(q, item));
      }
    }
    if (options.map == DistanceMap::orthogonal) {
      for (std::size_t q = 0; q < queries.rows(); ++q) {
        for (std::size_t i = 0; i < n; ++i) {
          EXPECT_LE(estimates.squared(q, i), bounds.upper(q, i) + 1e-9 * scale);
          EXPECT_GE(estimates.squared(q, i), bounds.lower(q, i) - 1e-9 * scale);
        }
      }
    }
  }
}

TEST(SparseDistance, BoundsHoldForIllConditionedLandmarks) {
  const auto items = testing::normal_matrix(60, 2, 1);
  const auto queries = testing::normal_matrix(20, 2, 2);
  for (const double sigma : {1.0, 3.0, 10.0, 30.0}) {
    const Distance distance = KernelDistance{Gaussian::from_sigma(sigma)};
    const auto fit = fit_sparse_distance(distance, items, {.landmarks = 30});
    const auto truth = squared_distances(distance, queries, items);
    const auto bounds = fit.model.bounds(queries);
    for (std::size_t q = 0; q < 20; ++q) {
      for (std::size_t i = 0; i < 60; ++i) {
        EXPECT_LE(bounds.lower(q, i), truth(q, i) + 1e-14) << sigma;
        EXPECT_GE(bounds.upper(q, i), truth(q, i) - 1e-14) << sigma;
      }
    }
  }
}

TEST(SparseDistance, WithEnoughLandmarksEuclideanDistancesAreExact) {
  // d + 1 landmarks span all of d dimensions, whatever the map.
  const auto items = testing::normal_matrix(50, 4, 3);
  const auto queries = testing::normal_matrix(9, 4, 4);
  const auto truth = squared_distances(EuclideanDistance{}, queries, items);
  for (const auto map : {DistanceMap::regression, DistanceMap::orthogonal}) {
    for (const auto origin : {DistanceOrigin::base_point, DistanceOrigin::centroid}) {
      // Outside the items' own space there is nothing: estimates of squares are those of
      // projections, which are the points themselves.
      const auto fit = fit_sparse_distance(EuclideanDistance{}, items,
                                           {.landmarks = 5, .map = map, .origin = origin});
      const auto estimates = fit.model.estimate(queries);
      EXPECT_LT(testing::largest_difference(estimates.squared, truth), 1e-10);
      EXPECT_EQ(estimates.distance_evaluations, 45u);
      for (const double rho : estimates.residuals) EXPECT_LT(rho, 1e-5);
    }
  }
}

TEST(SparseDistance, EstimatesHaveTheSameBitsForAnyThreadsAndAnyCutting) {
  const auto items = correlated(300, 20, 5);
  const auto queries = correlated(70, 20, 6);
  const auto fit = fit_sparse_distance(L1Distance{}, items, {.landmarks = 12}, {.threads = 1});
  const auto again = fit_sparse_distance(L1Distance{}, items, {.landmarks = 12}, {.threads = 3});
  EXPECT_TRUE(testing::same_bits(fit.model.weights(), again.model.weights()));
  const auto all = fit.model.estimate(queries, {.threads = 3});
  EXPECT_TRUE(testing::same_bits(all.squared, again.model.estimate(queries).squared));
  for (const std::size_t first : {0U, 13U, 60U}) {
    const auto part = fit.model.estimate(queries.view().rows_from(first, 10), {.threads = 1});
    EXPECT_TRUE(testing::same_bits(part.squared, all.squared.view().rows_from(first, 10)));
  }
}

TEST(SparseDistance, RegressionBeatsProjectionAndMoreLandmarksBeatFewer) {
  const auto items = correlated(200, 30, 7);
  const auto queries = correlated(50, 30, 8);
  const auto truth = squared_distances(L1Distance{}, queries, items);
  const auto error = [&](std::size_t m, DistanceMap map) {
    const auto fit = fit_sparse_distance(L1Distance{}, items, {.landmarks = m, .map = map});
    const auto squared = fit.model.estimate(queries).squared;
    double sum = 0;
    for (std::size_t i = 0; i < squared.size(); ++i) {
      sum += std::abs(squared.data()[i] - truth.data()[i]) / truth.data()[i];
    }
    return sum / static_cast<double>(squared.size());
  };
  EXPECT_LT(error(16, DistanceMap::regression), error(16, DistanceMap::orthogonal));
  EXPECT_LT(error(16, DistanceMap::regression), error(6, DistanceMap::regression));
  EXPECT_LT(error(2, DistanceMap::affine), error(2, DistanceMap::regression));
}

TEST(SparseDistance, LeaveOneOutPredictsTheErrorOfNewQueries) {
  const auto items = correlated(400, 30, 9);
  const auto queries = correlated(200, 30, 10);
  for (const auto map : {DistanceMap::regression, DistanceMap::orthogonal, DistanceMap::affine}) {
    const auto fit = fit_sparse_distance(
        L1Distance{}, items, {.landmarks = 8, .selection = SubsetSelection::uniform, .map = map});
    const auto truth = squared_distances(L1Distance{}, queries, items);
    const auto squared = fit.model.estimate(queries).squared;
    double relative = 0;
    double standardised = 0;
    for (std::size_t q = 0; q < 200; ++q) {
      for (std::size_t i = 0; i < 400; ++i) {
        const double error = squared(q, i) - truth(q, i);
        relative += std::abs(error) / truth(q, i) / 80000;
        if (fit.model.sigma()[i] > 1e-12) {
          standardised += std::pow(error / fit.model.sigma()[i], 2) / (200 * 392);
        }
      }
    }
    EXPECT_NEAR(relative / *fit.summary.relative_error, 1, 0.1);
    EXPECT_NEAR(std::sqrt(standardised), 1, 0.12);
  }
}

TEST(SparseDistance, AddsLandmarksUntilTheErrorIsMet) {
  const auto items = correlated(250, 30, 11);
  const auto fit = fit_sparse_distance(L1Distance{}, items, {.error = 0.03});
  EXPECT_LE(*fit.summary.relative_error, 0.03);
  const std::size_t m = fit.model.landmarks().size();
  ASSERT_GT(m, 2u);
  const auto fewer = fit_sparse_distance(
      L1Distance{}, items, {.landmarks = m - 1, .selection = SubsetSelection::greedy});
  EXPECT_GT(*fewer.summary.relative_error, 0.03);
  const auto missed = fit_sparse_distance(L1Distance{}, items, {.error = 1e-9, .max_landmarks = 5});
  EXPECT_EQ(missed.summary.termination.reason, TerminationReason::tolerance_missed);
}

TEST(SparseDistance, ASampleNeedsFewerDistancesAndLosesLittle) {
  const auto items = correlated(400, 30, 12);
  const auto queries = correlated(50, 30, 13);
  const auto truth = squared_distances(L1Distance{}, queries, items);
  const auto error = [&](const SparseDistanceFit& fit) {
    return testing::largest_difference(fit.model.estimate(queries).squared, truth);
  };
  const auto whole = fit_sparse_distance(L1Distance{}, items, {.landmarks = 10});
  const auto part = fit_sparse_distance(L1Distance{}, items, {.landmarks = 10, .sample = 100});
  EXPECT_EQ(whole.summary.distance_evaluations.offline, 400u * 399 / 2);
  EXPECT_EQ(part.summary.distance_evaluations.offline, 100u * 99 / 2 + 300 * 100);
  EXPECT_LT(error(part), 2 * error(whole));
  EXPECT_TRUE(part.model.hilbertian());
}

TEST(SparseDistance, ObjectsRowsAndMatricesGiveTheSameModel) {
  const auto items = correlated(40, 6, 14);
  const auto queries = correlated(5, 6, 15);
  const SparseDistanceOptions options{.landmarks = 5, .origin = DistanceOrigin::base_point};
  const auto rows = fit_sparse_distance(L1Distance{}, items, options);
  const auto squares = squared_distances(L1Distance{}, items, items);
  const auto query_squares = squared_distances(L1Distance{}, queries, items);
  const auto given = fit_sparse_distance(PrecomputedDistance{.squared = true, .hilbertian = true},
                                         squares, options);
  const IndexedDistance among{
      .count = 40,
      .squared = [&](std::size_t i, std::size_t j) { return squares(i, j); },
      .name = "l1",
      .hilbertian = true};
  const IndexedDistance from{
      .count = 5, .squared = [&](std::size_t q, std::size_t j) { return query_squares(q, j); }};
  const auto indexed = fit_sparse_distance(among, options);
  const auto expected = rows.model.estimate(queries).squared;
  EXPECT_TRUE(testing::same_bits(given.model.estimate(query_squares).squared, expected));
  EXPECT_TRUE(testing::same_bits(indexed.model.estimate(from).squared, expected));
  Matrix<double> to_landmarks(5, 5);
  for (std::size_t q = 0; q < 5; ++q) {
    for (std::size_t j = 0; j < 5; ++j) {
      to_landmarks(q, j) = query_squares(q, rows.model.landmarks()[j]);
    }
  }
  EXPECT_TRUE(testing::same_bits(given.model.estimate(to_landmarks).squared, expected));
  EXPECT_TRUE(
      testing::same_bits(rows.model.estimate_from_landmarks(to_landmarks).squared, expected));
  EXPECT_EQ(indexed.model.neighbors(from).items(0, 0), rows.model.neighbors(queries).items(0, 0));
}

TEST(SparseDistance, DistancesOutsideHilbertSpaceAreFoundOutAndLoseTheirBounds) {
  const auto items = testing::normal_matrix(30, 4, 16);
  const CustomDistance chebyshev{.squared =
                                     [](std::span<const double> x, std::span<const double> y) {
                                       double most = 0;
                                       for (std::size_t j = 0; j < x.size(); ++j) {
                                         most = std::max(most, std::abs(x[j] - y[j]));
                                       }
                                       return most * most;
                                     },
                                 .name = "chebyshev"};
  const auto fit = fit_sparse_distance(chebyshev, items, {.landmarks = 6});
  EXPECT_FALSE(fit.model.hilbertian());
  EXPECT_GT(*fit.summary.negative_share, 0.01);
  EXPECT_EQ(fit.summary.checked_items, 30u);
  ASSERT_FALSE(fit.summary.warnings.empty());
  EXPECT_NO_THROW(fit.model.estimate(items));
  EXPECT_NO_THROW(fit.model.neighbors(items, {.neighbors = 1, .rerank = 5}));
  EXPECT_THROW(fit.model.bounds(items), InvalidArgument);
  EXPECT_THROW(fit.model.neighbors(items), InvalidArgument);
  EXPECT_THROW(fit.model.coefficient_error_bounds(items), InvalidArgument);
  EXPECT_THROW(fit_sparse_distance(chebyshev, items,
                                   {.landmarks = 6, .indefinite = IndefinitePolicy::error}),
               DataError);
  CustomDistance boasting = chebyshev;
  boasting.hilbertian = true;
  EXPECT_FALSE(fit_sparse_distance(boasting, items, {.landmarks = 6}).model.hilbertian());
  for (const auto policy :
       {IndefinitePolicy::clip, IndefinitePolicy::shift, IndefinitePolicy::ignore}) {
    const auto other =
        fit_sparse_distance(chebyshev, items, {.landmarks = 6, .indefinite = policy});
    const auto estimates = other.model.estimate(items);
    const auto truth = squared_distances(chebyshev, items, items);
    double error = 0;
    for (std::size_t i = 0; i < truth.size(); ++i) {
      error += std::abs(estimates.squared.data()[i] - truth.data()[i]) / 900;
    }
    EXPECT_LT(error, 1.5);
    for (const std::size_t r : other.model.landmarks()) {
      EXPECT_EQ(estimates.squared(7, r), truth(7, r));
    }
  }
}

TEST(SparseDistance, CoefficientErrorsStayWithinTheirBounds) {
  // |beta^ - beta|_K of an item is the distance of its estimate in feature space, Phi beta^, from
  // itself: with a linear kernel that can be written down.
  const auto items = testing::normal_matrix(20, 6, 17);
  const auto queries = testing::normal_matrix(5, 6, 18);
  const std::vector<std::size_t> landmarks{2, 9, 15};
  const auto fit =
      fit_sparse_distance(KernelDistance{Cosine{}}, items, {.landmark_items = landmarks});
  const auto bounds = fit.model.coefficient_error_bounds(queries);
  const auto projection =
      fit_sparse_distance(KernelDistance{Cosine{}}, items,
                          {.landmark_items = landmarks, .map = DistanceMap::orthogonal});
  const auto smaller = projection.model.coefficient_error_bounds(queries);
  const auto rho = projection.model.estimate(queries).residuals;
  for (std::size_t q = 0; q < 5; ++q) {
    EXPECT_GE(bounds[q], rho[q]);
    EXPECT_NEAR(smaller[q], rho[q], 1e-6);
  }
  EXPECT_GT(*fit.summary.coefficient_error, 0);
  // For orthogonal projections the error of an item is its distance from the span.
  const auto of_items = projection.model.estimate(items).residuals;
  double sum = 0;
  for (const double value : of_items) sum += value * value / 20;
  EXPECT_NEAR(*projection.summary.coefficient_error, std::sqrt(sum), 1e-6);
}

TEST(SparseDistance, OwnMapsAndCandidatesAreUsed) {
  const auto items = testing::normal_matrix(25, 5, 19);
  const std::vector<std::size_t> candidates{3, 6, 9, 12, 15};
  const auto chosen =
      fit_sparse_distance(EuclideanDistance{}, items, {.landmarks = 3, .candidates = candidates});
  for (const std::size_t r : chosen.model.landmarks()) EXPECT_EQ(r % 3, 0u);
  // The map of the regression itself, handed in from outside.
  const std::vector<std::size_t> landmarks{4, 8, 20};
  const SparseDistanceOptions constant{
      .landmark_items = landmarks, .origin = DistanceOrigin::constant, .constant = 30};
  const auto regression = fit_sparse_distance(EuclideanDistance{}, items, constant);
  SparseDistanceOptions own = constant;
  own.own_map = Matrix<double>(regression.model.weights());
  const auto same = fit_sparse_distance(EuclideanDistance{}, items, own);
  EXPECT_EQ(same.summary.map, "own");
  EXPECT_LT(testing::largest_difference(same.model.estimate(items).squared,
                                        regression.model.estimate(items).squared),
            1e-10);
}

}  // namespace
}  // namespace mercer
