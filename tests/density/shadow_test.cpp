#include "density/shadow.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <mercer/error.h>

#include "density/cover_tiles.h"
#include "numbers.h"

namespace mercer::density {
namespace {

using engine::Workers;
using testing::normal_matrix;
using testing::same_bits;
using testing::uniform_matrix;

struct Cover {
  Matrix<double> centres;
  std::vector<std::uint64_t> rows;
  std::vector<Hit> hits;
  std::uint64_t distance_evaluations = 0;
};

double squared(std::span<const double> x, std::span<const double> y) {
  double sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) sum += (x[j] - y[j]) * (x[j] - y[j]);
  return sum;
}

/// The rule itself, one row after the other.
Cover cover_by_loop(MatrixView<const double> points, double radius) {
  Cover cover;
  std::vector<std::size_t> opened;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    Hit hit{.centre = kUncovered};
    for (std::size_t c = 0; c < opened.size() && hit.centre == kUncovered; ++c) {
      const double distance = squared_difference(points.row(i), points.row(opened[c]), 1);
      ++cover.distance_evaluations;
      if (distance < radius * radius) hit = {.centre = c, .squared_distance = distance};
    }
    if (hit.centre == kUncovered) {
      hit = {.centre = opened.size(), .squared_distance = 0};
      opened.push_back(i);
    }
    cover.hits.push_back(hit);
  }
  cover.rows.assign(opened.begin(), opened.end());
  cover.centres = Matrix<double>(opened.size(), points.cols());
  for (std::size_t c = 0; c < opened.size(); ++c) {
    std::ranges::copy(points.row(opened[c]), cover.centres.row(c).begin());
  }
  return cover;
}

struct Way {
  std::size_t chunk = SIZE_MAX;
  std::size_t threads = 1;
  CoverPath path = CoverPath::automatic;
};

void add_in_chunks(ShadowCover& cover, MatrixView<const double> points, std::uint64_t first_row,
                   std::span<Hit> hits, std::size_t chunk, Workers& workers) {
  for (std::size_t begin = 0; begin < points.rows();) {
    const std::size_t count = std::min(chunk, points.rows() - begin);
    cover.add(points.rows_from(begin, count), first_row + begin, hits.subspan(begin, count),
              workers);
    begin += count;
  }
}

Cover cover_of(MatrixView<const double> points, double radius, const Way& way = {}) {
  Workers workers(RunOptions{.threads = way.threads});
  ShadowCover cover(points.cols(), radius, way.path);
  std::vector<Hit> hits(points.rows());
  add_in_chunks(cover, points, 0, hits, way.chunk, workers);
  EXPECT_EQ(cover.size(), cover.centres().rows());
  return {.centres = Matrix<double>(cover.centres()),
          .rows = {cover.rows().begin(), cover.rows().end()},
          .hits = hits,
          .distance_evaluations = cover.distance_evaluations()};
}

bool same_hits(std::span<const Hit> a, std::span<const Hit> b) {
  return std::ranges::equal(a, b, [](const Hit& x, const Hit& y) {
    return x.centre == y.centre && std::bit_cast<std::uint64_t>(x.squared_distance) ==
                                       std::bit_cast<std::uint64_t>(y.squared_distance);
  });
}

void expect_same(const Cover& a, const Cover& b) {
  EXPECT_TRUE(same_bits(a.centres, b.centres));
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_TRUE(same_hits(a.hits, b.hits));
  EXPECT_EQ(a.distance_evaluations, b.distance_evaluations);
}

std::vector<CoverPath> paths_for(std::size_t cols) {
  if (cols > 3) return {CoverPath::tiles, CoverPath::float_tiles};
  return {CoverPath::grid, CoverPath::tiles, CoverPath::float_tiles};
}

/// Every path, cut and number of threads against the loop.
void expect_loop_everywhere(MatrixView<const double> points, double radius) {
  const Cover expected = cover_by_loop(points, radius);
  for (const CoverPath path : paths_for(points.cols())) {
    for (const std::size_t chunk : {std::size_t{1}, std::size_t{7}, std::size_t{1000}, SIZE_MAX}) {
      for (const std::size_t threads : {1U, 2U, 3U}) {
        SCOPED_TRACE(::testing::Message()
                     << "path " << static_cast<int>(path) << ", chunks of " << chunk << ", "
                     << threads << " threads, " << points.cols() << " columns");
        expect_same(cover_of(points, radius, {chunk, threads, path}), expected);
      }
    }
  }
}

