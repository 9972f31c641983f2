#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <mercer/auto.h>
#include <mercer/cover.h>
#include <mercer/error.h>
#include <mercer/exact.h>
#include <mercer/incremental.h>
#include <mercer/landmarks.h>
#include <mercer/projection.h>
#include <mercer/random_features.h>

#include "engine/kernel_value.h"
#include "engine/reference.h"
#include "model/error_message.h"
#include "model/temporary_folder.h"
#include "numbers.h"

namespace mercer {
namespace {

using testing::largest_difference;
using testing::message_of;
using testing::normal_matrix;
using testing::same_bits;

constexpr ProjectionMap kMaps[] = {ProjectionMap::signs, ProjectionMap::sparse,
                                   ProjectionMap::coordinates, ProjectionMap::rotated};

Matrix<double> projected(const Matrix<double>& points, std::size_t dimensions, ProjectionMap map,
                         std::uint64_t seed) {
  const InputMaps maps{.projection =
                           random_projection(points.cols(), dimensions, map, {.seed = seed})};
  return maps.apply(points);
}

double dot(std::span<const double> x, std::span<const double> y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

double squared_distance(std::span<const double> x, std::span<const double> y) {
  return dot(x, x) + dot(y, y) - 2 * dot(x, y);
}

struct Distortion {
  double distance = 0;  ///< largest | |xP - yP|^2 / |x - y|^2 - 1 |
  double inner = 0;     ///< largest |<xP, yP> - <x, y>| / (|x|^2 + |y|^2)
};

Distortion distortion(const Matrix<double>& points, const Matrix<double>& images) {
  Distortion worst;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const auto x = points.row(i);
      const auto y = points.row(j);
      const auto px = images.row(i);
      const auto py = images.row(j);
      worst.distance =
          std::max(worst.distance, std::abs(squared_distance(px, py) / squared_distance(x, y) - 1));
      worst.inner =
          std::max(worst.inner, std::abs(dot(px, py) - dot(x, y)) / (dot(x, x) + dot(y, y)));
    }
  }
  return worst;
}

TEST(ProjectionDimensions, FollowFromErrorPointsAndCertainty) {
  EXPECT_EQ(projection_dimensions(100, 0.5), 277u);
  EXPECT_EQ(projection_dimensions(100, 0.3), 640u);
  EXPECT_GT(projection_dimensions(100, 0.3, 2), projection_dimensions(100, 0.3));
  EXPECT_GT(projection_dimensions(10000, 0.3), projection_dimensions(100, 0.3));
  for (const double error : {0.0, 1.0, -0.5, std::nan("")}) {
    EXPECT_THROW(projection_dimensions(100, error), InvalidArgument);
  }
  EXPECT_THROW(projection_dimensions(1, 0.5), InvalidArgument);
  EXPECT_THROW(projection_dimensions(100, 0.5, 0), InvalidArgument);
}

TEST(RandomProjection, KeepsDistancesAndInnerProductsAsTheTheoremSays) {
  const Matrix<double> points = normal_matrix(100, 800, 1);
  for (const double error : {0.5, 0.3}) {
    for (const ProjectionMap map :
         {ProjectionMap::signs, ProjectionMap::sparse, ProjectionMap::rotated}) {
      for (std::uint64_t seed = 0; seed < 3; ++seed) {
        const auto worst =
            distortion(points, projected(points, projection_dimensions(100, error), map, seed));
        EXPECT_LE(worst.distance, error);
        EXPECT_GT(worst.distance, error / 4) << "the theorem is not far from the truth";
        EXPECT_LE(worst.inner, error / 2);
      }
    }
  }
}

RC_GTEST_PROP(RandomProjection, KeepsDistancesOfAnyPoints, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto n = static_cast<std::size_t>(*rc::gen::inRange(2, 12));
  const auto kind = *rc::gen::inRange(0, 3);
  constexpr double kError = 0.6;
  const std::size_t s = projection_dimensions(n, kError, 6);
  Matrix<double> points = normal_matrix(n, s + 20, seed);
  if (kind == 1) {  // on the axes
    for (std::size_t i = 0; i < points.size(); ++i) points.data()[i] = 0;
    for (std::size_t i = 0; i < n; ++i) points(i, (i * 7) % points.cols()) = 1 + i;
  } else if (kind == 2) {  // few far from many
    for (double& value : points.row(0)) value *= 1e6;
  }
  const auto map = *rc::gen::element(ProjectionMap::signs, ProjectionMap::sparse);
  const auto worst = distortion(points, projected(points, s, map, seed));
  RC_ASSERT(worst.distance <= kError);
  RC_ASSERT(worst.inner <= kError);
}

TEST(RandomProjection, LengthsAndInnerProductsAreRightInExpectationWithTheirVariances) {
  constexpr int kDraws = 3000;
  constexpr std::size_t kDimensions = 16;
  const Matrix<double> points = normal_matrix(2, 64, 5);
  const auto x = points.row(0);
  const auto y = points.row(1);
  double fourth = 0;
  double mixed = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    fourth += std::pow(x[i], 4);
    mixed += x[i] * x[i] * y[i] * y[i];
  }
  const double xx = dot(x, x);
  const double xy = dot(x, y);
  for (const ProjectionMap map : kMaps) {
    double length = 0, length2 = 0, inner = 0, inner2 = 0;
    for (int draw = 0; draw < kDraws; ++draw) {
      const auto images = projected(points, kDimensions, map, static_cast<std::uint64_t>(draw));
      const double a = dot(images.row(0), images.row(0)) - xx;
      const double b = dot(images.row(0), images.row(1)) - xy;
      length += a / kDraws;
      length2 += a * a / kDraws;
      inner += b / kDraws;
      inner2 += b * b / kDraws;
    }
    EXPECT_LT(std::abs(length), 4.5 * std::sqrt(length2 / kDraws));
    EXPECT_LT(std::abs(inner), 4.5 * std::sqrt(inner2 / kDraws));
    const bool signs = map == ProjectionMap::signs;
    if (!signs && map != ProjectionMap::sparse) continue;
    EXPECT_NEAR(length2 / (2.0 / kDimensions * (xx * xx - (signs ? fourth : 0))), 1, 0.15);
    EXPECT_NEAR(inner2 / (1.0 / kDimensions * (xx * dot(y, y) + xy * xy - (signs ? 2 * mixed : 0))),
                1, 0.15);
  }
}

