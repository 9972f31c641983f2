// `mercer compress`: models with a smaller library.

#include <fmt/format.h>

#include <mercer/data.h>
#include <mercer/model.h>

#include "cli/session.h"
#include "model/json_schema.h"

namespace mercer {
namespace {

class CompressCommand : public testing::Session {
 protected:
  void SetUp() override {
    done("generate swiss_roll -o all.npy --n 600 --seed 2");
    done("fit all.npy -o big.mercer --method exact --standardize --components 4");
  }

  Summary compressed(const std::string& words) {
    return Summary::from_json(done("compress big.mercer -o small.mercer --json - " + words));
  }
};

TEST_F(CompressCommand, BothWaysMeetTheErrorAndTheSmallModelTransforms) {
  for (const std::string by : {"rounding", "projection"}) {
    const std::string said = done("compress big.mercer -o small.mercer --error 0.2 --by " + by);
    EXPECT_NE(said.find("by " + by + " from 600 to "), std::string::npos) << said;
    const Summary summary = compressed("--error 0.2 --by " + by);
    EXPECT_NEAR(summary.compression->all.measured, 0.2, 0.2);
    EXPECT_LT(summary.library_size, 300u);
    const Model small = Model::load(folder_ / "small.mercer");
    EXPECT_EQ(small.library_size(), summary.library_size);
    done("transform small.mercer all.npy -o z.npy");
    EXPECT_EQ(read_table(folder_ / "z.npy").points.cols(), 4u);
  }
}

TEST_F(CompressCommand, SummariesFollowTheSchema) {
  EXPECT_EQ(testing::summary_violations(
                done("compress big.mercer -o s.mercer --error 0.1 --json - --per-component")),
            std::vector<std::string>{});
  done("compress big.mercer -o s.mercer --error 0.1 --by projection --json s.json -q");
  EXPECT_EQ(testing::summary_violations(read("s.json")), std::vector<std::string>{});
  EXPECT_EQ(read("s.json"), done("info s.mercer --json -"));
}

TEST_F(CompressCommand, SeedsDrawOthersAndThreadsTheSame) {
  done("compress big.mercer -o a.mercer --error 0.3 --threads 1 -q");
  done("compress big.mercer -o b.mercer --error 0.3 --threads 3 -q");
  done("compress big.mercer -o c.mercer --error 0.3 --seed 9 -q");
  const auto library = [&](const char* name) {
    const Model model = Model::load(folder_ / name);
    return std::vector<double>(model.library().data(),
                               model.library().data() + model.library_size() * 3);
  };
  EXPECT_EQ(library("a.mercer"), library("b.mercer"));
  EXPECT_NE(library("a.mercer"), library("c.mercer"));
}

TEST_F(CompressCommand, MistakesAreNamed) {
  expect_error("compress big.mercer -o big.mercer --error 0.1", 2, "big.mercer");
  expect_error("compress big.mercer -o s.mercer", 2, "--error is required");
  expect_error("compress big.mercer -o s.mercer --error 2", 2, "error is 2");
  expect_error("compress big.mercer -o s.mercer --error 0.1 --by projection --per-component", 2,
               "--per-component is an option of --by rounding");
  done("fit all.npy -o linear.mercer --kernel linear --method exact");
  expect_error("compress linear.mercer -o s.mercer --error 0.1", 2, "the model has no library");
  expect_error("compress all.npy -o s.mercer --error 0.1", 1, "all.npy");
  EXPECT_FALSE(exists("s.mercer"));
}

}  // namespace
}  // namespace mercer
