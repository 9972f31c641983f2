#include "methods/component_choice.h"

#include <limits>

#include <gtest/gtest.h>

#include <mercer/error.h>

namespace mercer::methods {
namespace {

const std::vector<double> kValues = {5, 3, 1, 0.5, 1e-20};  // total 9.5
constexpr double kNoise = 1e-11;

std::optional<std::size_t> count(const ComponentChoice& choice,
                                 std::vector<double> values = kValues, double total = 9.5) {
  return choice.count(values, total, kNoise);
}

TEST(ComponentChoice, ByCountKeepsWhatIsAboveNoise) {
  EXPECT_EQ(count({3, {}, {}}), 3U);
  EXPECT_EQ(count({10, {}, {}}), 4U);
}

TEST(ComponentChoice, ByFractionKeepsTheSmallestSufficientNumber) {
  EXPECT_EQ(count({10, 0.5, {}}), 1U);
  EXPECT_EQ(count({10, 5.0 / 9.5, {}}), 1U);
  EXPECT_EQ(count({10, 0.6, {}}), 2U);
  EXPECT_EQ(count({10, 1.0, {}}), 4U);
}

TEST(ComponentChoice, ByFractionAsksForMoreWhileItIsNotReached) {
  EXPECT_EQ(count({10, 0.9, {}}, {5, 3}), std::nullopt);
  EXPECT_EQ(count({10, 0.9, {}}, {5, 3, 1}), 3U);
}

TEST(ComponentChoice, BySmallestEigenvalueIncludesEquality) {
  EXPECT_EQ(count({10, {}, 1.0}), 3U);
  EXPECT_EQ(count({10, {}, 1.0001}), 2U);
  EXPECT_EQ(count({10, {}, 100.0}), 0U);
  EXPECT_EQ(count({10, {}, 0.1}, {5, 3}), std::nullopt);
}

TEST(ComponentChoice, RefusesNonsense) {
  EXPECT_THROW(ComponentChoice(0, {}, {}), InvalidArgument);
  for (const double bad : {0.0, -0.1, 1.1, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(ComponentChoice(1, bad, {}), InvalidArgument);
  }
  EXPECT_THROW(ComponentChoice(1, {}, 0.0), InvalidArgument);
  EXPECT_THROW(ComponentChoice(1, {}, std::numeric_limits<double>::infinity()), InvalidArgument);
  EXPECT_THROW(ComponentChoice(1, 0.5, 0.5), InvalidArgument);
}

TEST(FixSigns, MakesTheLargestEntryPositiveAndTheFirstOnTies) {
  Matrix<double> b(3, 3);
  b(1, 0) = -2;
  b(2, 0) = 1;
  b(0, 1) = 3;
  b(0, 2) = -1;
  b(2, 2) = 1;
  fix_signs(b);
  EXPECT_EQ(b(1, 0), 2);
  EXPECT_EQ(b(2, 0), -1);
  EXPECT_EQ(b(0, 1), 3);
  EXPECT_EQ(b(0, 2), 1);
  EXPECT_EQ(b(2, 2), -1);
}

}  // namespace
}  // namespace mercer::methods
