// `mercer summarize` and `mercer merge`: parts of the data, summed up apart and put together.

#include <cmath>
#include <csignal>
#include <numeric>
#include <thread>

#include <fmt/format.h>

#include <mercer/data.h>
#include <mercer/model.h>

#include "cli/session.h"
#include "model/json_schema.h"

namespace mercer {
namespace {

using namespace std::chrono_literals;

class Parts : public testing::Session {
 protected:
  std::vector<double> eigenvalues(const std::string& model) {
    const Model loaded = Model::load(folder_ / model);
    return {loaded.eigenvalues().begin(), loaded.eigenvalues().end()};
  }

  static void expect_close(const std::vector<double>& a, const std::vector<double>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t j = 0; j < a.size(); ++j) EXPECT_NEAR(a[j], b[j], 1e-10 * a[0]) << j;
  }
};

TEST_F(Parts, HalvesMergeIntoTheFitOfAllRows) {
  write_halves(4001);
  done("fit all.npy -o all.mercer --landmarks 60 --standardize --components 6");
  const std::string said = done("summarize a.npy --landmarks-from all.mercer -o a.part");
  EXPECT_NE(said.find("a.part: 2000 rows, weight 2000, 60 landmarks in "), std::string::npos)
      << said;
  EXPECT_EQ(done("summarize b.npy --landmarks-from all.mercer -o b.part --method landmarks -q"),
            "");
  const std::string full =
      done("merge a.part b.part -o merged.mercer --components 6 --json s.json");
  EXPECT_NE(full.find("4,001 rows, 3 columns"), std::string::npos) << full;
  EXPECT_EQ(testing::summary_violations(read("s.json")), std::vector<std::string>{});
  EXPECT_EQ(testing::summary_violations(done("merge a.part b.part -o again.mercer --json -")),
            std::vector<std::string>{});
  expect_close(eigenvalues("all.mercer"), eigenvalues("merged.mercer"));
  done("transform all.mercer all.npy -o x.npy");
  done("transform merged.mercer all.npy -o y.npy");
  const Matrix<double> x = read_table(folder_ / "x.npy").points;
  const Matrix<double> y = read_table(folder_ / "y.npy").points;
  ASSERT_EQ(x.size(), y.size());
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x.data()[i], y.data()[i], 1e-7);
}

TEST_F(Parts, ComponentsAreChosenWhenMerging) {
  write_halves(1000);
  done("fit all.npy -o m.mercer --landmarks 50 --gamma 0.01 --components 2");
  done("summarize all.npy --landmarks-from m.mercer -o all.part");
  EXPECT_NE(done("merge all.part -o c.mercer --components 7 -q").find("-> 7 components"),
            std::string::npos);
  const std::vector<double> seven = eigenvalues("c.mercer");
  done(fmt::format("merge all.part -o e.mercer --min-eigenvalue {}", (seven[3] + seven[4]) / 2));
  expect_close(eigenvalues("e.mercer"), std::vector<double>(seven.begin(), seven.begin() + 4));
  const Summary retained =
      Summary::from_json(done("merge all.part -o r.mercer --retain 0.5 --json -"));
  const auto& ratio = retained.explained_variance_ratio;
  EXPECT_GE(std::accumulate(ratio.begin(), ratio.end(), 0.0), 0.5);
  EXPECT_LT(std::accumulate(ratio.begin(), ratio.end() - 1, 0.0), 0.5) << "no more than needed";
  EXPECT_NE(done("merge all.part -o u.mercer --no-center").find("not centred"), std::string::npos);
  expect_error("merge all.part -o x.mercer --components 3 --retain 0.5", 2, "exclude each other");
  expect_error("merge all.part -o x.mercer --components 0", 2, "components is 0");
}

TEST_F(Parts, ColumnsAndWeightsAreThoseOfTheModel) {
  std::string text = "name,x,weight,y\n", first, second;
  const std::string header = text;
  for (int i = 0; i < 60; ++i) {
    const std::string row =
        fmt::format("n{},{},{},{}\n", i, std::sin(i), 1 + i % 4, std::cos(3 * i));
    text += row;
    (i < 25 ? first : second) += row;
  }
  write("all.csv", text);
  write("a.csv", header + first);
  write("b.csv", header + second);
  done(
      "fit all.csv -o m.mercer --landmarks 20 --gamma 1 --components 5 --ignore-columns name "
      "--sample-weight-column weight --standardize");
  expect_error("summarize a.csv --landmarks-from m.mercer -o a.part", 2,
               "the rows of m.mercer had weights; name the column with --sample-weight-column");
  EXPECT_FALSE(exists("a.part"));
  const std::string words = " --landmarks-from m.mercer --sample-weight-column weight -o ";
  EXPECT_NE(done("summarize a.csv" + words + "a.part").find("25 rows, weight 61"),
            std::string::npos);
  done("summarize b.csv" + words + "b.part");
  done("merge b.part a.part -o merged.mercer --components 5");
  expect_close(eigenvalues("m.mercer"), eigenvalues("merged.mercer"));
  EXPECT_EQ(Model::load(folder_ / "merged.mercer").total_weight(),
            Model::load(folder_ / "m.mercer").total_weight());
  expect_error("summarize a.csv --landmarks-from m.mercer --sample-weight-column x -o c.part", 2,
               "column 2 ('x') of 'a.csv' cannot be the weight");
}