std::vector<std::size_t> weights_of(const Cover& cover) {
  std::vector<std::size_t> weights(cover.rows.size(), 0);
  for (const Hit& hit : cover.hits) ++weights[hit.centre];
  return weights;
}

/// 300 uniform points in the unit square from the splitmix64 generator with seed 42.
Matrix<double> uniform_square() {
  Matrix<double> points(300, 2);
  std::uint64_t state = 42;
  for (std::size_t i = 0; i < points.size(); ++i) {
    state += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    z ^= z >> 31U;
    points.data()[i] = static_cast<double>(z >> 11U) * 0x1p-53;
  }
  return points;
}

// The expected numbers come from an independent implementation in Python.
TEST(ShadowCover, UniformSquareAsRecorded) {
  const auto points = uniform_square();
  ASSERT_EQ(points(0, 0), 0.7415648787718233);
  for (const CoverPath path : paths_for(2)) {
    const Cover cover = cover_of(points, 0.125, {.path = path});
    ASSERT_EQ(cover.rows.size(), 36U);
    EXPECT_EQ(std::vector(cover.rows.begin(), cover.rows.begin() + 10),
              (std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 6, 9, 10, 11}));
    EXPECT_EQ(std::accumulate(cover.rows.begin(), cover.rows.end(), 0U), 2121U);
    const auto weights = weights_of(cover);
    EXPECT_EQ(std::vector(weights.begin(), weights.begin() + 10),
              (std::vector<std::size_t>{22, 16, 10, 14, 12, 17, 11, 9, 8, 7}));
    std::size_t checksum = 0;
    for (std::size_t c = 0; c < weights.size(); ++c) checksum += (c + 1) * weights[c];
    EXPECT_EQ(checksum, 4019U);
    double sum = 0;
    for (const Hit& hit : cover.hits) sum += hit.squared_distance;
    EXPECT_NEAR(std::sqrt(sum / 300), 0.07814245137591186, 1e-15);
  }
}

TEST(ShadowCover, IsThatOfTheLoopInEveryWay) {
  const struct {
    std::size_t cols;
    double radius;
  } cases[] = {{1, 0.05}, {2, 0.3}, {3, 0.7}, {5, 1.8}, {16, 4.6}, {64, 10.6}};
  for (const auto& [cols, radius] : cases) {
    const auto points = normal_matrix(1500, cols, cols);
    const std::size_t m = cover_by_loop(points, radius).rows.size();
    ASSERT_GT(m, 30U) << cols;
    ASSERT_LT(m, 1000U) << cols;
    expect_loop_everywhere(points, radius);
  }
}

TEST(ShadowCover, IsThatOfTheLoopWithManyCentres) {
  // Thousands of centres among the first rows: they are resolved among themselves in tiles, and the
  // buckets of the grid grow.
  for (const std::size_t cols : {1U, 2U, 3U, 6U}) {
    const auto points = uniform_matrix(6000, cols, 3);
    const double radius =
        cols == 6 ? 0.25 : 0.5 * std::pow(3000.0, -1.0 / static_cast<double>(cols));
    const Cover expected = cover_by_loop(points, radius);
    ASSERT_GT(expected.rows.size(), 2000U);
    for (const CoverPath path : paths_for(cols)) {
      expect_same(cover_of(points, radius, {.threads = 2, .path = path}), expected);
      expect_same(cover_of(points, radius, {.chunk = 500, .path = path}), expected);
    }
  }
}

