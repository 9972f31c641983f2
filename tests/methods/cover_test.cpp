#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include <mercer/cover.h>
#include <mercer/error.h>
#include <mercer/files.h>

#include "density/squared_distance.h"
#include "model/temporary_folder.h"
#include "numbers.h"

namespace mercer {
namespace {

using testing::normal_matrix;
using testing::uniform_matrix;

const Kernel kKernel = Gaussian{.gamma = 4};

Cover cover_of(MatrixView<const double> points, double radius) {
  Cover cover(kKernel, points.cols(), radius);
  cover.add(points);
  return cover;
}

double distance_to_nearest(std::span<const double> x, const Matrix<double>& centres) {
  double smallest = INFINITY;
  for (std::size_t j = 0; j < centres.rows(); ++j) {
    smallest = std::min(smallest, density::squared_distance(x, centres.row(j), 1));
  }
  return std::sqrt(smallest);
}

TEST(Cover, PiecesGiveTheBitsOfTheWhole) {
  const auto points = uniform_matrix(3000, 2, 1);
  const Cover whole = cover_of(points, 0.1);
  Cover pieces(kKernel, 2, 0.1);
  for (std::size_t first = 0; first < 3000; first += 700) {
    pieces.add(points.view().rows_from(first, std::min<std::size_t>(700, 3000 - first)));
  }
  const WeightedSet a = whole.set();
  const WeightedSet b = pieces.set();
  EXPECT_TRUE(testing::same_bits(a.centers, b.centers));
  EXPECT_EQ(a.weights, b.weights);
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.quantization->mean_feature_distance, b.quantization->mean_feature_distance);
  EXPECT_EQ(a.data_rows, 3000u);
}

TEST(Cover, MergedReachIsTwoRadiiHoweverMany) {
  for (const std::size_t parts : {2u, 8u}) {
    const auto points = uniform_matrix(2000, 2, 2);
    const std::size_t size = 2000 / parts;
    Cover all = cover_of(points.view().rows_from(0, size), 0.15);
    for (std::size_t p = 1; p < parts; ++p) {
      all.merge(cover_of(points.view().rows_from(p * size, size), 0.15));
    }
    EXPECT_DOUBLE_EQ(all.reach(), 0.3);
    EXPECT_EQ(all.rows(), 2000u);
    EXPECT_DOUBLE_EQ(all.total_weight(), 2000);
    const WeightedSet set = all.set();
    EXPECT_DOUBLE_EQ(set.total_weight(), 2000);
    for (std::size_t i = 0; i < points.rows(); ++i) {
      EXPECT_LT(distance_to_nearest(points.row(i), set.centers), 0.3);
    }
    for (std::size_t i = 0; i < set.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        EXPECT_GE(density::squared_distance(set.centers.row(i), set.centers.row(j), 1),
                  0.15 * 0.15);
      }
    }
    EXPECT_TRUE(set.rows.empty());
  }
}

TEST(Cover, HalfTheRadiusMergesIntoTheWhole) {
  const auto points = uniform_matrix(2000, 2, 3);
  Cover all = cover_of(points.view().rows_from(0, 1000), 0.075);
  all.merge(cover_of(points.view().rows_from(1000, 1000), 0.075));
  EXPECT_DOUBLE_EQ(all.reach(), 0.15);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    EXPECT_LT(distance_to_nearest(points.row(i), all.set().centers), 0.15);
  }
}

TEST(Cover, SecondPassBringsBackTheRadius) {
  const auto points = uniform_matrix(2000, 2, 4);
  Cover all = cover_of(points.view().rows_from(0, 1000), 0.1);
  all.merge(cover_of(points.view().rows_from(1000, 1000), 0.1));
  Cover again = all.emptied();
  EXPECT_EQ(again.rows(), 0u);
  again.add(points);
  EXPECT_DOUBLE_EQ(again.reach(), 0.1);
  EXPECT_EQ(again.rows(), 2000u);
  const WeightedSet set = again.set();
  EXPECT_DOUBLE_EQ(set.total_weight(), 2000);
  EXPECT_GE(set.size() + 20, all.set().size());
  for (std::size_t i = 0; i < points.rows(); ++i) {
    EXPECT_LT(distance_to_nearest(points.row(i), set.centers), 0.1);
  }
}

