#pragma once

#include <string>

#include <gtest/gtest.h>

#include "engine/simd.h"

namespace mercer::testing {

/// A test for each instruction set of the machine.
class OnEveryTarget : public ::testing::TestWithParam<std::string> {
 private:
  engine::ForcedSimdTarget target_{GetParam()};
};

}  // namespace mercer::testing

// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): GoogleTest wants the name of the class
#define INSTANTIATE_ON_EVERY_TARGET(suite)                                           \
  INSTANTIATE_TEST_SUITE_P(Simd, suite, ::testing::ValuesIn(engine::simd_targets()), \
                           [](const auto& target) { return target.param; })
