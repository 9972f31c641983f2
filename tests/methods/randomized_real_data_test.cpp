// The errors of randomised kernel matrices of the handwritten digits, beside recorded ones. Skipped
// where the data are absent.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include <gtest/gtest.h>

#include <mercer/mercer.h>

#include "engine/gram.h"
#include "engine/randomized_gram.h"
#include "golden/golden.h"
#include "methods/randomized_certificates.h"
#include "real_data.h"

namespace mercer {
namespace {

using engine::EntryRange;
using engine::EntryRounding;
using engine::RandomizedGram;

Matrix<double> digits(const std::filesystem::path& file, std::size_t rows) {
  TableOptions options;
  options.label = ColumnName::parse("last");
  const auto all = read_table(file, options).points;
  return Matrix<double>(all.view().rows_from(0, rows));
}

TEST(RandomizedDigits, ErrorNormsAreTheRecordedOnes) {
  REQUIRE_DATA(file, "digits/digits.csv.gz");
  const auto golden = golden::Golden::load("randomized/digits.txt");
  const auto& settings = golden["settings"];
  engine::Workers workers{{}};
  for (std::size_t row = 0; row < settings.rows(); ++row) {
    const auto points = digits(file, static_cast<std::size_t>(settings(row, 0)));
    const auto n = static_cast<double>(points.rows());
    const Kernel kernel = Gaussian{1 / (settings(row, 1) * settings(row, 1))};
    const auto exact = engine::make_gram(kernel, points, {}, workers);
    const EntryRange range = engine::residual_range(kernel, points, {}, workers);
    const std::vector<std::pair<std::string, EntryRounding>> schemes = {
        {"sparsify_2", {.sparsity = 2}},
        {"sparsify_5", {.sparsity = 5}},
        {"sparsify_10", {.sparsity = 10}},
        {"sparsify_20", {.sparsity = 20}},
        {"sign", {.levels = EntryRange{-1, 1}}},
        {"zero_one", {.levels = EntryRange{0, 1}}},
        {"min_max", {.levels = range}},
        {"sign_sparsify_5", {.sparsity = 5, .levels = EntryRange{-1, 1}}}};
    for (const auto& [name, rounding] : schemes) {
      const auto recorded = golden[name].row(row);
      const auto noise = engine::residual_noise(kernel, points, {}, rounding, workers);
      EXPECT_NEAR(methods::predicted_error_norm(noise) / recorded[2], 1, 0.01) << name << row;
      EXPECT_NEAR(methods::bernstein_error_norm(noise, rounding, 0.01) / recorded[3], 1, 0.015)
          << name << row;
      double squares = 0;
      for (const double variance : noise.row_variances) squares += variance;
      constexpr int kDraws = 12;
      std::vector<double> norms;
      for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
        RandomizedGram gram(kernel, points, {}, rounding, engine::RandomStream(seed), workers);
        const double norm = methods::measured_error_norm(gram, *exact, 0, workers).value;
        norms.push_back(norm);
        EXPECT_LT(norm, recorded[1]) << name;  // theorem 1's conclusion
        EXPECT_LT(norm, recorded[3]) << name;
        EXPECT_GT(norm, 0.95 * std::sqrt(squares / n)) << name;  // the mean square forces so much
      }
      const double mean = std::accumulate(norms.begin(), norms.end(), 0.0) / kDraws;
      double variance = 0;
      for (const double norm : norms) variance += (norm - mean) * (norm - mean) / (kDraws - 1);
      // Two means of draws, of which the recorded one has three and is rounded to three digits.
      const double spread = std::sqrt(variance * (1.0 / 3 + 1.0 / kDraws));
      EXPECT_NEAR(mean, recorded[0], 4 * spread + 0.005 * recorded[0]) << name << " " << row;
    }
  }
}

TEST(RandomizedDigits, ControlsAreAsGoodAsTheRecordedOnes) {
  REQUIRE_DATA(file, "digits/digits.csv.gz");
  const auto golden = golden::Golden::load("randomized/digits.txt");
  const auto& recorded = golden["control"];
  const auto points = digits(file, 1000);
  const Kernel kernel = Gaussian{1.0 / 6400};
  const auto exact = fit_exact(points, kernel, {.components = 5, .center = false});
  const std::vector<std::pair<ControlVariate, std::size_t>> controls = {
      {ControlVariate::none, 1},
      {ControlVariate::mean, 1},
      {ControlVariate::nystrom, 20},
      {ControlVariate::nystrom, 100}};
  for (std::size_t row = 0; row < controls.size(); ++row) {
    const auto fit = fit_randomized(points, kernel,
                                    {.components = 5,
                                     .center = false,
                                     .sparsify = 5,
                                     .control = controls[row].first,
                                     .control_landmarks = controls[row].second,
                                     .certify = true});
    const double norm = fit.summary.bounds.back().value;
    ASSERT_EQ(fit.summary.bounds.back().name, "error_norm_measured");
    const double sine = std::sin(
        principal_angles(Matrix<double>(fit.model.coefficients()), exact.model.coefficients())
            .back());
    // Landmarks are other ones here: better ones are no mistake.
    EXPECT_LT(norm, 1.15 * recorded(row, 0)) << row;
    EXPECT_GT(norm, 0.4 * recorded(row, 0)) << row;
    EXPECT_LT(sine, std::min(1.0, 1.5 * recorded(row, 1))) << row;
    EXPECT_GT(sine, 0.2 * recorded(row, 1)) << row;
  }
}

TEST(RandomizedDigits, OnlyTheFirstComponentIsTrustedWithoutAControl) {
  REQUIRE_DATA(file, "digits/digits.csv.gz");
  const auto golden = golden::Golden::load("randomized/digits.txt");
  const auto points = digits(file, 1500);
  for (std::size_t row = 0; row < 2; ++row) {
    const double sigma = row == 0 ? 30 : 80;
    const auto exact =
        fit_exact(points, Gaussian{1 / (sigma * sigma)}, {.components = 5, .center = false});
    for (std::size_t j = 0; j < 5; ++j) {
      EXPECT_NEAR(exact.summary.eigenvalues[j] / golden["eigenvalues"](row, j), 1, 2e-3);
    }
  }
  const auto fit = fit_randomized(points, Gaussian{1.0 / 900},
                                  {.components = 4,
                                   .center = false,
                                   .sparsify = 5,
                                   .control = ControlVariate::none,
                                   .certify = true});
  ASSERT_EQ(fit.summary.certified_ratio.size(), 4U);
  EXPECT_NEAR(fit.summary.certified_ratio[0], 93.0 / 54, 0.15);
  for (std::size_t j = 1; j < 4; ++j) EXPECT_LT(fit.summary.certified_ratio[j], 1);
}

}  // namespace
}  // namespace mercer