TEST_F(Parts, InfoTellsWhatAPartIs) {
  write_halves(500);
  done("fit all.npy -o m.mercer --landmarks 30 --kernel laplacian --gamma 0.5");
  done("summarize a.npy --landmarks-from m.mercer -o a.part");
  const std::string info = done("info a.part");
  for (const char* text : {"a.part: sums of a part of the data", "rows           250",
                           "weight         250", "landmarks      30", "laplacian, gamma = 0.5",
                           "3 numbers per row, from tables with 3 columns"})
    EXPECT_NE(info.find(text), std::string::npos) << text << "\n" << info;
  expect_error("info a.part --json -", 2, "mercer merge makes a model of it");
  expect_error("transform a.part a.npy -o z.npy", 1, "a.part: holds an accumulator, not a model");
}

TEST_F(Parts, WhatDoesNotGoTogetherIsRefused) {
  write_halves(500);
  done("fit all.npy -o m.mercer --landmarks 30 --gamma 0.5");
  done("fit all.npy -o other.mercer --landmarks 30 --gamma 0.5 --seed 1");
  done("fit all.npy -o kernel.mercer --landmarks 30 --gamma 0.4");
  done("fit all.npy -o exact.mercer --method exact");
  done("fit all.npy -o features.mercer --frequencies 64");
  done("summarize a.npy --landmarks-from m.mercer -o a.part");
  done("summarize b.npy --landmarks-from other.mercer -o b.part");
  done("summarize b.npy --landmarks-from kernel.mercer -o c.part");
  write("text.part", "no part\n");
  const std::size_t before = folder_.file_count();
  expect_error("merge a.part b.part -o x.mercer", 2,
               "b.part does not go with a.part: the parts were made with different landmarks");
  expect_error("merge a.part c.part -o x.mercer", 2, "different kernels");
  expect_error("merge a.part ./a.part -o x.mercer", 2, "'./a.part' is given twice");
  expect_error("merge -o x.mercer", 2, "PART is required");
  expect_error("merge a.part", 2, "--output is required");
  expect_error("merge a.part -o a.part", 2, "would replace 'a.part'");
  expect_error("merge a.part -o x.mercer --json x.mercer", 2, "would replace 'x.mercer'");
  expect_error("merge m.mercer -o x.mercer", 2, "m.mercer is a model; merge takes parts");
  expect_error("merge text.part -o x.mercer", 1, "text.part: not a mercer file");
  expect_error("merge none.part -o x.mercer", 1, "cannot read 'none.part'");
  expect_error("summarize a.npy -o x.part", 2, "name it with --landmarks-from");
  expect_error("summarize a.npy --landmarks-from exact.mercer -o x.part", 2,
               "exact.mercer: parts are summarised with the landmarks of a model");
  expect_error("summarize a.npy --landmarks-from features.mercer -o x.part", 2,
               "features.mercer: parts are summarised");
  expect_error("summarize a.npy --landmarks-from a.part -o x.part", 1, "holds an accumulator");
  expect_error("summarize a.npy --landmarks-from m.mercer -o a.npy", 2, "would replace 'a.npy'");
  expect_error("summarize a.npy --landmarks-from m.mercer -o missing/x.part", 1, "cannot write");
  write("narrow.csv", "1,2\n");
  expect_error("summarize narrow.csv --landmarks-from m.mercer -o x.part", 1, "narrow.csv");
  EXPECT_EQ(folder_.file_count(), before + 1);
}

TEST_F(Parts, AnInterruptedSummaryLeavesNoFile) {
  done("generate blobs -o small.npy --n 2000 --d 8");
  done("fit small.npy -o m.mercer --landmarks 1000 --selection uniform --gamma 0.5 -q");
  done("generate blobs -o huge.npy --n 1000000 --d 8 --seed 2");
  testing::ProcessOptions options;
  options.folder = folder_.path();
  testing::Process process(
      testing::mercer(split("summarize huge.npy --landmarks-from m.mercer -o x.part --threads 1")),
      options);
  std::this_thread::sleep_for(700ms);
  process.send(SIGINT);
  const testing::Outcome outcome = process.wait();
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_EQ(outcome.err, "mercer summarize: cancelled, nothing was written\n");
  EXPECT_EQ(folder_.file_count(), 3u);
}