TEST(RandomProjection, CoordinatesFailWhereFewColumnsMatterUnlessRotated) {
  // Points that differ in one column each.
  Matrix<double> points(40, 400);
  for (std::size_t i = 0; i < 40; ++i) points(i, 10 * i) = 1;
  EXPECT_EQ(distortion(points, projected(points, 300, ProjectionMap::coordinates, 1)).distance, 1)
      << "two points fell together";
  EXPECT_LT(distortion(points, projected(points, 300, ProjectionMap::rotated, 1)).distance, 0.5);
  EXPECT_LT(distortion(points, projected(points, 300, ProjectionMap::signs, 1)).distance, 0.5);
}

TEST(RandomProjection, HasTheEntriesOfItsMap) {
  const auto signs = random_projection(50, 16).matrix;
  for (std::size_t i = 0; i < signs.size(); ++i) EXPECT_EQ(std::abs(signs.data()[i]), 0.25);
  const auto sparse = random_projection(500, 48, ProjectionMap::sparse).matrix;
  double zeros = 0;
  for (std::size_t i = 0; i < sparse.size(); ++i) {
    zeros += sparse.data()[i] == 0 ? 1 : 0;
    EXPECT_TRUE(sparse.data()[i] == 0 || std::abs(sparse.data()[i]) == 0.25);
  }
  EXPECT_NEAR(zeros / static_cast<double>(sparse.size()), 2.0 / 3, 0.02);
  const auto rotated = random_projection(30, 20, ProjectionMap::rotated).matrix;
  for (std::size_t a = 0; a < 20; ++a) {
    for (std::size_t b = 0; b < 20; ++b) {
      double product = 0;
      for (std::size_t i = 0; i < 30; ++i) product += rotated(i, a) * rotated(i, b);
      EXPECT_NEAR(product, a == b ? 1.5 : 0, 1e-13);
    }
  }
}

TEST(RandomProjection, MoreDimensionsExtendTheEarlierOnes) {
  const auto few = random_projection(30, 4).matrix;
  const auto more = random_projection(30, 16).matrix;
  for (std::size_t i = 0; i < 30; ++i) {
    for (std::size_t j = 0; j < 4; ++j) EXPECT_EQ(few(i, j), 2 * more(i, j));
  }
}

