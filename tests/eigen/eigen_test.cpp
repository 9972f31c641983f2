#include <cmath>
#include <type_traits>
#include <utility>

#include <gtest/gtest.h>

#include <mercer/eigen.h>
#include <mercer/exact.h>

namespace mercer {
namespace {

template <class T>
constexpr bool can_become_eigen = requires(T&& matrix) { as_eigen(std::forward<T>(matrix)); };

EigenRowMajor<double> counted(Eigen::Index rows, Eigen::Index cols) {
  EigenRowMajor<double> m(rows, cols);
  for (Eigen::Index i = 0; i < m.size(); ++i) m.data()[i] = static_cast<double>(i);
  return m;
}

TEST(AsMatrixView, PointsIntoTheEigenMatrix) {
  auto m = counted(3, 4);
  auto view = as_matrix_view(m);
  static_assert(std::is_same_v<decltype(view), MatrixView<double>>);
  EXPECT_EQ(view.data(), m.data());
  EXPECT_EQ(view.rows(), 3U);
  EXPECT_EQ(view.cols(), 4U);
  EXPECT_EQ(view.stride(), 4U);
  view(2, 1) = -1;
  EXPECT_EQ(m(2, 1), -1);
}

TEST(AsMatrixView, OfAConstMatrixIsReadOnly) {
  const auto m = counted(3, 4);
  const auto view = as_matrix_view(m);
  static_assert(std::is_same_v<std::remove_const_t<decltype(view)>, MatrixView<const double>>);
  EXPECT_EQ(view.data(), m.data());
}

TEST(AsMatrixView, SeesABlockThroughTheStrideOfItsMatrix) {
  const auto m = counted(5, 6);
  const auto view = as_matrix_view(m.block(1, 2, 3, 2));
  EXPECT_EQ(view.data(), m.data() + 8);
  EXPECT_EQ(view.stride(), 6U);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 2; ++j) {
      EXPECT_EQ(view(i, j), m(static_cast<Eigen::Index>(i) + 1, static_cast<Eigen::Index>(j) + 2));
    }
  }
}

TEST(AsMatrixView, TakesAColumnAsOneNumberPerRow) {
  const Eigen::VectorXd vector = Eigen::VectorXd::LinSpaced(4, 0, 3);
  const auto whole = as_matrix_view(vector);
  EXPECT_EQ(whole.data(), vector.data());
  EXPECT_EQ(whole.rows(), 4U);
  EXPECT_EQ(whole.cols(), 1U);
  EXPECT_EQ(whole(3, 0), 3);

  const auto m = counted(3, 4);
  const auto column = as_matrix_view(m.col(2));
  EXPECT_EQ(column.data(), m.data() + 2);
  EXPECT_EQ(column(2, 0), m(2, 2));
}

TEST(AsMatrixView, KeepsTheScalarType) {
  EigenRowMajor<float> m(2, 2);
  static_assert(std::is_same_v<decltype(as_matrix_view(m)), MatrixView<float>>);
  EXPECT_EQ(as_matrix_view(m).data(), m.data());
}

TEST(AsEigen, PointsIntoTheMatrix) {
  Matrix<double> m(3, 2);
  auto map = as_eigen(m);
  EXPECT_EQ(map.data(), m.data());
  EXPECT_EQ(map.rows(), 3);
  EXPECT_EQ(map.cols(), 2);
  map(2, 1) = 7;
  EXPECT_EQ(m(2, 1), 7);
}

TEST(AsEigen, SeesAViewThroughItsStride) {
  Matrix<double> m(4, 5);
  for (std::size_t i = 0; i < m.size(); ++i) m.data()[i] = static_cast<double>(i);
  const MatrixView<const double> part = m.view().rows_from(1, 2).cols_from(3, 2);
  const auto map = as_eigen(part);
  EXPECT_EQ(map.data(), m.data() + 8);
  EXPECT_EQ(map(1, 1), m(2, 4));
  EXPECT_EQ(map.sum(), m(1, 3) + m(1, 4) + m(2, 3) + m(2, 4));
}

TEST(AsEigen, RefusesATemporary) {
  static_assert(can_become_eigen<Matrix<double>&>);
  static_assert(can_become_eigen<const Matrix<double>&>);
  static_assert(!can_become_eigen<Matrix<double>>);
}

TEST(AsEigen, UndoesAsMatrixView) {
  auto m = counted(3, 4);
  const auto back = as_eigen(as_matrix_view(m));
  EXPECT_EQ(back.data(), m.data());
  EXPECT_EQ(back, m);
}

TEST(Eigen, MatricesGoThroughAFit) {
  const Eigen::Index n = 40;
  EigenRowMajor<double> points(n, 2);
  for (Eigen::Index i = 0; i < n; ++i) {
    const double t = 6.283185307179586 * static_cast<double>(i) / static_cast<double>(n);
    points.row(i) << std::cos(t), std::sin(t);
  }
  const auto fit = fit_exact(as_matrix_view(points), Gaussian{.gamma = 1.0}, {.components = 3});
  const auto scores = fit.model.transform(as_matrix_view(points));
  const Eigen::MatrixXd gram = as_eigen(scores).transpose() * as_eigen(scores);
  for (Eigen::Index j = 0; j < 3; ++j) {
    const double lambda = fit.model.eigenvalues()[static_cast<std::size_t>(j)];
    EXPECT_NEAR(gram(j, j), lambda, 1e-10 * gram(0, 0));
  }
}

}  // namespace
}  // namespace mercer
