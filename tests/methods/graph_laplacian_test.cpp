#include "methods/graph_laplacian.h"

#include <gtest/gtest.h>

#include <mercer/error.h>

#include "engine/every_kernel.h"
#include "methods/graph_reference.h"
#include "numbers.h"

namespace mercer::methods {
namespace {

using engine::reference::multiply;
using testing::largest_difference;
using testing::normal_matrix;
using testing::small_integers;

class GraphMatrices : public ::testing::Test {
 protected:
  static constexpr std::size_t kNodes = 150;

  GraphMatrices()
      : workers_(RunOptions{.threads = 2}),
        points_(normal_matrix(kNodes, 3, 1)),
        weights_(small_integers(kNodes)),
        gram_(engine::make_gram(kernel_, points_, {}, workers_)),
        values_(engine::reference::kernel_matrix(kernel_, points_, points_)) {}

  /// diag(sqrt w) K diag(sqrt w) - diag(removed), rows and columns divided by sqrt(divisor).
  Matrix<double> weighted(const std::vector<double>& removed, const std::vector<double>& divisor) {
    Matrix<double> a(values_);
    for (std::size_t i = 0; i < kNodes; ++i) {
      for (std::size_t j = 0; j < kNodes; ++j) {
        a(i, j) *= std::sqrt(weights_[i] * weights_[j]);
        if (i == j) a(i, j) -= removed[i];
        a(i, j) /= std::sqrt(divisor[i] * divisor[j]);
      }
    }
    return a;
  }

  /// The operator is `a` without its part along g; the dense form has g at the eigenvalue `sink`.
  void expect_deflated(const GraphMatrixParts& parts, const Matrix<double>& a) {
    GraphMatrix matrix(*gram_, parts, workers_);
    const auto g = matrix.null_vector();
    Matrix<double> known(kNodes, 8);
    for (std::size_t i = 0; i < kNodes; ++i) known(i, 0) = g[i];
    auto image = multiply(a, known);
    for (std::size_t i = 0; i < kNodes; ++i) image(i, 0) -= parts.known_value * g[i];
    EXPECT_LT(testing::largest_magnitude(image), 1e-13);

    Matrix<double> deflated(a);
    Matrix<double> sunk(a);
    for (std::size_t i = 0; i < kNodes; ++i) {
      for (std::size_t j = 0; j < kNodes; ++j) {
        deflated(i, j) -= parts.known_value * g[i] * g[j];
        sunk(i, j) -= (parts.known_value - parts.sink) * g[i] * g[j];
      }
    }
    EXPECT_LT(largest_difference(matrix.dense(), sunk), 1e-13);
    const auto v = normal_matrix(kNodes, 8, 2);
    Matrix<double> y(kNodes, 8);
    matrix.apply(v, y);
    EXPECT_LT(largest_difference(y, multiply(deflated, v)), 1e-12);
    matrix.apply(known, y);
    EXPECT_LT(testing::largest_magnitude(y), 1e-14);
  }

  Kernel kernel_ = Gaussian{0.3};
  engine::Workers workers_;
  Matrix<double> points_;
  std::vector<double> weights_;
  std::unique_ptr<engine::GramOperator> gram_;
  Matrix<double> values_;
};

TEST_F(GraphMatrices, DegreesAreWeightedSums) {
  const auto degrees = graph_degrees(*gram_, weights_, workers_);
  for (std::size_t i = 0; i < kNodes; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < kNodes; ++j) sum += values_(i, j) * weights_[j];
    EXPECT_NEAR(degrees[i], sum, 1e-12);
  }
}

TEST_F(GraphMatrices, RandomWalkEqualsItsDefinition) {
  const auto d = graph_degrees(*gram_, weights_, workers_);
  expect_deflated(random_walk(weights_, d), weighted(std::vector<double>(kNodes, 0.0), d));
}

TEST_F(GraphMatrices, RandomWalkWithoutLoopsEqualsItsDefinition) {
  const auto loops = gram_->diagonal();
  const auto d = without_self_loops(graph_degrees(*gram_, weights_, workers_), loops);
  expect_deflated(random_walk_without_loops(weights_, d, loops),
                  weighted({loops.begin(), loops.end()}, d));
}

TEST_F(GraphMatrices, NegatedLaplacianEqualsItsDefinition) {
  const auto d = graph_degrees(*gram_, weights_, workers_);
  const auto negated = negated_laplacian(weights_, d);
  const double largest = std::ranges::max(d);
  EXPECT_LE(negated.unit, largest);
  EXPECT_GT(2 * negated.unit, largest);
  expect_deflated(negated.parts, weighted(d, std::vector<double>(kNodes, negated.unit)));
}

TEST(GraphKernels, MustNotBeNegative) {
  for (const Kernel& kernel : testing::every_kernel()) {
    const std::string name = kernel_name(kernel);
    const bool refused =
        name == "linear" || name == "polynomial" || name == "cosine" || name == "sigmoid";
    if (refused) {
      EXPECT_THROW(check_graph_kernel(kernel), InvalidArgument) << name;
    } else {
      EXPECT_NO_THROW(check_graph_kernel(kernel)) << name;
    }
  }
  EXPECT_THROW(check_graph_kernel(Precomputed{}), InvalidArgument);
}

TEST(GraphDegrees, MustBePositive) {
  engine::Workers workers(RunOptions{});
  const auto points = normal_matrix(5, 2, 1);
  const Custom negative{.function = [](auto, auto) { return -1.0; }};
  const auto gram = engine::make_gram(negative, points, {}, workers);
  EXPECT_THROW(graph_degrees(*gram, std::vector<double>(5, 1.0), workers), NumericalError);
}

TEST(GraphDegrees, WithoutLoopsALonePointIsAnError) {
  const std::vector<double> loops{1, 1, 1};
  EXPECT_EQ(without_self_loops({2, 3, 1.5}, loops), (std::vector<double>{1, 2, 0.5}));
  EXPECT_THROW(without_self_loops({2, 1, 3}, loops), NumericalError);
  EXPECT_THROW(without_self_loops({2, 1 + 1e-14, 3}, loops), NumericalError);
}

}  // namespace
}  // namespace mercer::methods