TEST(ShadowCover, IsThatOfTheLoopWithFewCentresAndManyRows) {
  for (const std::size_t cols : {2U, 5U}) {
    const auto points = normal_matrix(40'000, cols, 5);
    const Cover expected = cover_by_loop(points, 3);
    for (const CoverPath path : paths_for(cols)) {
      expect_same(cover_of(points, 3, {.threads = 2, .path = path}), expected);
    }
  }
}

/// Points of an integer lattice, divided by 7 and far from the origin: distances tie with the
/// radius exactly on the lattice, and to a few roundings here.
Matrix<double> lattice_points(std::size_t rows, std::size_t cols, double offset) {
  auto points = uniform_matrix(rows, cols, 11);
  for (std::size_t i = 0; i < points.size(); ++i) {
    points.data()[i] = std::floor(points.data()[i] * 17) / 7 + offset;
  }
  return points;
}

TEST(ShadowCover, NearTiesFarFromTheOriginAreDecidedByDifferences) {
  const struct {
    std::size_t cols;
    double lattice_radius;
  } cases[] = {{1, 1}, {2, 5}, {3, 3}, {8, 12}, {64, 50}};
  for (const auto& [cols, lattice_radius] : cases) {
    expect_loop_everywhere(lattice_points(800, cols, 1e4), lattice_radius / 7);
  }
}

TEST(ShadowCover, ExactTiesAreNotCovered) {
  Matrix<double> points(3, 2);
  points(1, 0) = 3;
  points(1, 1) = 4;
  points(2, 0) = 3;
  points(2, 1) = std::nextafter(4.0, 0.0);
  for (const CoverPath path : paths_for(2)) {
    const Cover cover = cover_of(points, 5, {.path = path});
    EXPECT_EQ(cover.rows, (std::vector<std::uint64_t>{0, 1}));
    EXPECT_EQ(cover.hits[2].centre, 0U);
  }
}

TEST(ShadowCover, RowsInSeveralShadowsGoToTheEarliestCentre) {
  Matrix<double> points(4, 1);
  points(0, 0) = 1;
  points(1, 0) = 0;
  points(2, 0) = 0.4;
  points(3, 0) = 0.6;
  for (const CoverPath path : paths_for(2)) {
    const Cover cover = cover_of(points, 0.9, {.path = path});
    EXPECT_EQ(cover.hits[2].centre, 0U);  // although 0 is nearer
    EXPECT_EQ(cover.hits[3].centre, 0U);
  }
}

RC_GTEST_PROP(ShadowCover, CoversAndPacks, (const std::vector<std::uint8_t>& bytes)) {
  const std::size_t cols = *rc::gen::inRange<std::size_t>(1, 6);
  const double radius = *rc::gen::inRange(1, 200);
  Matrix<double> points(bytes.size() / cols, cols);
  for (std::size_t i = 0; i < points.size(); ++i) points.data()[i] = bytes[i];
  for (const CoverPath path : paths_for(cols)) {
    const Cover cover = cover_of(points, radius, {.chunk = 13, .path = path});
    for (std::size_t a = 0; a < cover.rows.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        RC_ASSERT(squared(cover.centres.row(a), cover.centres.row(b)) >= radius * radius);
      }
    }
    for (std::size_t i = 0; i < points.rows(); ++i) {
      const Hit& hit = cover.hits[i];
      RC_ASSERT(hit.squared_distance < radius * radius);
      RC_ASSERT(hit.squared_distance == squared(points.row(i), cover.centres.row(hit.centre)));
      RC_ASSERT(cover.rows[hit.centre] <= i);
    }
  }
}

TEST(ShadowCover, RadiusZeroMakesEveryRowACentre) {
  const Matrix<double> copies(500, 2);
  const Cover cover = cover_of(copies, 0, {.chunk = 300, .threads = 2});
  ASSERT_EQ(cover.rows.size(), 500U);
  for (std::size_t i = 0; i < 500; ++i) {
    EXPECT_EQ(cover.rows[i], i);
    EXPECT_EQ(cover.hits[i].centre, i);
    EXPECT_EQ(cover.hits[i].squared_distance, 0);
  }
}

TEST(ShadowCover, CopiesGoToTheFirstWhateverTheRadius) {
  for (const double radius : {1e-300, 5e-324, 1e-9, 1e300, 1.7e308}) {
    for (const double value : {0.0, 0.1, -1e300, 1.7e308, 5e-324}) {
      for (const std::size_t cols : {1U, 2U, 3U, 20U}) {
        Matrix<double> points(300, cols);
        std::fill_n(points.data(), points.size(), value);
        for (const CoverPath path : paths_for(cols)) {
          EXPECT_EQ(cover_of(points, radius, {.path = path}).rows.size(), 1U)
              << radius << ' ' << value << ' ' << cols;
        }
      }
    }
  }
}

