#include "engine/simd.h"

#include <algorithm>

#include <gtest/gtest.h>

#include <mercer/error.h>
#include <mercer/platform.h>

namespace mercer::engine {
namespace {

TEST(Simd, RunsTheBestTargetUnlessForced) {
  const auto targets = simd_targets();
  ASSERT_FALSE(targets.empty());
  EXPECT_EQ(simd_target(), targets.front());
  EXPECT_EQ(simd_name(), targets.front());
  {
    const ForcedSimdTarget forced(targets.back());
    EXPECT_EQ(simd_target(), targets.back());
  }
  EXPECT_EQ(simd_target(), targets.front());
}

TEST(Simd, RefusesATargetThatIsNotThere) {
  EXPECT_THROW(ForcedSimdTarget("ABACUS"), InvalidArgument);
}

TEST(Simd, SuggestsABlasCoreOnlyForAMisjudgedProcessor) {
  const auto core = suggested_blas_core();
  if (!core) return;
  EXPECT_NE(blas_core(), *core);
  const auto targets = simd_targets();
  EXPECT_NE(std::ranges::find(targets, "AVX2"), targets.end());
}

}  // namespace
}  // namespace mercer::engine
