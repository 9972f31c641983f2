// `mercer plot`: pages and pictures of a model.

#include "cli/session.h"

namespace mercer {
namespace {

using PlotCommand = testing::Session;

TEST_F(PlotCommand, ShowsComponentsVarianceAndContours) {
  done("generate moons -o p.csv --n 300 --labels l.txt --seed 1");
  done("fit p.csv -o m.mercer --method exact --components 4");
  const std::string said = done("plot m.mercer p.csv --labels l.txt -o p.html");
  EXPECT_NE(said.find("components 1 and 2 of 300 rows"), std::string::npos) << said;
  EXPECT_NE(said.find("contours of 4"), std::string::npos) << said;
  EXPECT_TRUE(exists("p.html"));
}

TEST_F(PlotCommand, SaysHowManyRowsItDraws) {
  done("generate swiss_roll -o p.csv --n 300 --d 3 --seed 1");
  done("fit p.csv -o m.mercer --method exact --components 4");
  const std::string said = done("plot m.mercer p.csv -o p.html --max-points 50");
  EXPECT_NE(said.find("50"), std::string::npos) << said;
  EXPECT_EQ(said.find("contours"), std::string::npos) << said;
}

TEST_F(PlotCommand, NeedsNoDataForTheVariance) {
  done("generate moons -o p.csv --n 100 --seed 1");
  done("fit p.csv -o m.mercer --method exact --components 3");
  const std::string said = done("plot m.mercer -o p.html");
  EXPECT_NE(said.find("explain"), std::string::npos) << said;
  EXPECT_EQ(said.find("rows"), std::string::npos) << said;
}

TEST_F(PlotCommand, MistakesAreNamed) {
  done("generate moons -o p.csv --n 100 --seed 1");
  done("fit p.csv -o m.mercer --method exact --components 3");
  expect_error("plot m.mercer p.csv", 2, "--png");
  expect_error("plot m.mercer p.csv -o x.html --components 1,4", 2, "the model has 1 to 3");
  expect_error("plot m.mercer p.csv -o x.html --components 2,2", 2, "twice");
  expect_error("plot m.mercer p.csv -o x.html --components 2", 2, "two numbers");
  expect_error("plot m.mercer -o x.html --components 1,2", 2, "name the data after the model");
  expect_error("plot m.mercer p.csv -o p.csv", 2, "p.csv");
  EXPECT_FALSE(exists("x.html"));
}

}  // namespace
}  // namespace mercer
