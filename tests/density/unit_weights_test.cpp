#include "density/unit_weights.h"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include <mercer/error.h>

namespace mercer::density {
namespace {

using Weights = std::vector<double>;

TEST(UnitWeights, SumToOneInTheirProportions) {
  EXPECT_EQ(unit_weights(Weights{1, 2, 1}, 3, "rows"), (Weights{0.25, 0.5, 0.25}));
  EXPECT_EQ(unit_weights({}, 4, "rows"), Weights(4, 0.25));
  EXPECT_EQ(unit_weights(Weights{3}, 1, "rows"), Weights{1});
}

TEST(UnitWeights, MayBeHugeOrTiny) {
  EXPECT_EQ(unit_weights(Weights{0x1p1023, 0x1p1023, 0x1p1023, 0x1p1023}, 4, "rows"),
            Weights(4, 0.25));
  EXPECT_EQ(unit_weights(Weights{0x1p-1070, 0x3p-1070}, 2, "rows"), (Weights{0.25, 0.75}));
}

TEST(UnitWeights, RefuseWhatIsNoWeightAndNameIt) {
  EXPECT_THROW(unit_weights(Weights{1, 2}, 3, "rows"), InvalidArgument);
  for (const double bad : Weights{0, -1, INFINITY, NAN}) {
    try {
      unit_weights(Weights{1, bad, 1}, 3, "centers");
      ADD_FAILURE() << bad << " was taken";
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string(error.what()).find("weight 2"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("centers"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace mercer::density
