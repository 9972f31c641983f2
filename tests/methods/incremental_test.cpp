#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <mercer/error.h>
#include <mercer/exact.h>
#include <mercer/files.h>
#include <mercer/incremental.h>

#include "methods/merge_oracle.h"
#include "model/temporary_folder.h"
#include "numbers.h"

namespace mercer {
namespace {

using testing::largest_difference_up_to_sign;
using testing::normal_matrix;

/// Points about 8 centres.
Matrix<double> clusters(std::size_t n, std::size_t d, std::uint64_t seed) {
  const auto centres = normal_matrix(8, d, 77, 2);
  auto points = normal_matrix(n, d, seed, 0.6);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < d; ++j) points(i, j) += centres(i % 8, j);
  }
  return points;
}

void expect_same_bits(const BlockModel& a, const BlockModel& b) {
  EXPECT_TRUE(testing::same_bits(a.library(), b.library()));
  EXPECT_TRUE(testing::same_bits(a.coefficients(), b.coefficients()));
  EXPECT_TRUE(std::ranges::equal(a.singular_values(), b.singular_values()));
  EXPECT_TRUE(std::ranges::equal(a.mean_coefficients(), b.mean_coefficients()));
  EXPECT_EQ(a.lost(), b.lost());
  EXPECT_EQ(a.deviation(), b.deviation());
  EXPECT_EQ(a.rows(), b.rows());
  EXPECT_EQ(a.kernel_evaluations(), b.kernel_evaluations());
}

TEST(Incremental, AModelIsThereAtAnyMoment) {
  const auto points = clusters(2000, 3, 1);
  const Kernel kernel = Gaussian{.gamma = 0.1};
  IncrementalOptions options;
  options.library.mse = 1e-4;
  IncrementalFit fit(kernel, options);
  EXPECT_THROW(fit.block(), DataError);
  EXPECT_THROW(fit.finish(), DataError);
  for (std::size_t first = 0; first < 2000; first += 400) {
    fit.partial_fit(points.view().rows_from(first, 400));
    const auto seen = points.view().rows_from(0, first + 400);
    EXPECT_EQ(fit.rows(), first + 400);
    const Fit model = fit.finish({.components = 4});
    const Fit exact = fit_exact(seen, kernel, {.components = 4});
    EXPECT_LT(testing::missing_trace(fit.block()), 1e-12);
    EXPECT_LT(testing::inconsistency(fit.block(), testing::CountComponents::by_weight), 1e-9);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(model.summary.eigenvalues[i], exact.summary.eigenvalues[i],
                  2e-3 * exact.summary.eigenvalues[i]);
      EXPECT_LE(model.summary.eigenvalue_intervals[i].low, exact.summary.eigenvalues[i]);
      EXPECT_GE(model.summary.eigenvalue_intervals[i].high, exact.summary.eigenvalues[i]);
    }
  }
  EXPECT_EQ(fit.blocks(), 5U);
  const Fit model = fit.finish({.components = 4});
  const Fit exact = fit_exact(points, kernel, {.components = 4});
  EXPECT_LT(
      largest_difference_up_to_sign(model.model.transform(points), exact.model.transform(points)),
      0.02);
}

// With nothing left out, the stream is batch kernel PCA.
TEST(Incremental, WithoutAnErrorItIsExact) {
  const auto points = normal_matrix(90, 2, 2);
  const Kernel kernel = Gaussian{.gamma = 0.3};
  for (const bool seeded : {true, false}) {
    IncrementalOptions options;
    options.seeded = seeded;
    options.library = {.rule = PivotRule::max_residual, .mse = 1e-11};
    IncrementalFit fit(kernel, options);
    for (std::size_t first = 0; first < 90; first += 30) {
      fit.partial_fit(points.view().rows_from(first, 30));
    }
    const Fit exact = fit_exact(points, kernel, {.components = 6});
    const Fit model = fit.finish({.components = 6});
    for (std::size_t i = 0; i < 6; ++i) {
      EXPECT_NEAR(model.summary.eigenvalues[i], exact.summary.eigenvalues[i], 1e-6);
    }
    EXPECT_LT(
        largest_difference_up_to_sign(model.model.transform(points), exact.model.transform(points)),
        1e-5);
  }
}

