// How many centres covers of whole data sets have, in the order of the files: numbers of an
// independent implementation in Python. Skipped where the data are absent.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <mercer/data.h>

#include "density/shadow.h"

namespace mercer::density {
namespace {

/// A file of the data sets, or nothing when this machine has not got them.
std::filesystem::path data_file(const std::string& name) {
  const char* given = std::getenv("MERCER_DATA");
  const std::filesystem::path folder =
      given != nullptr ? std::filesystem::path(given)
                       : std::filesystem::path(MERCER_SOURCE_DIR) / ".." / "shared" / "data";
  const auto path = folder / name;
  return std::filesystem::exists(path) ? path : std::filesystem::path();
}

#define REQUIRE_DATA(variable, name)     \
  const auto variable = data_file(name); \
  if (variable.empty()) GTEST_SKIP() << "MERCER_DATA has no " << (name)

Matrix<double> points_in(const std::filesystem::path& file, const std::string& label) {
  return read_table(file, {.label = ColumnName::parse(label)}).points;
}

std::vector<Hit> cover(ShadowCover& cover, MatrixView<const double> points, std::size_t chunk) {
  engine::Workers workers(RunOptions{.threads = 2});
  std::vector<Hit> hits(points.rows());
  for (std::size_t begin = 0; begin < points.rows();) {
    const std::size_t count = std::min(chunk, points.rows() - begin);
    cover.add(points.rows_from(begin, count), begin, std::span(hits).subspan(begin, count),
              workers);
    begin += count;
  }
  return hits;
}

struct Expected {
  double sigma;
  double ell;
  std::size_t centres;
};

void expect_centres(MatrixView<const double> points, const std::vector<Expected>& cases) {
  for (const auto& [sigma, ell, centres] : cases) {
    ShadowCover whole(points.cols(), sigma / ell);
    cover(whole, points, points.rows());
    EXPECT_EQ(whole.size(), centres) << "sigma " << sigma << ", ell " << ell;
  }
}

TEST(ShadowCoverOfDigits, CentresAsRecorded) {
  REQUIRE_DATA(file, "digits/digits.csv.gz");
  expect_centres(points_in(file, "last"),
                 {{40, 3, 1615}, {40, 3.5, 1732}, {40, 4, 1783}, {40, 4.5, 1791}, {40, 5, 1794},
                  {60, 3, 805},  {60, 3.5, 1181}, {60, 4, 1448}, {60, 4.5, 1615}, {60, 5, 1705},
                  {80, 3, 300},  {80, 3.5, 524},  {80, 4, 805},  {80, 4.5, 1078}, {80, 5, 1325},
                  {100, 3, 100}, {100, 3.5, 219}, {100, 4, 376}, {100, 4.5, 593}, {100, 5, 805}});
}

TEST(ShadowCoverOfDigits, TiesFarFromTheOriginDoNotDependOnTheCut) {
  // 37 pairs of digits are exactly 20 apart. Divided by 7 and moved, each is decided by a rounding,
  // and inner products would decide it otherwise in another block.
  REQUIRE_DATA(file, "digits/digits.csv.gz");
  auto points = points_in(file, "last");
  for (std::size_t i = 0; i < points.size(); ++i) points.data()[i] = points.data()[i] / 7 + 1e4;
  const double radius = 20.0 / 7;
  ShadowCover whole(64, radius);
  const auto expected = cover(whole, points, points.rows());
  for (const std::size_t chunk : {1U, 7U, 100U, 1000U}) {
    ShadowCover cut(64, radius);
    const auto hits = cover(cut, points, chunk);
    EXPECT_TRUE(std::ranges::equal(cut.rows(), whole.rows())) << chunk;
    EXPECT_TRUE(std::ranges::equal(hits, expected, {}, &Hit::centre, &Hit::centre)) << chunk;
  }
}

TEST(ShadowCoverOfGerman, CentresAsRecorded) {
  REQUIRE_DATA(file, "german/german.data-numeric.gz");
  expect_centres(points_in(file, "last"),
                 {{30, 3, 148}, {30, 3.5, 210}, {30, 4, 268}, {30, 4.5, 358}, {30, 5, 457}});
}

TEST(ShadowCoverOfPendigits, CentresAsRecorded) {
  REQUIRE_DATA(file, "pendigits/pendigits.tra.gz");
  const auto points = points_in(file, "last");
  expect_centres(
      points.view().rows_from(0, 3500),
      {{120, 3, 811}, {120, 3.5, 1136}, {120, 4, 1478}, {120, 4.5, 1778}, {120, 5, 2093}});
}

TEST(ShadowCoverOfUsps, CentresAsRecorded) {
  REQUIRE_DATA(train, "usps/usps_train.csv.gz");
  REQUIRE_DATA(test, "usps/usps_test.csv.gz");
  const auto first = points_in(train, "first");
  const auto second = points_in(test, "first");
  Matrix<double> points(first.rows() + second.rows(), first.cols());
  std::copy_n(second.data(), second.size(), std::copy_n(first.data(), first.size(), points.data()));
  expect_centres(points, {{18, 3, 5810}, {18, 4, 7491}, {18, 5, 8041}});
  for (std::size_t i = 0; i < points.size(); ++i) points.data()[i] = (points.data()[i] + 1) / 2;
  expect_centres(points, {{18, 3, 394}, {18, 4, 2132}, {18, 5, 4245}});
}

}  // namespace
}  // namespace mercer::density