TEST(ShadowCover, UnitsOfTheDataMakeNoDifference) {
  for (const std::size_t cols : {1U, 2U, 3U, 7U}) {
    const auto points = normal_matrix(600, cols, 8, 1, 3);
    const Cover expected = cover_by_loop(points, 0.8);
    for (const int exponent : {500, -500, 1019, -1010}) {
      auto scaled = points;
      for (std::size_t i = 0; i < scaled.size(); ++i) {
        scaled.data()[i] = std::ldexp(points.data()[i], exponent);
      }
      for (const CoverPath path : paths_for(cols)) {
        const Cover cover = cover_of(scaled, std::ldexp(0.8, exponent), {.path = path});
        EXPECT_EQ(cover.rows, expected.rows) << exponent;
        for (std::size_t i = 0; i < points.rows(); ++i) {
          ASSERT_EQ(cover.hits[i].centre, expected.hits[i].centre) << exponent;
        }
        if (std::abs(exponent) == 500) {
          EXPECT_EQ(std::ldexp(cover.hits[77].squared_distance, -2 * exponent),
                    expected.hits[77].squared_distance);
        }
      }
    }
  }
}

TEST(ShadowCover, PairsJustInsideTheRadiusAreFoundAtEveryDistance) {
  // Far from the origin of the grid, which the first row puts between the multiples of the radius,
  // rounding is what decides about the cell of a row.
  constexpr double kRadius = 0.1;
  const engine::RandomStream stream(17);
  std::vector<double> values;
  for (int exponent = 1; exponent <= 51; ++exponent) {
    for (int repeat = 0; repeat < (exponent < 45 ? 10 : 150); ++repeat) {
      const double x =
          kRadius * std::floor(std::ldexp(1 + stream.uniform(values.size()), exponent));
      double y = x + kRadius;
      while (y - x >= kRadius) y = std::nextafter(y, 0);
      values.insert(values.end(), {x, -x, y, -y});
    }
  }
  values.insert(values.begin(), 123.456);
  for (const std::size_t cols : {1U, 2U, 3U}) {
    Matrix<double> points(values.size(), cols);
    for (std::size_t i = 0; i < values.size(); ++i) points(i, cols - 1) = values[i];
    const Cover expected = cover_by_loop(points, kRadius);
    for (const CoverPath path : paths_for(cols)) {
      expect_same(cover_of(points, kRadius, {.path = path}), expected);
    }
  }
}

TEST(ShadowCover, CoordinatesMayBeHugeAgainstTheRadius) {
  // Each point stands next to its copy one unit in the last place away: some pairs are nearer than
  // the radius, the others far, at every distance from the origin.
  for (const std::size_t cols : {1U, 2U, 3U, 5U}) {
    const auto start = uniform_matrix(200, cols, 21);
    Matrix<double> points(400, cols);
    for (std::size_t i = 0; i < 200; ++i) {
      for (std::size_t j = 0; j < cols; ++j) {
        const double x = std::ldexp(start(i, j) - 0.5, static_cast<int>(i % 90));
        points(i, j) = x;
        points(200 + i, j) = std::nextafter(x, 2 * x);
      }
    }
    for (const double radius : {1e-12, 1.0, 1e-30, 1e5}) expect_loop_everywhere(points, radius);
  }
}

TEST(ShadowCover, PointsBeyondTheRangeOfSquaredNormsAreToldApart) {
  for (const std::size_t cols : {2U, 4U}) {
    Matrix<double> points(6, cols);
    const double values[] = {0, 1e200, std::nextafter(1e200, 2e200), -1e200, 1e200, 0.5};
    for (std::size_t i = 0; i < 6; ++i) points(i, 0) = values[i];
    for (const CoverPath path : paths_for(cols)) {
      const Cover cover = cover_of(points, 1, {.path = path});
      EXPECT_EQ(cover.rows, (std::vector<std::uint64_t>{0, 1, 2, 3}));
      EXPECT_EQ(cover.hits[4].centre, 1U);
      EXPECT_EQ(cover.hits[5].centre, 0U);
    }
  }
}

