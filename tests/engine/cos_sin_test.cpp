#include "engine/cos_sin.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "engine/every_target.h"
#include "engine/random.h"
#include "engine/tile.h"

namespace mercer::engine {
namespace {

class CosSinOnEveryTarget : public testing::OnEveryTarget {};
INSTANTIATE_ON_EVERY_TARGET(CosSinOnEveryTarget);

struct CosSin {
  std::vector<double> cosine;
  std::vector<double> sine;
};

CosSin cos_sin(std::vector<double> turns, double scale = 1) {
  const std::size_t count = turns.size();
  const std::size_t width = panel_width<double>();
  const std::size_t rows = (count + width - 1) / width;
  turns.resize(rows * width);
  std::vector<double> panels[2] = {std::vector<double>(rows * width),
                                   std::vector<double>(rows * width)};
  cos_sin_panel(turns.data(), rows, scale, panels[0].data(), panels[1].data());
  CosSin out;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t row = i / width;
    const auto entry = [&](std::size_t e) { return panels[e / width][row * width + e % width]; };
    out.cosine.push_back(entry(2 * (i % width)));
    out.sine.push_back(entry(2 * (i % width) + 1));
  }
  return out;
}

/// 2 units in the last place of `exact`.
double two_ulps(long double exact) {
  const double value = std::abs(static_cast<double>(exact));
  return 2 * (std::nextafter(value, INFINITY) - value);
}

TEST_P(CosSinOnEveryTarget, IsAccurateForAnglesOfAnySize) {
  std::vector<double> turns;
  const RandomStream random(5);
  for (std::uint64_t i = 0; i < 60000; ++i) {
    const double u = 2 * random.uniform(i) - 1;
    const double magnitude[] = {0.5, 10, 1e4, 1e9, 1e15, std::exp2(-60 * random.uniform(~i))};
    turns.push_back(u * magnitude[i % 6]);
  }
  const auto got = cos_sin(turns);
  for (std::size_t i = 0; i < turns.size(); ++i) {
    // The remainder is exact, and the rest has 11 bits to spare.
    const long double angle = std::remainder(static_cast<long double>(turns[i]), 1.0L) * 2 *
                              std::numbers::pi_v<long double>;
    ASSERT_NEAR(got.cosine[i], static_cast<double>(std::cos(angle)),
                std::max(two_ulps(std::cos(angle)), 1e-19))
        << turns[i];
    ASSERT_NEAR(got.sine[i], static_cast<double>(std::sin(angle)),
                std::max(two_ulps(std::sin(angle)), 1e-19))
        << turns[i];
  }
}

TEST_P(CosSinOnEveryTarget, AgreesWithTheStandardLibraryInRadians) {
  std::vector<double> turns;
  const RandomStream random(6);
  for (std::uint64_t i = 0; i < 5000; ++i) turns.push_back(16 * random.uniform(i) - 8);
  const auto got = cos_sin(turns);
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const double angle = 2 * std::numbers::pi * turns[i];
    // 50 radians are known to 7e-15.
    ASSERT_NEAR(got.cosine[i], std::cos(angle), 1e-14);
    ASSERT_NEAR(got.sine[i], std::sin(angle), 1e-14);
  }
}

TEST_P(CosSinOnEveryTarget, QuarterTurnsAreExact) {
  for (const double whole : {0.0, 1.0, -3.0, 1e6, -1e12}) {
    const auto got = cos_sin({whole, whole + 0.25, whole + 0.5, whole + 0.75}, 0.5);
    EXPECT_EQ(got.cosine, (std::vector<double>{0.5, 0, -0.5, 0})) << whole;
    EXPECT_EQ(got.sine, (std::vector<double>{0, 0.5, 0, -0.5})) << whole;
  }
}

TEST_P(CosSinOnEveryTarget, HugeAnglesStayOnTheCircle) {
  const auto got = cos_sin({1e17, -1e300, 4503599627370496.5, 2251799813685248.25});
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(got.cosine[i] * got.cosine[i] + got.sine[i] * got.sine[i], 1, 1e-15);
  }
}

}  // namespace
}  // namespace mercer::engine
