#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include <mercer/error.h>
#include <mercer/generate.h>

#include "data/in_memory.h"
#include "model/error_message.h"

namespace mercer {
namespace {

using testing::message_of;
using testing::values_of;

/// The parts that each shape has.
const std::vector<std::pair<std::string, std::size_t>> kParts = {
    {"circle", 1},  {"rings", 3}, {"swiss_cross", 5}, {"swiss_roll", 4},
    {"spirals", 2}, {"moons", 2}, {"blobs", 5},       {"uniform", 1}};

TEST(Generate, ListsItsShapes) {
  std::vector<std::string> names;
  for (const ShapeInfo& info : shapes()) names.push_back(info.name);
  std::vector<std::string> expected;
  for (const auto& [name, parts] : kParts) expected.push_back(name);
  EXPECT_EQ(names, expected);
}

TEST(Generate, APointDependsOnSeedAndNumberOnly) {
  for (const ShapeInfo& info : shapes()) {
    const Generated few = generate(info.name, {.n = 10, .d = 4, .seed = 3});
    const Generated many = generate(info.name, {.n = 100, .d = 4, .seed = 3});
    EXPECT_EQ(values_of(few.points), values_of(many.points.view().rows_from(0, 10))) << info.name;
    EXPECT_TRUE(std::equal(few.labels.begin(), few.labels.end(), many.labels.begin()));
    const Generated other = generate(info.name, {.n = 10, .d = 4, .seed = 4});
    EXPECT_NE(values_of(few.points), values_of(other.points)) << info.name;
  }
}

TEST(Generate, EveryPartIsHitAbout) {
  for (const auto& [name, parts] : kParts) {
    const Generated generated = generate(name, {.n = 5000, .d = 3});
    std::vector<std::size_t> counts(parts);
    for (const std::size_t label : generated.labels) ++counts.at(label);
    for (const std::size_t count : counts) EXPECT_GT(count, 5000 / parts * 8 / 10) << name;
  }
}

TEST(Generate, CircleHasRadiusEightAndAllAngles) {
  const Generated circle = generate("circle", {.n = 4000, .noise = 0});
  double cosine = 0;
  double sine = 0;
  for (std::size_t i = 0; i < 4000; ++i) {
    EXPECT_NEAR(std::hypot(circle.points(i, 0), circle.points(i, 1)), 8, 1e-12);
    cosine += circle.points(i, 0) / 4000;
    sine += circle.points(i, 1) / 4000;
  }
  EXPECT_NEAR(cosine, 0, 0.4);
  EXPECT_NEAR(sine, 0, 0.4);
}

TEST(Generate, SwissCrossFillsTheCrossEvenly) {
  const Generated cross = generate("swiss_cross", {.n = 20'000, .noise = 0});
  std::size_t in_first_arm = 0;
  for (std::size_t i = 0; i < cross.points.rows(); ++i) {
    const double x = std::abs(cross.points(i, 0));
    const double y = std::abs(cross.points(i, 1));
    EXPECT_TRUE((x <= 3 && y <= 10) || (x <= 10 && y <= 3)) << x << ' ' << y;
    in_first_arm += cross.points(i, 0) > 3 ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(in_first_arm) / 20'000, 7.0 / 34, 0.015);
}

TEST(Generate, RingsMoonsAndRollLieWhereTheyShould) {
  const Generated rings = generate("rings", {.n = 100, .noise = 0});
  const Generated moons = generate("moons", {.n = 100, .noise = 0});
  const Generated roll = generate("swiss_roll", {.n = 100, .d = 3, .noise = 0});
  const Generated spirals = generate("spirals", {.n = 100, .noise = 0});
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_NEAR(std::hypot(rings.points(i, 0), rings.points(i, 1)),
                1.0 + 2.0 * static_cast<double>(rings.labels[i]), 1e-12);
    const double cx = moons.labels[i] == 0 ? 0 : 1;
    const double cy = moons.labels[i] == 0 ? 0 : 0.5;
    EXPECT_NEAR(std::hypot(moons.points(i, 0) - cx, moons.points(i, 1) - cy), 1, 1e-12);
    const double angle = std::hypot(roll.points(i, 0), roll.points(i, 2));
    EXPECT_EQ(roll.labels[i], static_cast<std::size_t>(4 * (angle / 4.71238898038469 - 1) / 2));
    EXPECT_LT(std::hypot(spirals.points(i, 0), spirals.points(i, 1)), 9.43);
  }
}

TEST(Generate, NoiseHasTheStandardDeviationAskedFor) {
  const Generated points = generate("circle", {.n = 20'000, .d = 3, .noise = 0.5});
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 0; i < 20'000; ++i) {
    sum += points.points(i, 2);
    squares += points.points(i, 2) * points.points(i, 2);
  }
  EXPECT_NEAR(sum / 20'000, 0, 0.02);
  EXPECT_NEAR(std::sqrt(squares / 20'000), 0.5, 0.02);
}

TEST(Generate, BlobsShareCentres) {
  const Generated blobs = generate("blobs", {.n = 20'000, .d = 2, .noise = 0});
  std::vector<std::vector<double>> values(5);
  for (std::size_t i = 0; i < 20'000; ++i) values[blobs.labels[i]].push_back(blobs.points(i, 1));
  for (const auto& coordinates : values) {
    double mean = 0;
    for (const double x : coordinates) mean += x / static_cast<double>(coordinates.size());
    double variance = 0;
    for (const double x : coordinates) variance += (x - mean) * (x - mean);
    EXPECT_NEAR(variance / static_cast<double>(coordinates.size()), 1, 0.1);
    EXPECT_LT(std::abs(mean), 8.2);
  }
}

TEST(Generate, RefusesBadOptions) {
  EXPECT_EQ(
      message_of<InvalidArgument>([] { generate("torus"); }),
      "there is no shape 'torus'; there are: circle, rings, swiss_cross, swiss_roll, spirals, "
      "moons, blobs, uniform");
  EXPECT_EQ(message_of<InvalidArgument>([] { generate("swiss_roll", {.d = 2}); }),
            "d = 2: 'swiss_roll' needs at least 3 columns");
  EXPECT_THROW(generate("circle", {.n = 0}), InvalidArgument);
  EXPECT_THROW(generate("circle", {.noise = -1}), InvalidArgument);
  EXPECT_THROW(generate("circle", {.noise = NAN}), InvalidArgument);
}

}  // namespace
}  // namespace mercer
