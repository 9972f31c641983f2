#include <cmath>

#include <gtest/gtest.h>

#include <mercer/distance.h>
#include <mercer/error.h>

#include "engine/distance_value.h"
#include "engine/every_distance.h"

namespace mercer {
namespace {

double value(const Distance& distance, const std::vector<double>& x, const std::vector<double>& y) {
  return squared_distance(distance, x, y);
}

TEST(Distance, FormulasGiveWhatIsComputedByHand) {
  const std::vector<double> x{0.5, 0.5, 0};
  const std::vector<double> y{0.25, 0, 0.75};
  EXPECT_DOUBLE_EQ(value(EuclideanDistance{}, x, y), 0.0625 + 0.25 + 0.5625);
  EXPECT_DOUBLE_EQ(value(HammingDistance{0.3}, x, y), 3);
  EXPECT_DOUBLE_EQ(value(HammingDistance{}, {1, 0, 1, 1}, {1, 1, 0, 1}), 2);
  EXPECT_DOUBLE_EQ(value(L1Distance{}, x, y), 1.5);
  EXPECT_DOUBLE_EQ(value(Chi2Distance{}, x, y), 0.0625 / 0.75 + 0.5 + 0.75);
  EXPECT_DOUBLE_EQ(value(HellingerDistance{}, x, y),
                   0.5 * (std::pow(std::sqrt(0.5) - 0.5, 2) + 0.5 + 0.75));
  EXPECT_DOUBLE_EQ(value(JensenShannonDistance{}, x, y),
                   0.5 * (0.5 * std::log(0.5 / 0.375) + 0.5 * std::log(2.0) +
                          0.25 * std::log(0.25 / 0.375) + 0.75 * std::log(2.0)));
  EXPECT_DOUBLE_EQ(value(CosineDistance{}, x, y), 1 - 0.125 / (std::sqrt(0.5) * std::sqrt(0.625)));
  EXPECT_DOUBLE_EQ(value(JaccardDistance{}, {1, 0, 1, 1}, {1, 1, 0, 1}), 0.5);
  EXPECT_DOUBLE_EQ(value(JaccardDistance{}, {0, 0}, {0, 0}), 0);
  EXPECT_DOUBLE_EQ(value(JaccardDistance{}, {0, 0}, {0, 1}), 1);
  EXPECT_DOUBLE_EQ(value(KernelDistance{Linear{}}, x, y), value(EuclideanDistance{}, x, y));
}

TEST(Distance, DisjointDistributionsAreAtTheLargestDistance) {
  EXPECT_DOUBLE_EQ(value(JensenShannonDistance{}, {1, 0}, {0, 1}), std::log(2.0));
  EXPECT_DOUBLE_EQ(value(HellingerDistance{}, {1, 0}, {0, 1}), 1);
  EXPECT_DOUBLE_EQ(value(Chi2Distance{}, {1, 0}, {0, 1}), 2);
}

TEST(Distance, JensenShannonKeepsItsDigitsNearZero) {
  // To third order the divergence is (x - y)^2 / (4 (x + y)) per coordinate.
  const double step = 1e-7;
  const double exact = step * step / (4 * (1 + step));
  EXPECT_NEAR(value(JensenShannonDistance{}, {0.5}, {0.5 + step}) / exact, 1, 1e-7);
}

TEST(Distance, NamesAndParametersComeBack) {
  for (const std::string& name : distance_names()) {
    EXPECT_EQ(distance_name(make_distance(name, {})), name);
  }
  for (const Distance& distance :
       {Distance(HammingDistance{0.25}), Distance(JaccardDistance{-1}), Distance(L1Distance{}),
        Distance(PrecomputedDistance{.squared = true})}) {
    const auto parameters = distance_parameters(distance);
    EXPECT_EQ(distance_parameters(make_distance(distance_name(distance), parameters)), parameters);
  }
  EXPECT_THROW(make_distance("levenshtein", {}), InvalidArgument);
  EXPECT_THROW(make_distance("l1", {{"threshold", 1.0}}), InvalidArgument);
}

TEST(Distance, IsHilbertianByTheoremOrByDeclaration) {
  EXPECT_TRUE(is_hilbertian(EuclideanDistance{}));
  EXPECT_TRUE(is_hilbertian(HammingDistance{}));
  EXPECT_TRUE(is_hilbertian(JensenShannonDistance{}));
  EXPECT_TRUE(is_hilbertian(KernelDistance{Gaussian{}}));
  EXPECT_FALSE(is_hilbertian(KernelDistance{Sigmoid{}}));
  EXPECT_FALSE(is_hilbertian(KernelDistance{Polynomial{.coef0 = -1}}));
  EXPECT_FALSE(is_hilbertian(PrecomputedDistance{}));
  EXPECT_FALSE(is_hilbertian(CustomDistance{}));
  EXPECT_TRUE(is_hilbertian(CustomDistance{.hilbertian = true}));
}

TEST(Distance, RefusesWhatItCannotTake) {
  const auto check = [](const Distance& distance, const std::vector<double>& row) {
    engine::check_distance_points(distance, {row.data(), 1, row.size()}, 4);
  };
  EXPECT_THROW(check(EuclideanDistance{}, {1, NAN}), DataError);
  EXPECT_THROW(check(L1Distance{}, {INFINITY}), DataError);
  for (const Distance& distance :
       {Distance(Chi2Distance{}), Distance(HellingerDistance{}), Distance(JensenShannonDistance{}),
        Distance(PrecomputedDistance{})}) {
    EXPECT_THROW(check(distance, {0.5, -0.5}), DataError);
    EXPECT_NO_THROW(check(distance, {0.5, 0}));
  }
  EXPECT_THROW(check(HammingDistance{}, {0, 0.5}), DataError);
  EXPECT_NO_THROW(check(HammingDistance{0.2}, {0, 0.5}));
  EXPECT_THROW(check(CosineDistance{}, {0, 0}), DataError);
  try {
    check(JaccardDistance{}, {0, 3});
    FAIL();
  } catch (const DataError& e) {
    EXPECT_STREQ(e.what(),
                 "row 5, column 2 is 3: the jaccard distance is for 0 and 1; give a threshold to "
                 "cut at");
  }
}

TEST(Distance, PrecomputedItemsAreSquareSymmetricAndZeroOnTheDiagonal) {
  Matrix<double> d(2, 2);
  d(0, 1) = d(1, 0) = 3;
  EXPECT_NO_THROW(engine::check_distance_items(PrecomputedDistance{}, d));
  d(0, 1) = 2;
  EXPECT_THROW(engine::check_distance_items(PrecomputedDistance{}, d), DataError);
  d(0, 1) = 3;
  d(1, 1) = 1;
  EXPECT_THROW(engine::check_distance_items(PrecomputedDistance{}, d), DataError);
  EXPECT_THROW(engine::check_distance_items(PrecomputedDistance{}, Matrix<double>(2, 3)),
               DataError);
}

TEST(Distance, MissingFunctionsAndOddThresholdsAreRefused) {
  EXPECT_THROW(validate(Distance(CustomDistance{})), InvalidArgument);
  EXPECT_THROW(validate(Distance(KernelDistance{Custom{}})), InvalidArgument);
  EXPECT_THROW(validate(Distance(KernelDistance{Precomputed{}})), InvalidArgument);
  EXPECT_THROW(validate(Distance(HammingDistance{NAN})), InvalidArgument);
  for (const Distance& distance : testing::every_distance()) EXPECT_NO_THROW(validate(distance));
}

}  // namespace
}  // namespace mercer
