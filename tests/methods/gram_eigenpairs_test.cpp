#include "methods/gram_eigenpairs.h"

#include <gtest/gtest.h>

#include <mercer/error.h>

namespace mercer::methods {
namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

EigenPlan plan(std::size_t n, std::size_t k, const ExactOptions& options, double limit) {
  return plan_eigenpairs(n, ComponentChoice(k, {}, {}), options, limit);
}

TEST(EigenPlan, IsDenseForSmallSetsAndManyComponents) {
  EXPECT_TRUE(plan(300, 10, {}, kGiB).dense);
  EXPECT_TRUE(plan(2000, 900, {}, kGiB).dense);
  EXPECT_FALSE(plan(2000, 10, {}, kGiB).dense);
}

TEST(EigenPlan, StoresTheGramMatrixOnlyWhenItFits) {
  EXPECT_TRUE(plan(10000, 10, {}, kGiB).stored);
  EXPECT_FALSE(plan(50000, 10, {}, kGiB).stored);
  EXPECT_FALSE(plan(15000, 10, {}, 0.8 * kGiB).stored);
  ExactOptions single;
  single.precision = Precision::float32;
  EXPECT_TRUE(plan(15000, 10, single, 0.8 * kGiB).stored);
}

TEST(EigenPlan, RefusesWithTheBytesNeeded) {
  ExactOptions stored;
  stored.storage = GramStorage::stored;
  EXPECT_THROW(plan(50000, 10, stored, kGiB), MemoryLimitError);
  EXPECT_THROW(plan(50000, 10, {}, 1e6), MemoryLimitError);
  ExactOptions dense;
  dense.solver = EigenSolver::dense;
  try {
    plan(50000, 10, dense, kGiB);
    FAIL();
  } catch (const MemoryLimitError& error) {
    EXPECT_NE(std::string(error.what()).find("18.7 GiB"), std::string::npos) << error.what();
  }
}

TEST(EigenPlan, WidensTheBlockForMoreComponents) {
  EXPECT_EQ(plan(10000, 10, {}, kGiB).block, 8U);
  EXPECT_EQ(plan(10000, 50, {}, kGiB).block, 16U);
  EXPECT_EQ(plan(10000, 100, {}, kGiB).block, 32U);
  EXPECT_EQ(plan(50000, 20, {}, kGiB).block, 32U);
}

}  // namespace
}  // namespace mercer::methods