TEST(RandomProjection, IsRefusedWhereItSavesNothing) {
  for (const ProjectionMap map : kMaps) {
    EXPECT_EQ(message_of<InvalidArgument>([&] { random_projection(20, 20, map); }),
              "a projection of 20 columns on 20 dimensions saves nothing: leave it out, or take "
              "fewer dimensions");
    EXPECT_THROW(random_projection(20, 0, map), InvalidArgument);
    EXPECT_NO_THROW(random_projection(2, 1, map));
  }
  EXPECT_THROW(
      random_projection(100000, 1000, ProjectionMap::signs, {.memory_limit_bytes = 100'000'000}),
      MemoryLimitError);
}

TEST(RandomProjection, KernelsOfDistancesAreWithinTheirBounds) {
  constexpr double kError = 0.5;
  const Matrix<double> points = normal_matrix(40, 500, 3, 0.05);
  const auto images = projected(points, projection_dimensions(40, kError), ProjectionMap::signs, 2);
  const double worst = kError * std::pow(1 - kError, (1 - kError) / kError);
  for (std::size_t i = 0; i < 40; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double k = engine::kernel_value(Gaussian{1.0}, points.row(i), points.row(j));
      const double kh = engine::kernel_value(Gaussian{1.0}, images.row(i), images.row(j));
      EXPECT_LE(std::abs(kh - k), worst);
      EXPECT_LE(std::pow(k, 1 + kError), kh);
      EXPECT_LE(kh, std::pow(k, 1 - kError));
      const double p = engine::kernel_value(Polynomial{1.0, 2, 1.0}, points.row(i), points.row(j));
      const double ph = engine::kernel_value(Polynomial{1.0, 2, 1.0}, images.row(i), images.row(j));
      const double largest = std::max(std::sqrt(std::abs(p)), std::sqrt(std::abs(ph)));
      EXPECT_LE(std::abs(ph - p),
                2 * largest * kError *
                    (dot(points.row(i), points.row(i)) + dot(points.row(j), points.row(j))));
    }
  }
}

TEST(RandomProjection, ModelsThatProjectEqualModelsOfProjectedPoints) {
  const Matrix<double> points = normal_matrix(150, 40, 7);
  const Matrix<double> fresh = normal_matrix(300, 40, 8);
  InputMaps maps{.scaling = standard_scaling(points), .projection = random_projection(40, 13)};
  const Matrix<double> mapped = maps.apply(points);
  const testing::TemporaryFolder folder;
  for (const Kernel& kernel : {Kernel(Gaussian{0.05}), Kernel(Linear{}), Kernel(Polynomial{})}) {
    const Model plain = fit_exact(mapped, kernel, {.components = 4}).model;
    const Model model = plain.with_input(maps);
    EXPECT_EQ(model.input_columns(), 40u);
    EXPECT_TRUE(same_bits(model.transform(fresh), plain.transform(maps.apply(fresh))));
    EXPECT_EQ(model.residual(fresh), plain.residual(maps.apply(fresh)));
    model.save(folder / "m.mercer");
    const Model loaded = Model::load(folder / "m.mercer");
    EXPECT_TRUE(same_bits(loaded.transform(fresh), model.transform(fresh)));
    EXPECT_TRUE(same_bits(loaded.input().projection.matrix, maps.projection.matrix));
    EXPECT_THROW(model.transform(mapped), DataError) << "13 columns";
  }
  const Model features =
      fit_random_features(mapped, Gaussian{0.05}, {.components = 3}).model.with_input(maps);
  EXPECT_EQ(features.transform(fresh).cols(), 3u);
}

