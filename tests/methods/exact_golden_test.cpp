// Exact kernel PCA against numbers of other implementations (tests/golden/README.md).

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include <mercer/exact.h>

#include "golden/golden.h"
#include "numbers.h"

namespace mercer {
namespace {

using golden::Golden;
using testing::largest_difference_up_to_sign;

Matrix<double> columns(MatrixView<const double> a, const std::vector<double>& chosen) {
  Matrix<double> out(a.rows(), chosen.size());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < chosen.size(); ++j) {
      out(i, j) = a(i, static_cast<std::size_t>(chosen[j]));
    }
  }
  return out;
}

void expect_scores(const Model& model, MatrixView<const double> points,
                   MatrixView<const double> expected, const std::vector<double>& chosen) {
  EXPECT_LT(largest_difference_up_to_sign(columns(model.transform(points), chosen), expected),
            1e-8);
}

void expect_equal_to(const std::string& file, const Kernel& kernel, const ExactOptions& options) {
  SCOPED_TRACE(file);
  const auto golden = Golden::load(file);
  const auto fit = fit_exact(golden["train"], kernel, options);
  const auto eigenvalues = golden.values("eigenvalues");
  ASSERT_GE(fit.summary.eigenvalues.size(), eigenvalues.size());
  for (std::size_t i = 0; i < eigenvalues.size(); ++i) {
    EXPECT_NEAR(fit.summary.eigenvalues[i], eigenvalues[i], 1e-10 * eigenvalues[0]);
  }
  const auto chosen = golden.values("component");
  expect_scores(fit.model, golden["train"], golden["train_scores"], chosen);
  expect_scores(fit.model, golden["new"], golden["new_scores"], chosen);
}

struct Peer {
  std::string name;
  std::vector<std::string> parameters;
};

class ScikitLearn : public ::testing::TestWithParam<Peer> {};

TEST_P(ScikitLearn, AgreesOnEigenvaluesAndScores) {
  const auto& [name, parameters] = GetParam();
  const std::string file = "sklearn/" + name + ".txt";
  const auto golden = Golden::load(file);
  std::vector<std::pair<std::string, double>> values;
  for (const std::string& parameter : parameters) {
    values.emplace_back(parameter, golden.number(parameter));
  }
  expect_equal_to(file, make_kernel(name, values), {.components = 8});
}

INSTANTIATE_TEST_SUITE_P(
    EveryKernel, ScikitLearn,
    ::testing::Values(Peer{"gaussian", {"gamma"}}, Peer{"laplacian", {"gamma"}},
                      Peer{"laplacian_l1", {"gamma"}}, Peer{"matern32", {"length"}},
                      Peer{"matern52", {"length"}}, Peer{"rational_quadratic", {"length", "alpha"}},
                      Peer{"polynomial", {"gamma", "degree", "coef0"}}, Peer{"linear", {}},
                      Peer{"cosine", {}}, Peer{"sigmoid", {"gamma", "coef0"}}, Peer{"chi2", {}},
                      Peer{"exponential_chi2", {"gamma"}}, Peer{"precomputed", {}}),
    [](const auto& peer) { return peer.param.name; });

TEST(Golden, GaussianUncentered) {
  const auto golden = Golden::load("sklearn/gaussian_uncentered.txt");
  expect_equal_to("sklearn/gaussian_uncentered.txt", Gaussian{golden.number("gamma")},
                  {.components = 8, .center = false});
}

TEST(Golden, Kernlab) {
  const auto golden = Golden::load("kernlab/gaussian.txt");
  expect_equal_to("kernlab/gaussian.txt", Gaussian{golden.number("gamma")}, {.components = 8});
}

TEST(Golden, Circle240ByBothSolvers) {
  const auto golden = Golden::load("exact/circle240.txt");
  for (const auto solver : {EigenSolver::dense, EigenSolver::block_krylov}) {
    const auto fit =
        fit_exact(golden["train"], Gaussian::from_sigma(4), {.components = 10, .solver = solver});
    const auto eigenvalues = golden.values("eigenvalues");
    for (std::size_t i = 0; i < eigenvalues.size(); ++i) {
      EXPECT_NEAR(fit.summary.eigenvalues[i], eigenvalues[i], 1e-9);
    }
    EXPECT_NEAR(fit.summary.total_variance->low, golden.number("trace_of_centered_gram"), 1e-9);
    EXPECT_NEAR(*fit.summary.reconstruction_error, 0.054378831218, 1e-11);
    const auto scores = fit.model.transform(golden["new"]);
    const auto& expected = golden["absolute_new_scores"];
    for (std::size_t i = 0; i < expected.rows(); ++i) {
      for (std::size_t j = 0; j < expected.cols(); ++j) {
        EXPECT_NEAR(std::abs(scores(i, j)), expected(i, j), 1e-8);
      }
    }
  }
}

TEST(Golden, UniformSquare) {
  const auto golden = Golden::load("exact/g1.txt");
  const std::vector<std::pair<std::string, Kernel>> kernels = {
      {"gaussian_narrow", Gaussian{golden.number("gaussian_narrow.gamma")}},
      {"gaussian_wide", Gaussian{golden.number("gaussian_wide.gamma")}},
      {"laplacian", Laplacian{golden.number("laplacian.gamma")}}};
  for (const auto& [name, kernel] : kernels) {
    for (const bool center : {true, false}) {
      const std::string prefix = name + (center ? ".centered" : ".uncentered");
      SCOPED_TRACE(prefix);
      const auto fit = fit_exact(golden["train"], kernel, {.components = 5, .center = center});
      const auto eigenvalues = golden.values(prefix + "_eigenvalues_over_n");
      for (std::size_t i = 0; i < eigenvalues.size(); ++i) {
        EXPECT_NEAR(fit.summary.eigenvalues[i] / 300, eigenvalues[i], 1e-11);
      }
      const auto scores = fit.model.transform(golden["new"]);
      const auto expected = golden.values(prefix + "_absolute_new_scores");
      for (std::size_t j = 0; j < expected.size(); ++j) {
        EXPECT_NEAR(std::abs(scores(0, j)), expected[j], 1e-8);
      }
    }
  }
}

}  // namespace
}  // namespace mercer
