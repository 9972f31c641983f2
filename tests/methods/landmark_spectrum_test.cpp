#include "methods/landmark_spectrum.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include <gtest/gtest.h>

#include <mercer/error.h>
#include <mercer/kernel.h>

#include "engine/kernel_matrix.h"
#include "engine/kernel_points.h"
#include "engine/kernel_value.h"
#include "engine/reference.h"
#include "golden/golden.h"
#include "numbers.h"

namespace mercer::methods {
namespace {

using engine::Moments;
using engine::MomentsPass;
using engine::Workers;

/// Lower triangular factor of a kernel matrix; zeros above.
Matrix<double> factor_of(const Matrix<double>& gram) {
  auto lower = gram;
  if (!engine::cholesky_lower(lower)) throw NumericalError("the landmarks are dependent");
  for (std::size_t i = 0; i < lower.rows(); ++i) {
    for (std::size_t j = i + 1; j < lower.cols(); ++j) lower(i, j) = 0;
  }
  return lower;
}

/// A fit up to its spectrum, as it is made from rows in chunks.
struct Rows {
  Kernel kernel;
  MatrixView<const double> points;
  std::vector<double> weights;
  MatrixView<const double> landmarks;

  double weight(std::size_t i) const { return weights.empty() ? 1 : weights[i]; }

  double trace() const {
    const auto diagonal = engine::kernel_diagonal(kernel, points);
    double sum = 0;
    for (std::size_t i = 0; i < diagonal.size(); ++i) sum += weight(i) * diagonal[i];
    return sum;
  }

  Matrix<double> lower() const {
    return factor_of(engine::reference::kernel_matrix(kernel, landmarks, landmarks));
  }

  /// Moments of the kernel values with the landmarks, about the row means of their own matrix.
  Moments kernel_values(Workers& workers) const {
    const auto own = engine::reference::kernel_matrix(kernel, landmarks, landmarks);
    std::vector<double> means;
    for (std::size_t i = 0; i < own.rows(); ++i) {
      const auto row = own.row(i);
      means.push_back(std::accumulate(row.begin(), row.end(), 0.0) /
                      static_cast<double>(own.cols()));
    }
    Moments moments(means);
    using Pass = MomentsPass<double, double>;
    Pass pass(moments);
    const auto shift = engine::distance_shift(kernel, landmarks);
    const engine::KernelPoints<double> library(kernel, landmarks, shift);
    for (std::size_t first = 0; first < points.rows(); first += Pass::kChunkRows) {
      const std::size_t count = std::min(Pass::kChunkRows, points.rows() - first);
      const engine::KernelPoints<double> chunk(kernel, points.rows_from(first, count), shift);
      const std::span<const double> all = weights;
      pass.add(
          count, all.empty() ? all : all.subspan(first, count),
          [&](std::size_t block, double* panels, std::size_t panel_rows) {
            const std::size_t stride = panel_rows * engine::kBlock;
            for (std::size_t part = 0; part < library.blocks(); ++part) {
              library.block(part, chunk, block, panels + part * stride, panel_rows);
            }
          },
          workers);
    }
    return moments;
  }

  LandmarkSpectrum spectrum(bool center, Workers& workers) const {
    return {kernel_values(workers), lower(), trace(), center, workers};
  }

  /// Rows in coordinates of the landmarks, n x m, by forward substitution.
  Matrix<double> coordinates() const {
    const auto l = lower();
    auto z = engine::reference::kernel_matrix(kernel, points, landmarks);
    for (std::size_t i = 0; i < z.rows(); ++i) {
      for (std::size_t j = 0; j < z.cols(); ++j) {
        for (std::size_t c = 0; c < j; ++c) z(i, j) -= z(i, c) * l(j, c);
        z(i, j) /= l(j, j);
      }
    }
    return z;
  }
};

class Circle : public ::testing::TestWithParam<std::string> {
 protected:
  Circle()
      : rows_{.kernel = Gaussian{recorded_.number("gamma")},
              .points = exact_["train"],
              .weights = {},
              .landmarks = exact_["train"].view().rows_from(0, 20)} {
    if (GetParam() == "weighted") {
      for (int i = 0; i < 240; ++i) rows_.weights.push_back(1 + i % 3);
    }
  }
  double recorded(const std::string& name) const {
    return recorded_.number(GetParam() + "." + name);
  }

