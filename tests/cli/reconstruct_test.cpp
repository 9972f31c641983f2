// `mercer reconstruct`: from components back to points.

#include <cmath>

#include <mercer/data.h>
#include <mercer/model.h>

#include "cli/session.h"

namespace mercer {
namespace {

class ReconstructCommand : public testing::Session {
 protected:
  Matrix<double> points(const char* name) { return read_table(folder_ / name).points; }
};

TEST_F(ReconstructCommand, GivesPointsInTheUnitsOfTheTable) {
  done("generate swiss_roll -o all.npy --n 400 --seed 2");
  done(
      "fit all.npy -o m.mercer --method exact --standardize --components 30 --learn-preimage "
      "--preimage-alpha 0.01");
  const auto rows = points("all.npy");
  for (const std::string how : {"mika", "one_step", "kwok_tsang", "ridge"}) {
    const std::string said = done("reconstruct m.mercer all.npy -o r.npy --preimage " + how);
    EXPECT_NE(said.find("400 rows"), std::string::npos) << said;
    const auto back = points("r.npy");
    double worst = 0;
    for (std::size_t i = 0; i < rows.rows(); ++i)
      for (std::size_t j = 0; j < rows.cols(); ++j)
        worst = std::max(worst, std::abs(rows(i, j) - back(i, j)));
    EXPECT_LT(worst, 8) << how;  // the roll is 22 wide
  }
  EXPECT_NE(done("info m.mercer").find("map learned"), std::string::npos);
  EXPECT_NE(done("info m.mercer --json -").find("map to points"), std::string::npos);
}

TEST_F(ReconstructCommand, TextHasTheColumnsOfTheTable) {
  write("t.csv",
        "kind,length,width,colour\na,1,2,red\nb,2,1,blue\na,3,5,red\nb,4,3,blue\na,2,2,red\n");
  done("fit t.csv -o t.mercer --label-column kind --one-hot colour --method exact --gamma 0.1");
  done("reconstruct t.mercer t.csv -o r.csv -q");
  const std::string text = read("r.csv");
  EXPECT_EQ(text.substr(0, text.find('\n')), "length,width,colour=blue,colour=red");
}

TEST_F(ReconstructCommand, LinearModelsGiveTheProjection) {
  done("generate swiss_roll -o all.npy --n 100 --seed 2");
  done("fit all.npy -o pca.mercer --kernel linear --method exact --components 3");
  done("reconstruct pca.mercer all.npy -o r.npy -q");
  const auto rows = points("all.npy");
  const auto back = points("r.npy");
  for (std::size_t i = 0; i < rows.rows(); ++i)
    for (std::size_t j = 0; j < rows.cols(); ++j) EXPECT_NEAR(rows(i, j), back(i, j), 1e-10);
}

TEST_F(ReconstructCommand, WarningsArePrinted) {
  done("generate swiss_roll -o all.npy --n 200 --seed 2");
  done("fit all.npy -o m.mercer --method exact --components 2 --gamma 50");
  const std::string said = done("reconstruct m.mercer all.npy -o r.npy --max-iterations 1");
  EXPECT_NE(said.find("warning: "), std::string::npos) << said;
  EXPECT_NE(said.find("did not converge in 1 iterations"), std::string::npos) << said;
}

TEST_F(ReconstructCommand, MistakesAreNamed) {
  done("generate swiss_roll -o all.npy --n 50 --seed 2");
  done("fit all.npy -o m.mercer --method exact --components 2");
  done("fit all.npy -o l.mercer --method exact --components 2 --kernel laplacian");
  expect_error("reconstruct m.mercer all.npy -o r.npy --preimage ridge", 2, "--learn-preimage");
  expect_error("reconstruct l.mercer all.npy -o r.npy", 2, "no bound");
  expect_error("reconstruct m.mercer all.npy -o all.npy", 2, "all.npy");
  expect_error("reconstruct m.mercer all.npy -o r.npy --preimage ridge --max-iterations 3", 2,
               "--max-iterations is an option of --preimage mika");
  expect_error("reconstruct m.mercer all.npy -o r.npy --neighbors 3", 2, "kwok_tsang");
  expect_error("reconstruct m.mercer all.npy -o r.npy --preimage best", 2, "best");
  expect_error("fit all.npy -o x.mercer --preimage-alpha 2", 2, "--learn-preimage");
  expect_error("fit all.npy -o x.mercer --learn-preimage --method random_features", 2, "no points");
  expect_error("fit all.npy -o x.mercer --learn-preimage --project-dim 2", 2, "projection");
  expect_error("fit all.npy -o x.mercer --learn-preimage --kernel linear", 2, "not needed");
  expect_error("fit all.npy -o x.mercer --learn-preimage --kernel chi2", 2, "negative");
  EXPECT_FALSE(exists("r.npy"));
  EXPECT_FALSE(exists("x.mercer"));
}

}  // namespace
}  // namespace mercer
