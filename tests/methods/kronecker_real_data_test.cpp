// Kronecker-factorised kernel PCA of abalone beside landmarks: what it leaves out, order by order.
// Skipped where the data are absent.

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <mercer/mercer.h>

namespace mercer {
namespace {

constexpr std::size_t kRows = 3000;
const Kernel kKernel = Gaussian{0.125};

std::filesystem::path abalone_file() {
  const char* given = std::getenv("MERCER_DATA");
  const std::filesystem::path folder =
      given != nullptr ? std::filesystem::path(given)
                       : std::filesystem::path(MERCER_SOURCE_DIR) / ".." / "shared" / "data";
  return folder / "abalone" / "abalone.data.gz";
}

/// The first 3000 rows, sex as three columns, every column from -1 to 1 over the whole file.
class AbaloneKronecker : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto file = abalone_file();
    if (!std::filesystem::exists(file)) GTEST_SKIP() << "MERCER_DATA has no abalone";
    auto table =
        read_table(file, {.label = ColumnName::parse("last"), .one_hot = parse_columns("1")});
    minmax_scaling(table.points).apply(table.points);
    points_ = Matrix<double>(std::as_const(table.points).view().rows_from(0, kRows));
    exact_ =
        fit_exact(points_, kKernel, {.components = 10, .center = false}).model.transform(points_);
  }

  Fit product(KroneckerOrder order, std::size_t groups) const {
    return fit_kronecker(points_, kKernel,
                         {.components = 10, .center = false, .order = order, .groups = groups});
  }

  /// Of the eigenvectors of the product, scaled to scores: row i is B_i lambda.
  double vector_error(const Fit& fit) const {
    Matrix<double> scores(fit.model.coefficients());
    for (std::size_t i = 0; i < scores.rows(); ++i) {
      for (std::size_t j = 0; j < scores.cols(); ++j) scores(i, j) *= fit.summary.eigenvalues[j];
    }
    return align_procrustes(exact_, scores).relative_error;
  }

  /// Of the scores that the model gives, up to any mixing of the components.
  double score_error(const Fit& fit) const {
    return align_least_squares(exact_, fit.model.transform(points_)).relative_error;
  }

  Fit landmarks(std::size_t count, std::uint64_t seed = 0) const {
    return fit_landmarks(points_, kKernel, {.components = 10, .center = false, .landmarks = count},
                         {.seed = seed});
  }

  Matrix<double> points_;
  Matrix<double> exact_;
};

struct Row {
  KroneckerOrder order;
  std::size_t groups;
  double frobenius;
  std::vector<double> eigenvalues;  ///< divided by n
  double vectors;
};

TEST_F(AbaloneKronecker, LeavesOutWhatTheTableSays) {
  for (const Row& row : {
           Row{KroneckerOrder::file, 50, .484, {.514, .044, .011}, .65},
           Row{KroneckerOrder::random, 50, .491, {.514, .005, .004}, .69},
           Row{KroneckerOrder::principal, 50, .263, {.515, .205, .126}, .33},
           Row{KroneckerOrder::bisection, 50, .103, {.516, .206, .183}, .13},
           Row{KroneckerOrder::bisection, 300, .037, {.517, .207, .189}, .05},
       }) {
    const auto fit = product(row.order, row.groups);
    EXPECT_NEAR(fit.summary.bounds[0].value, row.frobenius, .003);
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_NEAR(fit.summary.eigenvalues[j] / kRows, row.eigenvalues[j], .001) << j;
    }
    EXPECT_NEAR(vector_error(fit), row.vectors, .01);
    EXPECT_FALSE(fit.summary.warnings.empty());
  }
}

/// |K - Z Z^T| / |K| of all scores of landmarks.
double frobenius_error(MatrixView<const double> points, const Matrix<double>& scores) {
  double residual2 = 0;
  double norm2 = 0;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double distance2 = 0;
      for (std::size_t c = 0; c < points.cols(); ++c) {
        distance2 += (points(i, c) - points(j, c)) * (points(i, c) - points(j, c));
      }
      double product = 0;
      for (std::size_t c = 0; c < scores.cols(); ++c) product += scores(i, c) * scores(j, c);
      const double value = std::exp(-0.125 * distance2);
      const double copies = i == j ? 1 : 2;
      residual2 += copies * (value - product) * (value - product);
      norm2 += copies * value * value;
    }
  }
  return std::sqrt(residual2 / norm2);
}

TEST_F(AbaloneKronecker, TenLandmarksLeaveOutLessThanEveryVariant) {
  const auto best = product(KroneckerOrder::bisection, 300);
  const auto square = product(KroneckerOrder::bisection, 50);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const auto ten = landmarks(10, seed);
    const auto scores = ten.model.transform(points_);
    EXPECT_LT(frobenius_error(points_, scores), best.summary.bounds[0].value / 4);
    EXPECT_LT(align_procrustes(exact_, scores).relative_error, vector_error(square) / 2);
    EXPECT_LT(50 * ten.summary.kernel_evaluations, best.summary.kernel_evaluations);
  }
}

TEST_F(AbaloneKronecker, ScoresNeedSomeMoreLandmarks) {
  // The model takes kernel values with all rows, which smooths the vectors of the product once.
  for (const KroneckerOrder order : {KroneckerOrder::file, KroneckerOrder::random,
                                     KroneckerOrder::principal, KroneckerOrder::bisection}) {
    EXPECT_LT(score_error(landmarks(20)), score_error(product(order, 50)) / 2);
    EXPECT_LT(score_error(landmarks(50)), score_error(product(order, 300)) / 2);
  }
}

}  // namespace
}  // namespace mercer
