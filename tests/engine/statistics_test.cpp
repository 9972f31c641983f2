#include "engine/statistics.h"

#include <cmath>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <mercer/error.h>

#include "engine/simd.h"
#include "numbers.h"

namespace mercer::engine {
namespace {

using testing::normal_matrix;
using testing::uniform_matrix;

/// Features of every row, with weights that may be empty and the point their sums are taken about.
struct Sample {
  Matrix<double> features;  // one row per row of the data
  std::vector<double> weights;
  std::vector<double> shift;

  std::size_t rows() const { return features.rows(); }
  std::size_t size() const { return features.cols(); }
  double weight(std::size_t r) const { return weights.empty() ? 1 : weights[r]; }
};

/// Columns of means about 2 with their neighbours' values mixed in, so that products differ from 0.
Sample make_sample(std::size_t rows, std::size_t m, bool weighted) {
  Sample sample{.features = normal_matrix(rows, m, 1, 1, 2), .weights = {}, .shift = {}};
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t i = 1; i < m; ++i) {
      sample.features(r, i) += 0.5 * sample.features(r, i - 1) - 1;
    }
  }
  if (weighted) {
    const auto uniforms = uniform_matrix(1, rows, 2);
    for (const double u : uniforms.row(0)) sample.weights.push_back(0.25 + 3 * u);
  }
  for (std::size_t i = 0; i < m; ++i) sample.shift.push_back(1.5 + 0.01 * static_cast<double>(i));
  return sample;
}

template <class Tile, class Scatter = Tile>
void add_rows(Moments& moments, const Sample& sample, std::size_t begin, std::size_t end,
              Workers& workers) {
  using Pass = MomentsPass<Tile, Scatter>;
  Pass pass(moments);
  const std::size_t width = panel_width<Tile>();
  for (std::size_t first = begin; first < end; first += Pass::kChunkRows) {
    const std::size_t count = std::min(Pass::kChunkRows, end - first);
    const std::span<const double> weights = sample.weights;
    pass.add(
        count, weights.empty() ? weights : weights.subspan(first, count),
        [&](std::size_t block, Tile* panels, std::size_t panel_rows) {
          for (std::size_t r = 0; r < std::min(kBlock, count - block * kBlock); ++r) {
            for (std::size_t i = 0; i < sample.size(); ++i) {
              panels[(i / width * panel_rows + r) * width + i % width] =
                  static_cast<Tile>(sample.features(first + block * kBlock + r, i));
            }
          }
        },
        workers);
  }
}

template <class Tile, class Scatter = Tile>
Moments moments_of(const Sample& sample, std::size_t threads = 1) {
  Workers workers({.threads = threads});
  Moments moments(sample.shift);
  add_rows<Tile, Scatter>(moments, sample, 0, sample.rows(), workers);
  return moments;
}

struct Naive {
  double weight = 0;
  std::vector<double> mean;
  Matrix<double> scatter;
  double size = 0;  ///< largest scatter of a feature
};

/// In two passes, as textbooks define them.
Naive naive_moments(const Sample& sample) {
  const std::size_t m = sample.size();
  Naive naive{.weight = 0, .mean = std::vector<double>(m), .scatter = Matrix<double>(m, m)};
  for (std::size_t r = 0; r < sample.rows(); ++r) naive.weight += sample.weight(r);
  for (std::size_t i = 0; i < m; ++i) {
    long double sum = 0;
    for (std::size_t r = 0; r < sample.rows(); ++r) {
      sum += static_cast<long double>(sample.weight(r)) * sample.features(r, i);
    }
    naive.mean[i] = static_cast<double>(sum / naive.weight);
  }
  std::vector<double> centred(m);
  for (std::size_t r = 0; r < sample.rows(); ++r) {
    for (std::size_t i = 0; i < m; ++i) centred[i] = sample.features(r, i) - naive.mean[i];
    for (std::size_t i = 0; i < m; ++i) {
      const double scaled = sample.weight(r) * centred[i];
      for (std::size_t j = 0; j < m; ++j) naive.scatter(i, j) += scaled * centred[j];
    }
  }
  for (std::size_t i = 0; i < m; ++i) {
    naive.size = std::max(naive.size, naive.scatter(i, i));
  }
  return naive;
}

double mean_error(const Moments& moments, const Naive& naive) {
  double largest = 0;
  const auto mean = moments.mean();
  for (std::size_t i = 0; i < mean.size(); ++i) {
    largest = std::max(largest, std::abs(mean[i] - naive.mean[i]));
  }
  return largest;
}