TEST(Incremental, SeededLibrariesHardlyGrow) {
  const Kernel kernel = Gaussian{.gamma = 0.05};
  IncrementalOptions options;
  options.library.mse = 1e-2;
  IncrementalFit seeded(kernel, options);
  options.seeded = false;
  options.library_limit = 100000;
  IncrementalFit separate(kernel, options);
  std::size_t after_first = 0;
  for (std::uint64_t block = 0; block < 8; ++block) {
    const auto points = clusters(500, 4, 10 + block);
    seeded.partial_fit(points);
    separate.partial_fit(points);
    if (block == 0) after_first = seeded.block().library_size();
  }
  EXPECT_EQ(seeded.rows(), 4000U);
  EXPECT_LT(seeded.block().library_size(), 2 * after_first);
  EXPECT_GT(separate.block().library_size(), 6 * after_first);
  EXPECT_NEAR(std::pow(seeded.block().singular_values()[0], 2),
              std::pow(separate.block().singular_values()[0], 2),
              0.01 * std::pow(separate.block().singular_values()[0], 2));
}

TEST(Incremental, TheLibraryStaysBelowItsLimit) {
  const Kernel kernel = Gaussian{.gamma = 0.1};
  IncrementalOptions options;
  options.library.mse = 1e-3;
  options.library_limit = 120;
  options.library_target = 70;
  IncrementalFit fit(kernel, options);
  Matrix<double> all(0, 4);
  for (std::uint64_t block = 0; block < 8; ++block) {
    const auto points = clusters(250, 4, 30 + block);
    fit.partial_fit(points);
    all = testing::stack(all, points);
    EXPECT_LE(fit.block().library_size(), 120U);
    EXPECT_LT(testing::missing_trace(fit.block()), 1e-10);
    EXPECT_LT(testing::inconsistency(fit.block(), testing::CountComponents::by_weight), 1e-8);
  }
  EXPECT_GT(fit.block().lost_mean() + fit.block().lost(), 0);
  ASSERT_EQ(fit.finish().summary.warnings.size(), 1U);
  EXPECT_NE(fit.finish().summary.warnings[0].find("its limit of 120 lost"), std::string::npos);
  const Fit model = fit.finish({.components = 3});
  const Fit exact = fit_exact(all, kernel, {.components = 3});
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(model.summary.eigenvalues[i], exact.summary.eigenvalues[i],
                0.03 * exact.summary.eigenvalues[i]);
    EXPECT_LE(model.summary.eigenvalue_intervals[i].low, exact.summary.eigenvalues[i]);
    EXPECT_GE(model.summary.eigenvalue_intervals[i].high, exact.summary.eigenvalues[i]);
  }
}

TEST(Incremental, AResumedStreamHasTheBitsOfAnUninterruptedOne) {
  const testing::TemporaryFolder folder;
  for (const bool seeded : {true, false}) {
    IncrementalOptions options;
    options.seeded = seeded;
    options.library.mse = 1e-2;
    options.library_limit = 60;
    options.merge.keep = 0.9999;
    options.seed = 5;
    InputMaps input;
    input.scaling = standard_scaling(clusters(300, 3, 50));
    IncrementalFit whole(Gaussian{}, options, input);
    IncrementalFit part(Gaussian{}, options, input);
    for (std::uint64_t block = 0; block < 6; ++block) {
      const auto points = clusters(300, 3, 50 + block);
      std::vector<double> weights(300, 1.0);
      weights[block] = 3;
      whole.partial_fit(points, weights);
      part.partial_fit(points, weights, {.threads = 1 + block % 3});
      if (block % 2 == 0) {
        part.save(folder / "stream.mercer");
        part = IncrementalFit::load(folder / "stream.mercer");
      }
    }
    EXPECT_EQ(part.blocks(), 6U);
    expect_same_bits(whole.block(), part.block());
    const auto points = clusters(20, 3, 99);
    EXPECT_TRUE(testing::same_bits(whole.finish().model.transform(points),
                                   part.finish().model.transform(points)));
    EXPECT_EQ(file_kind(folder / "stream.mercer"), FileKind::stream);
    EXPECT_EQ(BlockModel::load(folder / "stream.mercer").rows(), 1500U);
  }
}

