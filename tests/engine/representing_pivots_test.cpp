#include "engine/representing_pivots.h"

#include <cmath>

#include <gtest/gtest.h>

#include "engine/elimination.h"
#include "engine/reference.h"
#include "numbers.h"

namespace mercer::engine {
namespace {

using testing::normal_matrix;
using Rows = std::vector<std::size_t>;

/// With the products of what is left and the vectors spelled out in every step.
Rows by_definition(const Matrix<double>& gram, MatrixView<const double> vectors,
                   std::size_t count) {
  const auto energy = [&](const Matrix<double>& left, std::size_t j) {
    double sum = 0;
    for (std::size_t c = 0; c < vectors.cols(); ++c) {
      double image = 0;
      for (std::size_t i = 0; i < left.rows(); ++i) image += left(j, i) * vectors(i, c);
      sum += image * image;
    }
    return sum;
  };
  return testing::best_pivots(gram, count, 1e-10, energy);
}

/// Vectors whose sizes fall by ten orders of magnitude.
Matrix<double> fading_vectors(std::size_t n, std::size_t r) {
  auto vectors = normal_matrix(n, r, 2);
  for (std::size_t j = 0; j < r; ++j) {
    const double size = std::pow(10.0, -10.0 * static_cast<double>(j) / static_cast<double>(r));
    for (std::size_t i = 0; i < n; ++i) vectors(i, j) *= size;
  }
  return vectors;
}

TEST(RepresentingPivots, AreThoseOfTheDefinition) {
  Workers workers({.threads = 2});
  const auto points = normal_matrix(150, 3, 1);
  for (const double gamma : {0.1, 1.0}) {
    const auto gram = reference::kernel_matrix(Gaussian{gamma}, points, points);
    const auto vectors = fading_vectors(150, 20);
    const auto chosen = representing_pivots(gram, vectors, 70, workers);
    EXPECT_EQ(chosen.pivots, by_definition(gram, vectors, 70)) << "gamma " << gamma;
    for (std::size_t i = 0; i < 150; ++i) {
      for (const std::size_t pivot : chosen.pivots) {
        double value = 0;
        for (std::size_t c = 0; c < chosen.factor.cols(); ++c) {
          value += chosen.factor(i, c) * chosen.factor(pivot, c);
        }
        ASSERT_NEAR(value, gram(i, pivot), 1e-11) << i << " " << pivot;
      }
    }
  }
}

TEST(RepresentingPivots, EndWhereThereIsNothingLeftToRepresent) {
  Workers workers({.threads = 1});
  const auto points = normal_matrix(40, 2, 3);
  const auto gram = reference::kernel_matrix(Gaussian{.gamma = 2}, points, points);
  Matrix<double> one(40, 1);
  one(7, 0) = 3;  // the feature of a point: that point represents it
  EXPECT_EQ(representing_pivots(gram, one, 40, workers).pivots, Rows{7});
  EXPECT_TRUE(representing_pivots(gram, Matrix<double>(40, 1), 40, workers).pivots.empty());
}

TEST(RepresentingPivots, CopiesAreNotTakenTwice) {
  Workers workers({.threads = 2});
  const auto few = normal_matrix(12, 2, 4);
  Matrix<double> points(48, 2);
  for (std::size_t i = 0; i < 48; ++i) std::ranges::copy(few.row(i % 12), points.row(i).begin());
  const auto gram = reference::kernel_matrix(Gaussian{.gamma = 1}, points, points);
  const auto chosen = representing_pivots(gram, normal_matrix(48, 15, 5), 48, workers);
  EXPECT_EQ(chosen.pivots.size(), 12U);
  for (const std::size_t pivot : chosen.pivots) EXPECT_LT(pivot, 12U);
}

TEST(RepresentingPivots, ThreadsGiveTheSameBits) {
  const auto points = normal_matrix(300, 4, 6);
  const auto gram = reference::kernel_matrix(Gaussian{.gamma = 0.2}, points, points);
  const auto vectors = fading_vectors(300, 40);
  Workers one({.threads = 1});
  Workers three({.threads = 3});
  EXPECT_TRUE(testing::same_bits(representing_pivots(gram, vectors, 150, one).factor,
                                 representing_pivots(gram, vectors, 150, three).factor));
}

}  // namespace
}  // namespace mercer::engine
