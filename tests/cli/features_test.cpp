// `mercer fit --method akfa|ackfa|skfa`.

#include <mercer/model.h>

#include "cli/session.h"
#include "model/json_schema.h"

namespace mercer {
namespace {

class Features : public testing::Session {
 protected:
  void SetUp() override { done("generate circle -o c.npy --n 700 --noise 1 --seed 1"); }

  Summary fitted(const std::string& words) {
    return Summary::from_json(done("fit c.npy -o m.mercer --sigma 4 --json - " + words));
  }
};

TEST_F(Features, EveryRuleFitsTransformsAndDescribesItself) {
  for (const std::string words :
       {"--method akfa --features 6", "--method ackfa --features 6 --delta 0.2",
        "--method ackfa --components 6 --delta 0.2 --delta-relative",
        "--method skfa --features 6 --candidates 59", "--method skfa --features 6 --terms 100",
        "--method akfa --features 6 --storage stored", "--method akfa --features 6 --no-center"}) {
    done("fit c.npy -o m.mercer --sigma 4 --scores z.npy --json s.json " + words);
    EXPECT_EQ(testing::summary_violations(read("s.json")), std::vector<std::string>{}) << words;
    const Summary summary = Summary::from_json(read("s.json"));
    EXPECT_EQ(summary.gains.size(), 6u) << words;
    EXPECT_EQ(summary.error_curve.size(), 7u) << words;
    EXPECT_EQ(summary.library_size, summary.centered ? 700u : 6u) << words;
    const std::string info = done("info m.mercer");
    EXPECT_NE(info.find("Kernel features, " + summary.method + " method"), std::string::npos);
    EXPECT_NE(info.find("gain"), std::string::npos) << info;
    done("transform m.mercer c.npy -o again.npy");
    EXPECT_EQ(read("z.npy"), read("again.npy")) << words;
    done("transform m.mercer c.npy -o residual.csv --residual");
  }
}

TEST_F(Features, OptionsChooseTheMethodThatHasThem) {
  EXPECT_EQ(fitted("--features 3").method, "akfa");
  EXPECT_EQ(fitted("--delta 0.2").method, "ackfa");
  const Summary open = fitted("--stop-error 0.2");
  EXPECT_EQ(open.method, "akfa");
  EXPECT_LE(*open.reconstruction_error, 0.2);
  EXPECT_GT(open.error_curve[open.components - 1].error, 0.2);
}

TEST_F(Features, SparseMeansKeepTheChosenRows) {
  const Summary summary = fitted("--features 5 --projection sparse_mean");
  EXPECT_EQ(summary.library_size, 5u);
  ASSERT_EQ(summary.bounds.size(), 2u);
  EXPECT_EQ(summary.bounds[0].name, "squared_mean_error");
}

TEST_F(Features, RefuseWhatTheyHaveNot) {
  const std::string fit = "fit c.npy -o m.mercer --method akfa ";
  expect_error(fit + "--retain 0.9", 2, "features have no eigenvalues");
  expect_error(fit + "--min-eigenvalue 1", 2, "features have no eigenvalues");
  expect_error(fit + "--features 3 --components 3", 2, "give one of them");
  expect_error(fit + "--delta 0.1", 2, "--delta is an option of the method ackfa");
  expect_error(fit + "--mse 0.1", 2, "--mse is an option of the method greedy");
  expect_error(fit + "--features 0", 2, "features is 0");
  expect_error(fit + "--precision float", 2, "--precision float does not go with");
  expect_error("fit c.npy -o m.mercer --method ackfa", 2, "needs --delta");
  expect_error("fit c.npy -o m.mercer --delta 2 --delta-relative", 2, "at most 1");
  expect_error(fit + "--no-center --projection sparse_mean", 2, "no mean without centring");
  expect_error(fit + "--kernel sigmoid --gamma 1", 2, "positive semi-definite");
}

}  // namespace
}  // namespace mercer