// All options, not only those that the stream above happens to use.
TEST(Incremental, OptionsAreSaved) {
  const testing::TemporaryFolder folder;
  IncrementalOptions options;
  options.center = false;
  options.library = {
      .rule = PivotRule::best, .candidates = 7, .mse = 0.5, .max_error = 0.75, .max_library = 9};
  options.merge = {.form = MergeForm::cholesky,
                   .keep = 0.875,
                   .rule = DeflationRule::cumulative,
                   .max_components = 4};
  options.seeded = false;
  options.library_limit = 50;
  options.library_target = 30;
  options.seed = 18446744073709551615ULL;
  IncrementalFit fit(Gaussian{.gamma = 0.1}, options);
  fit.partial_fit(normal_matrix(20, 2, 3));
  fit.save(folder / "stream.mercer");
  const auto loaded = IncrementalFit::load(folder / "stream.mercer").options();
  EXPECT_EQ(loaded.center, options.center);
  EXPECT_EQ(loaded.library.rule, options.library.rule);
  EXPECT_EQ(loaded.library.candidates, options.library.candidates);
  EXPECT_EQ(loaded.library.mse, options.library.mse);
  EXPECT_EQ(loaded.library.max_error, options.library.max_error);
  EXPECT_EQ(loaded.library.max_library, options.library.max_library);
  EXPECT_EQ(loaded.merge.form, options.merge.form);
  EXPECT_EQ(loaded.merge.keep, options.merge.keep);
  EXPECT_EQ(loaded.merge.rule, options.merge.rule);
  EXPECT_EQ(loaded.merge.max_components, options.merge.max_components);
  EXPECT_EQ(loaded.seeded, options.seeded);
  EXPECT_EQ(loaded.library_limit, options.library_limit);
  EXPECT_EQ(loaded.library_target, options.library_target);
  EXPECT_EQ(loaded.seed, options.seed);
}

TEST(Incremental, LinearKernelsMakeItIncrementalPca) {
  const auto points = normal_matrix(400, 6, 4, 1, 5);
  IncrementalOptions options;
  options.library.mse = 1e-10;
  IncrementalFit fit(Linear{}, options);
  for (std::size_t first = 0; first < 400; first += 50) {
    fit.partial_fit(points.view().rows_from(first, 50));
    EXPECT_EQ(fit.block().coefficients().rows(), 6U);
  }
  const Fit exact = fit_exact(points, Linear{}, {.components = 6});
  EXPECT_LT(largest_difference_up_to_sign(fit.finish({.components = 6}).model.transform(points),
                                          exact.model.transform(points)),
            1e-9);
}

RC_GTEST_PROP(Incremental, AnyStreamAccountsForEverything, ()) {
  const auto d = *rc::gen::inRange<std::size_t>(1, 4);
  IncrementalOptions options;
  options.center = *rc::gen::element(true, false);
  options.seeded = *rc::gen::element(true, false);
  options.library = {.rule = *rc::gen::element(PivotRule::sampled_best, PivotRule::max_residual,
                                               PivotRule::best, PivotRule::random),
                     .mse = *rc::gen::element(0.2, 0.01)};
  options.merge.keep = *rc::gen::element(0.95, 1.0);
  options.library_limit = *rc::gen::inRange<std::size_t>(2, 40);
  // As for merged blocks (block_model_property_test.cpp), where reduced libraries add pivots down
  // to 1e-10: 2e-8 in the worst of 20,000 cases.
  constexpr double kRounding = 1e-7;
  IncrementalFit fit(Gaussian{.gamma = 0.2}, options);
  Matrix<double> all(0, d);
  const auto sizes = *rc::gen::container<std::vector<std::size_t>>(
      *rc::gen::inRange<std::size_t>(1, 6), rc::gen::inRange<std::size_t>(1, 30));
  for (const std::size_t size : sizes) {
    const auto points = normal_matrix(size, d, *rc::gen::inRange<std::uint64_t>(0, 1000));
    fit.partial_fit(points);
    all = testing::stack(all, points);
    const auto block = fit.block();
    RC_ASSERT(block.rows() == all.rows());
    RC_ASSERT(block.library_size() <= options.library_limit);
    RC_ASSERT(testing::missing_trace(block) < kRounding);
    RC_ASSERT(testing::inconsistency(block, testing::CountComponents::by_weight) < kRounding);
    if (block.components() == 0) continue;
    const Fit model = fit.finish({.components = 2});
    const Fit exact = fit_exact(all, fit.kernel(), {.components = 2, .center = options.center});
    for (std::size_t i = 0; i < std::min(model.summary.components, exact.summary.components); ++i) {
      const auto interval = model.summary.eigenvalue_intervals[i];
      RC_ASSERT(exact.summary.eigenvalues[i] >= interval.low - kRounding * block.trace());
      RC_ASSERT(exact.summary.eigenvalues[i] <= interval.high + kRounding * block.trace());
    }
  }
}