  golden::Golden exact_ = golden::Golden::load("exact/circle240.txt");
  golden::Golden recorded_ = golden::Golden::load("landmarks/circle240.txt");
  Rows rows_;
  Workers workers_{{.threads = 2}};
};
INSTANTIATE_TEST_SUITE_P(Weights, Circle, ::testing::Values("unit", "weighted"),
                         [](const auto& name) { return name.param; });

TEST_P(Circle, GivesTheRecordedSpectrum) {
  const auto spectrum = rows_.spectrum(true, workers_);
  ASSERT_EQ(spectrum.size(), 20U);
  EXPECT_EQ(spectrum.weight(), GetParam() == "unit" ? 240 : 480);
  EXPECT_NEAR(spectrum.residual_trace(20), recorded("residual_trace"), 1e-9);
  EXPECT_NEAR(spectrum.residual_fraction(20), recorded("residual_trace") / spectrum.trace(), 1e-11);
  EXPECT_NEAR(spectrum.total_upper(), recorded("total_upper"), 1e-9);
  const auto pairs = spectrum.eigenpairs(20, 10, 1, workers_);
  const auto expected = recorded_.values(GetParam() + ".eigenvalues");
  ASSERT_EQ(pairs.values.size(), 10U);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_NEAR(pairs.values[i], expected[i], 1e-9) << i;
  const auto half = spectrum.eigenpairs(10, 4, 1, workers_);
  EXPECT_NEAR(spectrum.change(half, pairs, 4, workers_), recorded("change_10_20_of_4"), 1e-9);
}

TEST_P(Circle, GivesTheRecordedScoresOfANewPoint) {
  const auto spectrum = rows_.spectrum(true, workers_);
  const auto pairs = spectrum.eigenpairs(20, 4, 1, workers_);
  auto new_rows = rows_;
  new_rows.points = exact_["new"].view().rows_from(0, 1);
  const auto z = new_rows.coordinates();
  const auto expected = recorded_.values(GetParam() + ".absolute_new_scores");
  for (std::size_t j = 0; j < 4; ++j) {
    double score = 0;
    for (std::size_t c = 0; c < 20; ++c) {
      score += (z(0, c) - spectrum.mean()[c]) * pairs.vectors(j, c);
    }
    EXPECT_NEAR(std::abs(score), expected[j], 1e-9);
  }
}

TEST_P(Circle, EigenvaluesAndResidualMakeUpTheTotal) {
  for (const bool center : {true, false}) {
    const auto spectrum = rows_.spectrum(center, workers_);
    const auto pairs = spectrum.eigenpairs(20, 20, 1, workers_);
    const double sum = std::accumulate(pairs.values.begin(), pairs.values.end(), 0.0);
    EXPECT_NEAR(sum + spectrum.residual_trace(20), spectrum.total_upper(), 1e-10);
  }
}

TEST_P(Circle, ResidualsOfFewerLandmarksAreTheirOwn) {
  const auto spectrum = rows_.spectrum(true, workers_);
  const auto uncentered = rows_.spectrum(false, workers_);
  const auto z = rows_.coordinates();
  for (const std::size_t m : {0U, 1U, 7U, 19U, 20U}) {
    double residual = 0;
    for (std::size_t i = 0; i < z.rows(); ++i) {
      double left = 1;
      for (std::size_t c = 0; c < m; ++c) left -= z(i, c) * z(i, c);
      residual += rows_.weight(i) * left;
    }
    EXPECT_NEAR(spectrum.residual_trace(m), residual, 1e-9) << m;
    EXPECT_NEAR(uncentered.residual_trace(m), residual, 1e-9) << m;
  }
}

TEST_P(Circle, SpectraOfFewerLandmarksAreTheirOwn) {
  auto fewer = rows_;
  fewer.landmarks = rows_.landmarks.rows_from(0, 7);
  for (const bool center : {true, false}) {
    const auto all = rows_.spectrum(center, workers_).eigenpairs(7, 7, 1, workers_);
    const auto own = fewer.spectrum(center, workers_).eigenpairs(7, 7, 1, workers_);
    for (std::size_t i = 0; i < 7; ++i) EXPECT_NEAR(all.values[i], own.values[i], 1e-9);
  }
}

TEST_P(Circle, KernelValuesAndCoordinatesGiveTheSameSpectrum) {
  const auto z = rows_.coordinates();
  Moments moments(std::vector<double>(20, 0.0));
  MomentsPass<double, double> pass(moments);
  const std::size_t width = engine::panel_width<double>();
  pass.add(
      240, rows_.weights,
      [&](std::size_t block, double* panels, std::size_t panel_rows) {
        for (std::size_t r = 0; r < std::min(engine::kBlock, 240 - block * engine::kBlock); ++r) {
          for (std::size_t c = 0; c < 20; ++c) {
            panels[(c / width * panel_rows + r) * width + c % width] =
                z(block * engine::kBlock + r, c);
          }
        }
      },
      workers_);
  for (const bool center : {true, false}) {
    const LandmarkSpectrum direct(moments, rows_.trace(), center);
    const auto by_kernel_values = rows_.spectrum(center, workers_);
    const auto a = direct.eigenpairs(20, 20, 1, workers_);
    const auto b = by_kernel_values.eigenpairs(20, 20, 1, workers_);
    for (std::size_t i = 0; i < 20; ++i) EXPECT_NEAR(a.values[i], b.values[i], 1e-9);
    EXPECT_NEAR(direct.residual_trace(20), by_kernel_values.residual_trace(20), 1e-9);
    EXPECT_NEAR(direct.total_upper(), by_kernel_values.total_upper(), 1e-9);
  }
}

TEST_P(Circle, ChangeIsTheAngleOfTheScores) {
  const auto z = rows_.coordinates();
  for (const bool center : {true, false}) {
    const auto spectrum = rows_.spectrum(center, workers_);
    const auto unit_scores = [&](std::size_t m) {
      const auto pairs = spectrum.eigenpairs(m, 3, 1, workers_);
      Matrix<double> scores(3, 240);
      for (std::size_t k = 0; k < 3; ++k) {
        for (std::size_t i = 0; i < 240; ++i) {
          for (std::size_t c = 0; c < m; ++c) {
            scores(k, i) += (z(i, c) - (center ? spectrum.mean()[c] : 0)) * pairs.vectors(k, c);
          }
          scores(k, i) *= std::sqrt(rows_.weight(i) / pairs.values[k]);
        }
      }
      return scores;
    };
    const auto fewer = unit_scores(8);
    const auto more = unit_scores(16);
    Matrix<double> cosines(3, 3);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        cosines(i, j) =
            std::inner_product(fewer.row(i).begin(), fewer.row(i).end(), more.row(j).begin(), 0.0);
      }
    }
    const double smallest = engine::singular_values(cosines).values.back();
    const double change = spectrum.change(spectrum.eigenpairs(8, 3, 1, workers_),
                                          spectrum.eigenpairs(16, 3, 1, workers_), 3, workers_);
    EXPECT_NEAR(change, std::sqrt(1 - smallest * smallest), 1e-9);
  }
}

