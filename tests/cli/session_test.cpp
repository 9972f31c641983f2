// What a user does on a good day.

#include "cli/session.h"

#include <cmath>

#include <mercer/data.h>

#include "model/json_schema.h"

namespace mercer {
namespace {

class GoodDay : public testing::Session {};

double largest_difference(const Matrix<double>& a, const Matrix<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, std::abs(a.data()[i] - b.data()[i]));
  return largest;
}

TEST_F(GoodDay, GenerateFitInfoTransform) {
  done("generate rings -o rings.csv --n 300 --labels classes.txt");
  const std::string summary =
      done("fit rings.csv -o rings.mercer --components 5 --gamma 0.2 --scores z.npy");
  EXPECT_NE(summary.find("300 rows, 2 columns"), std::string::npos) << summary;
  EXPECT_NE(summary.find("gaussian, gamma = 0.2"), std::string::npos) << summary;
  EXPECT_NE(done("info rings.mercer").find("gaussian, gamma = 0.2"), std::string::npos);
  EXPECT_NE(done("transform rings.mercer rings.csv -o again.npy").find("300 rows, 5 components"),
            std::string::npos);
  const Table scores = read_table(folder_ / "z.npy");
  const Table again = read_table(folder_ / "again.npy");
  ASSERT_EQ(scores.points.rows(), 300u);
  ASSERT_EQ(scores.points.cols(), 5u);
  EXPECT_LT(largest_difference(scores.points, again.points), 1e-12);
}

TEST_F(GoodDay, RulesOfTheColumnsAreKeptInTheModel) {
  write("train.csv",
        "name,x,colour,weight,y,class\n"
        "a,1,red,1,2,u\nb,2,blue,2,1,v\nc,3,red,1,5,u\nd,5,green,1,0.5,v\ne,4,blue,3,2,u\n");
  write("new.csv", "name,x,colour,weight,y,class\nf,2.5,blue,1,3,u\n");
  write("bare.csv", "x,colour,y\n2.5,blue,3\n");
  done(
      "fit train.csv -o m.mercer --components 3 --label-column class --ignore-columns 1 "
      "--one-hot colour --sample-weight-column weight --standardize");
  const std::string info = done("info m.mercer");
  EXPECT_NE(info.find("5 numbers per row, from tables with 6 columns"), std::string::npos) << info;
  EXPECT_NE(info.find("left out: "), std::string::npos) << info;
  EXPECT_NE(info.find("6 (class)"), std::string::npos) << info;
  EXPECT_NE(info.find("column 3 (colour) stands for 3 categories; scaled"), std::string::npos)
      << info;
  EXPECT_NE(info.find("total weight 8"), std::string::npos) << info;
  done("transform m.mercer new.csv -o new.npy");
  done("transform m.mercer bare.csv -o bare.npy");
  EXPECT_EQ(read("new.npy"), read("bare.npy"));
}

TEST_F(GoodDay, ShiftAndMultiplyEqualScaledData) {
  write("raw.csv", "-1,0\n1,0.5\n0,-1\n0.25,1\n");
  write("scaled.csv", "0,0.5\n1,0.75\n0.5,0\n0.625,1\n");
  done(
      "fit raw.csv -o raw.mercer --gamma 1 --components 2 --shift 1 --multiply 0.5 --scores a.npy");
  done("fit scaled.csv -o scaled.mercer --gamma 1 --components 2 --scores b.npy");
  EXPECT_EQ(read("a.npy"), read("b.npy"));
}

TEST_F(GoodDay, SigmaIsAnotherWordForGamma) {
  done("generate moons -o m.csv --n 100");
  done("fit m.csv -o a.mercer --sigma 0.5 --scores a.npy");
  done("fit m.csv -o b.mercer --gamma 2 --scores b.npy");
  EXPECT_EQ(read("a.npy"), read("b.npy"));
}

TEST_F(GoodDay, ThreadsAndBlocksDoNotChangeABit) {
  done("generate swiss_roll -o s.npy --n 500 --seed 3");
  done("fit s.npy -o one.mercer --threads 1 --scores one.npy");
  done("fit s.npy -o two.mercer --threads 2 --scores two.npy");
  EXPECT_EQ(read("one.npy"), read("two.npy"));
  done("transform one.mercer s.npy -o t1.npy --threads 1");
  done("transform two.mercer s.npy -o t2.npy --threads 2");
  EXPECT_EQ(read("t1.npy"), read("t2.npy"));
}

TEST_F(GoodDay, SummariesAsJsonFollowTheSchema) {
  done("generate blobs -o b.csv --n 200 --d 3");
  done("fit b.csv -o b.mercer --json s.json --kernel matern32");
  EXPECT_EQ(testing::summary_violations(read("s.json")), std::vector<std::string>{});
  for (const char* key : {"\"method\": \"exact\"", "\"name\":\"matern32\"", "\"n\": 200",
                          "\"d\": 3", "\"components\": 10", "\"solver_residual\"",
                          "\"memory_limit_bytes\"", "\"name\":\"read\"", "\"what\":\"length\""})
    EXPECT_NE(read("s.json").find(key), std::string::npos) << key;
  EXPECT_EQ(testing::summary_violations(done("info b.mercer --json -")),
            std::vector<std::string>{});
  EXPECT_EQ(testing::summary_violations(done("fit b.csv -o b.mercer --json -")),
            std::vector<std::string>{});
}

TEST_F(GoodDay, AmountsOfMemoryHaveUnits) {
  done("generate moons -o m.csv --n 20");
  for (const auto& [text, bytes] :
       std::vector<std::pair<std::string, std::string>>{{"4G", "4294967296"},
                                                        {"1.5GiB", "1610612736"},
                                                        {"512m", "536870912"},
                                                        {"3000000", "3000000"},
                                                        {"2000KB", "2048000"}})
    EXPECT_NE(done("fit m.csv -o m.mercer --json - --memory-limit " + text)
                  .find("\"memory_limit_bytes\": " + bytes),
              std::string::npos)
        << text;
}

TEST_F(GoodDay, QuietMeansOneLineOrNothing) {
  done("generate moons -o m.csv --n 100");
  const std::string line = done("fit m.csv -o m.mercer -q");
  EXPECT_EQ(std::ranges::count(line, '\n'), 1) << line;
  EXPECT_NE(line.find("100 x 2 -> 10 components"), std::string::npos) << line;
  EXPECT_EQ(done("transform m.mercer m.csv -o z.csv -q"), "");
}

TEST_F(GoodDay, ComponentsByVarianceAndByEigenvalue) {
  done("generate moons -o m.csv --n 100");
  const std::string most = done("fit m.csv -o m.mercer --gamma 1 --retain 0.9 --json -");
  const std::string all = done("fit m.csv -o m.mercer --gamma 1 --min-eigenvalue 1e-3 --json -");
  const auto components = [](const std::string& json) {
    return std::stoi(json.substr(json.find("\"components\": ") + 14));
  };
  EXPECT_LT(components(most), components(all));
}

TEST_F(GoodDay, EverySolverStorageAndPrecisionGivesTheSame) {
  done("generate rings -o r.npy --n 200");
  done("fit r.npy -o m.mercer --gamma 0.2 --components 3 --scores exact.npy");
  const Table expected = read_table(folder_ / "exact.npy");
  for (const std::string choice :
       {"--solver dense", "--solver krylov --storage matrix_free",
        "--solver krylov --storage stored", "--precision float", "--solver-tolerance 1e-10"}) {
    done("fit r.npy -o m.mercer --gamma 0.2 --components 3 --scores z.npy " + choice);
    const Table scores = read_table(folder_ / "z.npy");
    EXPECT_LT(largest_difference(scores.points, expected.points), 1e-4) << choice;
  }
}

TEST_F(GoodDay, ResidualIsAColumnOfItsOwn) {
  done("generate rings -o r.csv --n 200");
  done("fit r.csv -o r.mercer --gamma 0.2 --components 3");
  done("transform r.mercer r.csv -o z.csv --residual");
  EXPECT_EQ(read("z.csv").substr(0, read("z.csv").find('\n')),
            "component_1,component_2,component_3,residual");
  write("far.csv", "x1,x2\n100,100\n");
  done("transform r.mercer far.csv -o far.npy --residual");
  const Table near = read_table(folder_ / "z.csv");
  const Table far = read_table(folder_ / "far.npy");
  for (std::size_t i = 0; i < near.points.rows(); ++i)
    EXPECT_LT(near.points(i, 3), far.points(0, 3));
}

TEST_F(GoodDay, WithoutCentringTheMeanStays) {
  done("generate rings -o r.csv --n 200");
  EXPECT_NE(done("fit r.csv -o r.mercer --gamma 0.2 --no-center").find("not centred"),
            std::string::npos);
}

TEST_F(GoodDay, PrecomputedKernelsTakeTheMatrixItself) {
  write("k.csv", "1,0.5,0.1\n0.5,1,0.2\n0.1,0.2,1\n");
  write("new.csv", "0.3,0.2,0.6\n");
  done("fit k.csv -o k.mercer --kernel precomputed --components 2");
  EXPECT_NE(done("transform k.mercer new.csv -o z.csv").find("1 rows, 2 components"),
            std::string::npos);
}

TEST_F(GoodDay, PlotsShowTheClasses) {
  done("generate rings -o r.csv --n 300 --labels classes.txt");
  const std::string with = done("fit r.csv -o r.mercer --gamma 0.2 --plot --labels classes.txt");
  EXPECT_NE(with.find("component 1"), std::string::npos);
  EXPECT_NE(with.find("3 classes, not used in the fit"), std::string::npos) << with;
  for (const char* symbol : {"o", "x", "+"}) EXPECT_NE(with.find(symbol), std::string::npos);
  EXPECT_EQ(with.find("\x1b["), std::string::npos) << "no colours when it is not a terminal";
  EXPECT_NE(done("fit r.csv -o r.mercer --plot").find("█"), std::string::npos);
}

TEST_F(GoodDay, GenerateIsReproducibleAndFollowsTheSeed) {
  done("generate spirals -o a.npy --n 50 --seed 1");
  done("generate spirals -o b.npy --n 50 --seed 1");
  done("generate spirals -o c.npy --n 50 --seed 2");
  EXPECT_EQ(read("a.npy"), read("b.npy"));
  EXPECT_NE(read("a.npy"), read("c.npy"));
  done("generate swiss_roll -o d.csv --n 2");
  EXPECT_EQ(read("d.csv").substr(0, 9), "x1,x2,x3\n") << "as many columns as the shape needs";
}

TEST_F(GoodDay, DemoShowsBeforeAndAfterAndLeavesNothing) {
  const auto options = testing::ProcessOptions{.environment = {{"TMPDIR", folder_.path()}}};
  const testing::Outcome outcome = mercer_says("demo", options);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* part : {"$ mercer generate", "$ mercer fit", "$ mercer transform", "ring 3",
                           "component 2", "Try next"})
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part;
  EXPECT_EQ(folder_.file_count(), 0u);
}

}  // namespace
}  // namespace mercer