TEST_F(Parts, CoversMergeAndASecondPassBringsBackTheRadius) {
  write_halves(4000);
  const std::string shadow = " --method shadow --gamma 0.02 --ell 2 -o ";
  const std::string said = done("summarize a.npy" + shadow + "a.part");
  EXPECT_NE(said.find("a.part: 2000 rows, weight 2000, "), std::string::npos) << said;
  done("summarize b.npy -q" + shadow + "b.part");
  const std::string info = done("info a.part");
  EXPECT_NE(info.find("a cover of a part of the data"), std::string::npos) << info;
  EXPECT_NE(info.find("every row is nearer than 3.53553 to its centre"), std::string::npos) << info;

  done("merge a.part b.part -o merged.mercer --components 4 --json s.json");
  EXPECT_EQ(testing::summary_violations(read("s.json")), std::vector<std::string>{});
  const Summary merged = Summary::from_json(read("s.json"));
  EXPECT_EQ(merged.n, 4000u);
  EXPECT_EQ(merged.method, "shadow");
  const std::string full = done("info merged.mercer");
  EXPECT_NE(full.find("nearer than 7.07107"), std::string::npos) << full;

  done(
      "merge a.part b.part -o exact.mercer --components 4 --second-pass a.npy --second-pass b.npy");
  EXPECT_NE(done("info exact.mercer").find("nearer than 3.53553"), std::string::npos);

  done("summarize a.npy --halve" + shadow + "ha.part");
  done("summarize b.npy --halve" + shadow + "hb.part");
  done("merge ha.part hb.part -o half.mercer --components 4");
  EXPECT_NE(done("info half.mercer").find("nearer than 3.53553"), std::string::npos);
  done("transform half.mercer all.npy -o z.npy");
}

TEST_F(Parts, CoversRefuseWhatPartsWouldNotShare) {
  write_halves(200);
  const auto refused = [&](const std::string& words, const std::string& reason) {
    const auto outcome = mercer_says(words);
    EXPECT_NE(outcome.exit_code, 0) << words;
    EXPECT_NE(outcome.err.find(reason), std::string::npos) << outcome.err;
  };
  refused("summarize a.npy --method shadow -o a.part", "same scale of the kernel");
  refused("summarize a.npy --method shadow --gamma 1 --standardize -o a.part", "its own columns");
  refused("summarize a.npy --method shadow --gamma 1 --kernel laplacian_l1 -o a.part",
          "Euclidean distance");
  refused("summarize a.npy -o a.part", "--landmarks-from");
  done("summarize a.npy --method shadow --gamma 1 --ell 3 -o a.part");
  done("summarize b.npy --method shadow --gamma 1 --ell 4 -o b.part");
  refused("merge a.part b.part -o m.mercer", "different radii");
  done("fit a.npy -o l.mercer --landmarks 20");
  done("summarize b.npy --landmarks-from l.mercer -o l.part");
  refused("merge a.part l.part -o m.mercer", "merge parts of one kind");
  refused("merge l.mercer a.part -o m.mercer", "is a model");
  refused("merge l.part -o m.mercer --second-pass b.npy", "exact already");
  refused("merge a.part -o m.mercer --second-pass a.npy --second-pass b.npy",
          "the parts hold 100 rows, the tables of --second-pass 200");
  refused("merge a.part -o m.mercer --second-pass a.npy --second-pass a.npy", "given twice");
  refused("merge a.part -o a.npy --second-pass a.npy", "a.npy");
  refused("summarize b.npy --landmarks-from l.mercer -o x.part --ell 3", "--ell");
  refused("summarize b.npy --landmarks-from l.mercer -o x.part --gamma 3", "--gamma");
  refused("summarize b.npy --landmarks-from l.mercer -o x.part --standardize", "--standardize");
  EXPECT_EQ(read_table(folder_ / "a.npy").points.rows(), 100u);
  done("summarize a.npy --method shadow --gamma 1 --ignore-columns 1 -o c1.part");
  done("summarize b.npy --method shadow --gamma 1 --ignore-columns 3 -o c3.part");
  refused("merge c1.part c3.part -o m.mercer", "different columns");
  write("w.csv", "1,2,5\n3,4,1\n5,1,2\n");
  done("summarize w.csv --method shadow --gamma 1 --sample-weight-column 3 -o w.part");
  refused("merge w.part -o m.mercer --second-pass w.csv", "--sample-weight-column");
  done("merge w.part -o m.mercer --second-pass w.csv --sample-weight-column 3");
}

}  // namespace
}  // namespace mercer