// What the summary promises of a merged cover, held against all rows.
TEST(Cover, BoundsOfMergedCoversHold) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto points = uniform_matrix(300, 2, seed);
    Cover all = cover_of(points.view().rows_from(0, 100), 0.12);
    all.merge(cover_of(points.view().rows_from(100, 100), 0.12));
    all.merge(cover_of(points.view().rows_from(200, 100), 0.12));
    ReducedSetOptions options{.components = 3};
    options.center = false;
    const Fit fit = all.finish(options);
    const WeightedSet set = all.set();
    const double n = 300;
    double square = 0;
    const auto k = [](std::span<const double> x, std::span<const double> y) {
      return std::exp(-4 * density::squared_distance(x, y, 1));
    };
    for (std::size_t i = 0; i < 300; ++i) {
      for (std::size_t j = 0; j < 300; ++j) square += k(points.row(i), points.row(j));
      for (std::size_t j = 0; j < set.size(); ++j) {
        square -= 2 * set.weights[j] * k(points.row(i), set.centers.row(j));
      }
    }
    for (std::size_t i = 0; i < set.size(); ++i) {
      for (std::size_t j = 0; j < set.size(); ++j) {
        square += set.weights[i] * set.weights[j] * k(set.centers.row(i), set.centers.row(j));
      }
    }
    const double mmd = std::sqrt(std::max(square, 0.0)) / n;
    for (const Bound& bound : fit.summary.bounds) {
      if (bound.name == "mmd_rows" || bound.name == "mmd_radius") {
        EXPECT_LE(mmd, bound.value) << bound.name << seed;
      }
    }
    const double worst = 2 * 0.12;
    EXPECT_LE(set.quantization->mean_squared_distance, worst * worst);
  }
}

TEST(Cover, WeightedRowsAndScalingGoIn) {
  const auto raw = normal_matrix(200, 3, 6);
  InputMaps maps;
  maps.scaling = fixed_scaling(3, 1, 0.5);
  Matrix<double> mapped(raw);
  maps.scaling.apply(mapped);
  std::vector<double> weights(200);
  std::iota(weights.begin(), weights.end(), 1.0);
  Cover scaled(kKernel, 3, 0.3, maps);
  scaled.add(raw, weights);
  Cover plain(kKernel, 3, 0.3);
  plain.add(mapped, weights);
  EXPECT_EQ(scaled.set().weights, plain.set().weights);
  EXPECT_DOUBLE_EQ(scaled.total_weight(), 200 * 201 / 2.0);
  const Fit fit = scaled.finish({.components = 2});
  EXPECT_LT(testing::largest_difference(fit.model.transform(raw),
                                        plain.finish({.components = 2}).model.transform(mapped)),
            1e-12);
}

TEST(Cover, FileRoundTrip) {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "a.part";
  const auto points = uniform_matrix(500, 3, 7);
  InputMaps maps;
  maps.scaling = fixed_scaling(3, 0.5, 2);
  Cover cover(Matern32{.length = 0.8}, 3, 0.4, maps);
  cover.add(points.view().rows_from(0, 300));
  cover.save(path);
  EXPECT_EQ(file_kind(path), FileKind::cover);
  Cover loaded = Cover::load(path);
  EXPECT_EQ(loaded.reach(), cover.reach());
  EXPECT_EQ(loaded.input().scaling.multiply, maps.scaling.multiply);
  // Going on from the file is going on.
  cover.add(points.view().rows_from(300, 200));
  loaded.add(points.view().rows_from(300, 200));
  EXPECT_TRUE(testing::same_bits(cover.set().centers, loaded.set().centers));
  EXPECT_EQ(cover.set().weights, loaded.set().weights);
  EXPECT_EQ(cover.set().quantization->mean_operator_distance,
            loaded.set().quantization->mean_operator_distance);
}

TEST(Cover, AnEmptyOneCanBeSaved) {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "empty.part";
  Cover(kKernel, 2, 0.1).save(path);
  Cover loaded = Cover::load(path);
  EXPECT_EQ(loaded.rows(), 0u);
  EXPECT_THROW(loaded.finish(), DataError);
  loaded.add(uniform_matrix(50, 2, 8));
  EXPECT_EQ(loaded.rows(), 50u);
}

TEST(Cover, RefusesWhatDoesNotGoTogether) {
  const auto points = uniform_matrix(50, 2, 9);
  Cover cover = cover_of(points, 0.1);
  EXPECT_THROW(cover.merge(cover_of(points, 0.2)), InvalidArgument);
  EXPECT_THROW(cover.merge(Cover(Gaussian{.gamma = 1}, 2, 0.1)), InvalidArgument);
  EXPECT_THROW(cover.merge(Cover(kKernel, 3, 0.1)), InvalidArgument);
  EXPECT_THROW(Cover(Linear{}, 2, 0.1), InvalidArgument);
  EXPECT_THROW(Cover(kKernel, 2, -1), InvalidArgument);
  EXPECT_THROW(cover.add(uniform_matrix(5, 3, 1)), DataError);
  Matrix<double> bad(2, 2);
  bad(1, 1) = NAN;
  EXPECT_THROW(cover.add(bad), DataError);
  EXPECT_EQ(cover.rows(), 50u);
}

}  // namespace
}  // namespace mercer