TEST(FloatTiles, SufficeWhereRowsAreNotTooFarApartAgainstTheRadius) {
  const auto points = normal_matrix(100, 16, 12, 1, 5);
  const std::vector<double> origin(16, 5.0);
  EXPECT_TRUE(float_tiles_suffice(CoverRule(4), points, origin));
  EXPECT_TRUE(float_tiles_suffice(CoverRule(1e300), points, origin));
  EXPECT_FALSE(float_tiles_suffice(CoverRule(1e-4), points, origin));
  EXPECT_FALSE(float_tiles_suffice(CoverRule(1e-300), points, origin));
}

TEST(ShadowCover, ContinuesFromGivenCentresAsInOnePass) {
  for (const std::size_t cols : {2U, 6U}) {
    const auto points = normal_matrix(1200, cols, 31);
    const Cover expected = cover_of(points, 1);
    Workers workers(RunOptions{.threads = 2});
    std::vector<Hit> hits(1200);
    ShadowCover before(cols, 1);
    before.add(points.view().rows_from(0, 500), 0, std::span(hits).first(500), workers);
    ShadowCover after(Matrix<double>(before.centres()), 1);
    EXPECT_TRUE(std::ranges::all_of(after.rows(),
                                    [](std::uint64_t row) { return row == ShadowCover::kNoRow; }));
    after.add(points.view().rows_from(500, 700), 500, std::span(hits).subspan(500), workers);
    EXPECT_TRUE(same_bits(after.centres(), expected.centres));
    EXPECT_TRUE(same_hits(hits, expected.hits));
    EXPECT_TRUE(std::ranges::equal(after.rows().subspan(before.size()),
                                   std::span(expected.rows).subspan(before.size())));
  }
}

TEST(ShadowCover, GivenCentresStayWhateverTheirDistances) {
  for (const std::size_t cols : {1U, 4U}) {
    ShadowCover cover(Matrix<double>(3, cols), 10);
    EXPECT_EQ(cover.size(), 3U);
    Workers workers(RunOptions{.threads = 1});
    std::vector<Hit> hits(2);
    cover.add(Matrix<double>(2, cols), 0, hits, workers);
    EXPECT_EQ(cover.size(), 3U);
    EXPECT_EQ(hits[1].centre, 0U);
  }
}

TEST(ShadowCover, RowNumbersStartWhereTheCallerSays) {
  Workers workers(RunOptions{.threads = 1});
  ShadowCover cover(1, 0.5);
  Matrix<double> points(2, 1);
  points(1, 0) = 1;
  std::vector<Hit> hits(2);
  cover.add(points, 1'000'000'000'000, hits, workers);
  EXPECT_TRUE(std::ranges::equal(cover.rows(),
                                 std::vector<std::uint64_t>{1'000'000'000'000, 1'000'000'000'001}));
}

TEST(ShadowCover, NoRowsAreNoCentres) {
  Workers workers(RunOptions{.threads = 1});
  ShadowCover cover(4, 0.5);
  cover.add(Matrix<double>(0, 4), 0, {}, workers);
  EXPECT_EQ(cover.size(), 0U);
  EXPECT_EQ(cover.centres().rows(), 0U);
  EXPECT_EQ(cover.centres().cols(), 4U);
}

TEST(ShadowCover, RefusesWhatItCannotCover) {
  Workers workers(RunOptions{.threads = 1});
  EXPECT_THROW(ShadowCover(2, -1), InvalidArgument);
  EXPECT_THROW(ShadowCover(2, std::nan("")), InvalidArgument);
  EXPECT_THROW(ShadowCover(2, INFINITY), InvalidArgument);
  EXPECT_THROW(ShadowCover(0, 1), InvalidArgument);
  EXPECT_THROW(ShadowCover(4, 1, CoverPath::grid), InvalidArgument);
  ShadowCover cover(2, 1);
  std::vector<Hit> hits(3);
  EXPECT_THROW(cover.add(Matrix<double>(3, 3), 0, hits, workers), InvalidArgument);
  EXPECT_THROW(cover.add(Matrix<double>(4, 2), 0, hits, workers), InvalidArgument);
}

}  // namespace
}  // namespace mercer::density