TEST(RandomProjection, CoversPartsAndStreamsProjectTheirRows) {
  const Matrix<double> points = normal_matrix(200, 30, 9, 0.3);
  const InputMaps maps{.scaling = fixed_scaling(30, 1, 0.5),
                       .projection = random_projection(30, 6)};
  const Matrix<double> mapped = maps.apply(points);
  const Kernel kernel = Gaussian{1.0};
  const testing::TemporaryFolder folder;

  Cover cover(kernel, 30, 0.2, maps);
  cover.add(points);
  Cover plain(kernel, 6, 0.2);
  plain.add(mapped);
  EXPECT_TRUE(same_bits(cover.set().centers, plain.set().centers));
  cover.save(folder / "c.part");
  EXPECT_TRUE(same_bits(Cover::load(folder / "c.part").finish().model.transform(points),
                        plain.finish().model.transform(mapped)));
  EXPECT_THROW(cover.add(mapped), DataError);
  EXPECT_EQ(message_of<InvalidArgument>([&] { cover.merge(plain); }),
            "the parts were made with different scalings of the columns");
  Cover other(kernel, 30, 0.2,
              {.scaling = maps.scaling,
               .projection = random_projection(30, 6, ProjectionMap::signs, {.seed = 1})});
  EXPECT_NE(message_of<InvalidArgument>([&] { cover.merge(other); }).find("different projections"),
            std::string::npos);

  IncrementalFit stream(kernel, {}, maps);
  stream.partial_fit(points);
  IncrementalFit plain_stream(kernel);
  plain_stream.partial_fit(mapped);
  stream.save(folder / "s.stream");
  stream = IncrementalFit::load(folder / "s.stream");
  stream.partial_fit(points);
  plain_stream.partial_fit(mapped);
  EXPECT_TRUE(same_bits(stream.finish().model.transform(points),
                        plain_stream.finish().model.transform(mapped)));
  EXPECT_THROW(stream.partial_fit(mapped), DataError);

  const Fit landmarks = fit_landmarks(mapped, kernel, {.landmarks = 20});
  LandmarkPart part(landmarks.model.with_input(maps));
  part.add(points);
  part.save(folder / "l.part");
  EXPECT_LT(
      largest_difference(LandmarkPart::load(folder / "l.part").finish().model.transform(points),
                         landmarks.model.transform(mapped)),
      1e-9);
  EXPECT_THROW(part.add(mapped), DataError);

  const BlockModel block = BlockModel::of_rows(points, kernel, {}, {}, maps);
  EXPECT_EQ(block.columns(), 6u);
}

TEST(RandomProjection, KernelsOfSingleColumnsAreRefused) {
  const InputMaps maps{.projection = random_projection(30, 6)};
  for (const Kernel& kernel : {Kernel(LaplacianL1{1.0}), Kernel(Chi2{}),
                               Kernel(ExponentialChi2{1.0}), Kernel(Precomputed{})}) {
    EXPECT_THROW(require_projectable(kernel), InvalidArgument) << kernel_name(kernel);
  }
  for (const Kernel& kernel :
       {Kernel(Gaussian{}), Kernel(Laplacian{}), Kernel(Matern32{}), Kernel(Matern52{}),
        Kernel(RationalQuadratic{}), Kernel(Polynomial{}), Kernel(Linear{}), Kernel(Cosine{}),
        Kernel(Sigmoid{})}) {
    EXPECT_NO_THROW(require_projectable(kernel)) << kernel_name(kernel);
  }
  EXPECT_THROW(IncrementalFit(LaplacianL1{1.0}, {}, maps), InvalidArgument);
  Matrix<double> points(20, 6);
  for (std::size_t i = 0; i < points.size(); ++i) points.data()[i] = static_cast<double>(i % 7);
  const Model model = fit_exact(points, LaplacianL1{1.0}, {.components = 2}).model;
  EXPECT_NE(
      message_of<InvalidArgument>([&] { model.with_input(maps); }).find("use the laplacian kernel"),
      std::string::npos);
}

TEST(RandomProjection, ScoresAreNearThoseOfThePointsThemselves) {
  Matrix<double> points = normal_matrix(200, 1000, 11, 0.03);
  for (std::size_t i = 0; i < 100; ++i) points(i, 0) += 4;  // two clouds
  const Kernel kernel = Gaussian{0.1};
  const Model exact = fit_exact(points, kernel, {.components = 1}).model;
  const InputMaps maps{.projection = random_projection(1000, 300)};
  const Model model =
      fit_exact(maps.apply(points), kernel, {.components = 1}).model.with_input(maps);
  const auto a = exact.transform(points);
  const auto b = model.transform(points);
  EXPECT_LT(testing::largest_difference_up_to_sign(a, b), 0.15);
}

}  // namespace
}  // namespace mercer