void expect_equal_bits(const Moments& a, const Moments& b) {
  const auto left = a.sums();
  const auto right = b.sums();
  EXPECT_EQ(left.shift, right.shift);
  EXPECT_EQ(left.sum, right.sum);
  EXPECT_EQ(left.triangle, right.triangle);
  EXPECT_EQ(left.weight, right.weight);
  EXPECT_EQ(left.rows, right.rows);
}

void expect_moments(const Sample& sample) {
  const auto naive = naive_moments(sample);
  const double scale = std::max(naive.size, naive.weight);

  const auto exact = moments_of<double>(sample);
  EXPECT_EQ(exact.size(), sample.size());
  EXPECT_EQ(exact.rows(), sample.rows());
  EXPECT_NEAR(exact.weight(), naive.weight, 1e-12 * naive.weight);
  EXPECT_LT(mean_error(exact, naive), 1e-13);
  EXPECT_LT(testing::largest_difference(exact.scatter(), naive.scatter), 1e-13 * scale);

  const auto mixed = moments_of<float, double>(sample);
  EXPECT_LT(mean_error(mixed, naive), 3e-7);
  EXPECT_LT(testing::largest_difference(mixed.scatter(), naive.scatter), 3e-7 * scale);

  const auto single = moments_of<float, float>(sample);
  EXPECT_LT(mean_error(single, naive), 3e-7);
  EXPECT_LT(testing::largest_difference(single.scatter(), naive.scatter), 1e-6 * scale);
}

using Shape = std::tuple<std::size_t, std::size_t, bool>;
class MomentsOfEveryShape : public ::testing::TestWithParam<Shape> {};

TEST_P(MomentsOfEveryShape, EqualTheDefinition) {
  const auto [m, rows, weighted] = GetParam();
  expect_moments(make_sample(rows, m, weighted));
}

std::string shape_name(const ::testing::TestParamInfo<Shape>& info) {
  const auto [m, rows, weighted] = info.param;
  return std::to_string(m) + "Features" + std::to_string(rows) + "Rows" +
         (weighted ? "Weighted" : "");
}
INSTANTIATE_TEST_SUITE_P(Sizes, MomentsOfEveryShape,
                         ::testing::Combine(::testing::Values(1, 5, 96, 97, 200),
                                            ::testing::Values(1, 95, 1920, 4000),
                                            ::testing::Bool()),
                         shape_name);

TEST(Moments, EqualTheDefinitionOnEveryInstructionSet) {
  // Panels of floats and doubles differ in width, and in another way on each.
  for (const std::string& target : simd_targets()) {
    SCOPED_TRACE(target);
    const ForcedSimdTarget forced(target);
    expect_moments(make_sample(2100, 109, true));
  }
}

TEST(Moments, BitsDoNotDependOnTheNumberOfThreads) {
  const auto sample = make_sample(4000, 200, true);
  const auto exact = moments_of<double>(sample);
  const auto mixed = moments_of<float, double>(sample);
  const auto single = moments_of<float>(sample);
  for (const std::size_t threads : {2U, 4U}) {
    expect_equal_bits(exact, moments_of<double>(sample, threads));
    expect_equal_bits(mixed, (moments_of<float, double>(sample, threads)));
    expect_equal_bits(single, moments_of<float>(sample, threads));
  }
}

TEST(Moments, PartsAddUpToTheWhole) {
  for (const bool weighted : {false, true}) {
    const auto sample = make_sample(4000, 97, weighted);
    const auto whole = moments_of<double>(sample);
    Workers workers({.threads = 1});
    Moments total(sample.shift);
    std::size_t begin = 0;
    for (const std::size_t end : {1U, 1000U, 1000U, 3777U, 4000U}) {
      Moments part(sample.shift);
      add_rows<double>(part, sample, begin, end, workers);
      EXPECT_EQ(part.rows(), end - begin);
      total.add(part);
      begin = end;
    }
    EXPECT_EQ(total.rows(), whole.rows());
    EXPECT_NEAR(total.weight(), whole.weight(), 1e-12 * whole.weight());
    const auto mean = whole.mean();
    for (std::size_t i = 0; i < mean.size(); ++i) EXPECT_NEAR(total.mean()[i], mean[i], 1e-12);
    EXPECT_LT(testing::largest_difference(total.scatter(), whole.scatter()),
              1e-12 * whole.scatter()(0, 0));
  }
}