TEST_P(Circle, SubspaceErrorFollowsTheHalvings) {
  const auto spectrum = rows_.spectrum(true, workers_);
  const auto pairs = [&](std::size_t m) { return spectrum.eigenpairs(m, 2, 1, workers_); };
  const double last = spectrum.change(pairs(10), pairs(20), 2, workers_);
  const double before = spectrum.change(pairs(5), pairs(10), 2, workers_);
  ASSERT_GT(before, last);
  const auto error_of = [&](std::size_t count) {
    return subspace_error(spectrum, spectrum.eigenpairs(20, count, 1, workers_), 1, workers_);
  };
  const auto error = error_of(2);
  EXPECT_EQ(error.change, last);
  EXPECT_DOUBLE_EQ(error.estimate, last * last / before);
  // A quarter has too few landmarks: nothing is known of the change before.
  const auto many = error_of(6);
  EXPECT_DOUBLE_EQ(many.estimate, many.change * many.change);
  EXPECT_EQ(error_of(15).change, 1);
}

TEST(LandmarkSpectrum, OfAllRowsIsExactKernelPca) {
  Workers workers({.threads = 2});
  const auto points = testing::normal_matrix(120, 4, 1);
  const Rows rows{.kernel = Gaussian{0.5}, .points = points, .weights = {}, .landmarks = points};
  const auto gram = engine::reference::kernel_matrix(rows.kernel, points, points);
  for (const bool center : {true, false}) {
    const auto exact = engine::reference::kernel_pca(gram, gram, 30, center);
    const auto spectrum = rows.spectrum(center, workers);
    const auto pairs = spectrum.eigenpairs(120, 30, 1, workers);
    for (std::size_t i = 0; i < 30; ++i) {
      EXPECT_NEAR(pairs.values[i], exact.eigenvalues[i], 1e-9) << i;
    }
    EXPECT_NEAR(spectrum.residual_trace(120), 0, 1e-9);
    EXPECT_NEAR(spectrum.total_upper(), exact.total_variance, 1e-9);
  }
}