// Cosines of zero rows vanish: they count, but span nothing.
TEST(Incremental, ABlockWithoutAnyFeatureCounts) {
  for (const bool seeded : {true, false}) {
    IncrementalOptions options;
    options.seeded = seeded;
    options.library.mse = 1e-3;
    IncrementalFit fit(Cosine{}, options);
    fit.partial_fit(Matrix<double>(5, 3));
    EXPECT_EQ(fit.block().library_size(), 0U);
    fit.partial_fit(normal_matrix(40, 3, 5));
    fit.partial_fit(Matrix<double>(5, 3));
    EXPECT_EQ(fit.rows(), 50U);
    EXPECT_LT(testing::missing_trace(fit.block()), 1e-12);
    EXPECT_LT(testing::inconsistency(fit.block()), 1e-9);
    EXPECT_EQ(fit.finish().model.components(), 3U);
  }
}

TEST(Incremental, BadBlocksChangeNothing) {
  const auto points = clusters(200, 3, 60);
  IncrementalFit fit(Gaussian{.gamma = 0.1});
  fit.partial_fit(points);
  const auto before = fit.block();
  EXPECT_THROW(fit.partial_fit(Matrix<double>(0, 3)), DataError);
  EXPECT_THROW(fit.partial_fit(Matrix<double>(5, 2)), DataError);
  Matrix<double> broken(points);
  broken(7, 1) = NAN;
  EXPECT_THROW(fit.partial_fit(broken), DataError);
  EXPECT_THROW(fit.partial_fit(points, std::vector<double>{1}), InvalidArgument);
  RunOptions run;
  int polls = 0;
  run.cancelled = [&] { return ++polls > 5; };
  EXPECT_THROW(fit.partial_fit(clusters(200, 3, 61), {}, run), Cancelled);
  EXPECT_EQ(fit.blocks(), 1U);
  expect_same_bits(before, fit.block());
}

TEST(Incremental, RefusesWithReasons) {
  EXPECT_THROW(IncrementalFit(Precomputed{}), InvalidArgument);
  EXPECT_THROW(IncrementalFit(Sigmoid{.gamma = 1}), InvalidArgument);
  IncrementalOptions none;
  none.library_limit = 0;
  EXPECT_THROW(IncrementalFit(Gaussian{.gamma = 1}, none), InvalidArgument);
  IncrementalOptions above;
  above.library_limit = 10;
  above.library_target = 11;
  EXPECT_THROW(IncrementalFit(Gaussian{.gamma = 1}, above), InvalidArgument);
  const testing::TemporaryFolder folder;
  EXPECT_THROW(IncrementalFit(Gaussian{.gamma = 1}).save(folder / "empty.mercer"), DataError);
  BlockModel::of_rows(normal_matrix(5, 2, 1), Gaussian{.gamma = 1}).save(folder / "block.mercer");
  EXPECT_THROW(IncrementalFit::load(folder / "block.mercer"), FileError);
}

}  // namespace
}  // namespace mercer