TEST(Moments, SurviveBeingWrittenAsSums) {
  const auto sample = make_sample(300, 97, true);
  const auto moments = moments_of<double>(sample);
  const auto sums = moments.sums();
  EXPECT_EQ(sums.triangle.size(), 97U * 98U / 2);
  auto read = Moments::from_sums(sums);
  expect_equal_bits(moments, read);
  EXPECT_TRUE(testing::same_bits(moments.scatter(), read.scatter()));
  EXPECT_EQ(moments.mean(), read.mean());
  // What was read goes on like what was never written.
  auto continued = moments;
  continued.add(moments);
  read.add(moments);
  expect_equal_bits(continued, read);
}

TEST(Moments, SumsThatDoNotFitTheShiftAreRefused) {
  const auto good = moments_of<double>(make_sample(10, 5, false)).sums();
  auto bad = good;
  bad.sum.pop_back();
  EXPECT_THROW(Moments::from_sums(bad), InvalidArgument);
  bad = good;
  bad.triangle.push_back(1);
  EXPECT_THROW(Moments::from_sums(bad), InvalidArgument);
}

TEST(Moments, SumsOfOtherFeaturesAreRefused) {
  Moments moments({0.5, 1.0});
  EXPECT_THROW(moments.add(Moments({0.5, 1.0, 0.0})), InvalidArgument);
  EXPECT_NO_THROW(moments.add(Moments({0.5, 1.0})));
}

TEST(Moments, SumsAboutAnotherPointAreMoved) {
  const auto first = make_sample(300, 7, true);
  auto second = make_sample(200, 7, true);
  auto total = moments_of<double>(first);
  for (double& shift : second.shift) shift += 0.75;
  const auto elsewhere = moments_of<double>(second);
  for (double& shift : second.shift) shift -= 0.75;
  auto same_point = total;
  same_point.add(moments_of<double>(second));
  total.add(elsewhere);
  EXPECT_EQ(total.rows(), same_point.rows());
  for (std::size_t i = 0; i < 7; ++i) EXPECT_NEAR(total.mean()[i], same_point.mean()[i], 1e-13);
  EXPECT_LT(testing::largest_difference(total.scatter(), same_point.scatter()), 1e-10);
}

TEST(Moments, NoRowsAddNothing) {
  Workers workers({.threads = 1});
  Moments moments({1.0, 2.0});
  MomentsPass<double, double> pass(moments);
  pass.add(0, {}, [](std::size_t, double*, std::size_t) { FAIL() << "nothing to fill"; }, workers);
  EXPECT_EQ(moments.rows(), 0U);
  EXPECT_EQ(moments.weight(), 0);
}

/// The scatter is a difference of sums about the shift: with the mean D standard deviations away
/// the rounding of 2000 summands (3e-15) grows by D^2, no more.
TEST(Moments, AreAccurateWhereTheMeanIsFarFromTheShift) {
  for (const double far : {10.0, 1e3, 1e5}) {
    Sample sample{.features = normal_matrix(2000, 20, 3, 1, far),
                  .weights = {},
                  .shift = std::vector<double>(20, 0.0)};
    const auto naive = naive_moments(sample);
    const auto moments = moments_of<double>(sample);
    EXPECT_LT(mean_error(moments, naive), 1e-14 * far);
    const double error = testing::largest_difference(moments.scatter(), naive.scatter) / naive.size;
    EXPECT_LT(error, 1e-14 * far * far) << far;
    sample.shift.assign(20, far);
    const auto about_mean = moments_of<double>(sample);
    EXPECT_LT(testing::largest_difference(about_mean.scatter(), naive.scatter), 1e-13 * naive.size);
  }
}

/// A mean of many floats is better known than one of them: rounding the shift must not show in it.
TEST(Moments, MeansOfFloatsKeepMoreDigitsThanAFloat) {
  Sample sample{.features = uniform_matrix(1920, 10, 4), .weights = {}, .shift = {}};
  for (std::size_t i = 0; i < 10; ++i) sample.shift.push_back(1000.3 + static_cast<double>(i));
  for (std::size_t r = 0; r < sample.rows(); ++r) {
    for (std::size_t i = 0; i < 10; ++i) {
      sample.features(r, i) = static_cast<float>(sample.features(r, i) + sample.shift[i]);
    }
  }
  const auto naive = naive_moments(sample);
  EXPECT_LT(mean_error(moments_of<float, double>(sample), naive), 1e-12 * 1000);
  EXPECT_LT(mean_error(moments_of<float, float>(sample), naive), 2e-9 * 1000);
}

}  // namespace
}  // namespace mercer::engine
