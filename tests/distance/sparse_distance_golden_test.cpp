#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <mercer/sparse_distance.h>

#include "distance/golden_bits.h"
#include "golden/golden.h"

namespace mercer {
namespace {

using testing::ItemsAndQuery;

std::vector<std::size_t> indices(const std::vector<double>& values) {
  std::vector<std::size_t> found;
  for (const double value : values) found.push_back(static_cast<std::size_t>(value));
  return found;
}

std::vector<std::size_t> landmarks_of(const SparseDistance& model) {
  return {model.landmarks().begin(), model.landmarks().end()};
}

class SparseDistanceGolden : public ::testing::Test {
 protected:
  SparseDistanceFit fit(SubsetSelection selection, DistanceMap map = DistanceMap::regression) {
    return fit_sparse_distance(HammingDistance{}, data_.items,
                               {.landmarks = 4, .selection = selection, .map = map});
  }
  void expect_near(std::span<const double> found, const char* name, double tolerance) {
    const auto expected = golden_.values(name);
    ASSERT_EQ(found.size(), expected.size()) << name;
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_NEAR(found[i], expected[i], tolerance) << name << " " << i;
    }
  }

  golden::Golden golden_ = golden::Golden::load("sparse_distance/hamming.txt");
  ItemsAndQuery data_{testing::golden_bits()};
};

TEST_F(SparseDistanceGolden, BitsAreThoseThatWereMeant) {
  expect_near(data_.squares.row(0), "h_row0", 0);
  expect_near(data_.query_squares.row(0), "hq", 0);
}

TEST_F(SparseDistanceGolden, GreedyOrderAndGains) {
  const auto by_trace = fit(SubsetSelection::greedy);
  EXPECT_EQ(landmarks_of(by_trace.model), indices(golden_.values("greedy")));
  expect_near(by_trace.summary.gains, "gains", 1e-11);
  const auto by_norm = fit(SubsetSelection::greedy_frobenius);
  EXPECT_EQ(landmarks_of(by_norm.model), indices(golden_.values("greedyF")));
  expect_near(by_norm.summary.gains, "gainsF", 1e-10);
}

TEST_F(SparseDistanceGolden, SwapEnumerationAndAbsoluteErrors) {
  EXPECT_EQ(landmarks_of(fit(SubsetSelection::swap).model), indices(golden_.values("swap")));
  const auto best = fit(SubsetSelection::enumerate);
  EXPECT_EQ(landmarks_of(best.model), indices(golden_.values("opt")));
  // Tr K is 12 times 10.
  EXPECT_NEAR(*best.summary.residual_trace_fraction, 1 - golden_.number("f_opt") / 120, 1e-13);
  EXPECT_EQ(landmarks_of(fit(SubsetSelection::enumerate_l1).model),
            indices(golden_.values("l1opt")));
  EXPECT_EQ(landmarks_of(fit(SubsetSelection::pivoted_cholesky).model),
            indices(golden_.values("pivchol")));
}

TEST_F(SparseDistanceGolden, EstimatesOfBothMaps) {
  const auto regression = fit(SubsetSelection::greedy).model.estimate(data_.query);
  expect_near(regression.squared.row(0), "d2hat", 1e-12);
  EXPECT_EQ(regression.distance_evaluations, 4u);
  const auto orthogonal =
      fit(SubsetSelection::greedy, DistanceMap::orthogonal).model.estimate(data_.query);
  expect_near(orthogonal.squared.row(0), "d2orth", 1e-12);
  ASSERT_EQ(orthogonal.residuals.size(), 1u);
  EXPECT_NEAR(orthogonal.residuals[0] * orthogonal.residuals[0], golden_.number("rho2"), 1e-11);
}

TEST_F(SparseDistanceGolden, Bounds) {
  const auto bounds = fit(SubsetSelection::greedy).model.bounds(data_.query);
  // The recorded numbers have the rounding of a root at the landmarks.
  expect_near(bounds.lower.row(0), "LB", 3e-7);
  expect_near(bounds.upper.row(0), "UB", 3e-7);
}

TEST_F(SparseDistanceGolden, LeaveOneOutErrors) {
  expect_near(fit(SubsetSelection::greedy).model.sigma(), "press_sigma", 1e-12);
}

TEST_F(SparseDistanceGolden, NystromInverses) {
  const auto landmarks = indices(golden_.values("greedy"));
  const auto printed =
      nystrom_estimates(data_.squares, landmarks, data_.query_squares, 5, NystromInverse::printed);
  expect_near(printed.row(0), "d2_nystrom_paper", 1e-12);
  const auto proper = nystrom_estimates(data_.squares, landmarks, data_.query_squares, 5,
                                        NystromInverse::pseudo_inverse);
  expect_near(proper.row(0), "d2_nystrom_true", 1e-11);
}

TEST_F(SparseDistanceGolden, OffAndOnlineDistancesAreCounted) {
  const auto found = fit(SubsetSelection::greedy);
  EXPECT_EQ(found.summary.distance_evaluations.offline, 66u);
  EXPECT_EQ(found.summary.distance_evaluations.online, 4u);
}

TEST(SparseDistanceDegenerate, ValuesAreThoseRecordedThoughSetsMayTie) {
  const auto golden = golden::Golden::load("sparse_distance/degenerate.txt");
  const ItemsAndQuery data{testing::degenerate_bits()};
  EXPECT_EQ(golden.values("hq"), std::vector<double>(data.query_squares.row(0).begin(),
                                                     data.query_squares.row(0).end()));
  const double trace = golden.number("TrK");
  const auto captured = [&](SubsetSelection selection) {
    const auto fit = fit_sparse_distance(HammingDistance{}, data.items,
                                         {.landmarks = 4, .selection = selection});
    return (1 - *fit.summary.residual_trace_fraction) * trace;
  };
  EXPECT_NEAR(captured(SubsetSelection::greedy), golden.number("f_greedy"), 1e-11);
  EXPECT_NEAR(captured(SubsetSelection::swap), golden.number("f_swap"), 1e-11);
  EXPECT_NEAR(captured(SubsetSelection::enumerate), golden.number("f_opt"), 1e-9);
  const auto greedy = fit_sparse_distance(HammingDistance{}, data.items,
                                          {.landmarks = 4, .selection = SubsetSelection::greedy});
  const auto gains = golden.values("gains");
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(greedy.summary.gains[i], gains[i], 1e-11);
}

TEST(SparseDistanceDegenerate, EstimatesOfAQueryThatEqualsAnItem) {
  const auto golden = golden::Golden::load("sparse_distance/degenerate.txt");
  const ItemsAndQuery data{testing::degenerate_bits()};
  for (const bool orthogonal : {false, true}) {
    const auto fit = fit_sparse_distance(
        HammingDistance{}, data.items,
        {.landmark_items = indices(golden.values("greedy")),
         .map = orthogonal ? DistanceMap::orthogonal : DistanceMap::regression});
    const auto squared = fit.model.estimate(data.query).squared;
    const auto expected = golden.values(orthogonal ? "d2hat_orthproj" : "d2hat_greedy");
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(squared(0, i), expected[i], 1e-12) << i;
    }
  }
}

}  // namespace
}  // namespace mercer