TEST(LandmarkSpectrum, OfManyLandmarksIsTheSameByBothSolvers) {
  // Few of many eigenpairs are found by iteration, most of them by LAPACK.
  Workers workers({.threads = 2});
  const auto points = testing::normal_matrix(2500, 3, 2);
  const Rows rows{.kernel = Laplacian{1.0},
                  .points = points,
                  .weights = {},
                  .landmarks = points.view().rows_from(0, 400)};
  const auto spectrum = rows.spectrum(true, workers);
  const auto few = spectrum.eigenpairs(400, 5, 1, workers);
  const auto most = spectrum.eigenpairs(400, 300, 1, workers);
  Workers one({.threads = 1});
  EXPECT_TRUE(
      testing::same_bits(rows.spectrum(true, one).eigenpairs(400, 5, 1, one).vectors, few.vectors));
  ASSERT_EQ(few.values.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(few.values[i], most.values[i], 1e-10 * most.values[0]);
    const double cosine = std::inner_product(few.vectors.row(i).begin(), few.vectors.row(i).end(),
                                             most.vectors.row(i).begin(), 0.0);
    EXPECT_NEAR(std::abs(cosine), 1, 1e-9);
  }
}

TEST(LandmarkSpectrum, WeightsAreRepetitions) {
  Workers workers({.threads = 1});
  const auto points = testing::normal_matrix(60, 3, 3);
  std::vector<double> weights;
  for (int i = 0; i < 60; ++i) weights.push_back(1 + i % 4);
  const auto copies = testing::repeat_rows(points, weights);
  const auto landmarks = points.view().rows_from(0, 15);
  const Rows weighted{
      .kernel = Matern52{2.0}, .points = points, .weights = weights, .landmarks = landmarks};
  const Rows repeated{
      .kernel = Matern52{2.0}, .points = copies, .weights = {}, .landmarks = landmarks};
  for (const bool center : {true, false}) {
    const auto a = weighted.spectrum(center, workers);
    const auto b = repeated.spectrum(center, workers);
    EXPECT_NEAR(a.residual_trace(15), b.residual_trace(15), 1e-9);
    EXPECT_NEAR(a.total_upper(), b.total_upper(), 1e-9);
    const auto left = a.eigenpairs(15, 15, 1, workers);
    const auto right = b.eigenpairs(15, 15, 1, workers);
    for (std::size_t i = 0; i < 15; ++i) EXPECT_NEAR(left.values[i], right.values[i], 1e-9);
  }
}

TEST(LandmarkSpectrum, ErrorIsNotExtrapolatedFromAChangeThatGrew) {
  // One and two coordinates have the same leading component; the third is larger than both.
  Workers workers({.threads = 1});
  const Moments::Sums sums{.shift = {0, 0, 0, 0},
                           .sum = {0, 0, 0, 0},
                           .triangle = {5, 0, 1, 0, 0, 9, 0, 0, 0, 1},
                           .weight = 10,
                           .rows = 10};
  const LandmarkSpectrum spectrum(Moments::from_sums(sums), 17, true);
  const auto error = subspace_error(spectrum, spectrum.eigenpairs(4, 1, 1, workers), 1, workers);
  EXPECT_EQ(error.change, 1);
  EXPECT_EQ(error.estimate, 1);
}

TEST(LandmarkSpectrum, EdgesHaveAnAnswer) {
  Workers workers({.threads = 1});
  const auto points = testing::normal_matrix(30, 2, 4);
  const Rows rows{.kernel = Gaussian{0.5},
                  .points = points,
                  .weights = {},
                  .landmarks = points.view().rows_from(0, 3)};
  const auto spectrum = rows.spectrum(true, workers);
  EXPECT_TRUE(spectrum.eigenpairs(0, 5, 1, workers).values.empty());
  EXPECT_TRUE(spectrum.eigenpairs(3, 0, 1, workers).values.empty());
  EXPECT_EQ(spectrum.eigenpairs(3, 10, 1, workers).values.size(), 3U);
  const auto all = spectrum.eigenpairs(3, 3, 1, workers);
  EXPECT_EQ(spectrum.change(spectrum.eigenpairs(1, 2, 1, workers), all, 2, workers), 1);
  EXPECT_NEAR(spectrum.change(all, all, 3, workers), 0, 1e-7);
  EXPECT_EQ(spectrum.residual_fraction(0), 1);
}

TEST(LandmarkSpectrum, OverflowIsAnError) {
  Moments::Sums sums{.shift = {0, 0},
                     .sum = {1, 2},
                     .triangle = {1, std::numeric_limits<double>::infinity(), 1},
                     .weight = 3,
                     .rows = 3};
  EXPECT_THROW(LandmarkSpectrum(Moments::from_sums(sums), 3, true), NumericalError);
}

}  // namespace
}  // namespace mercer::methods
