// `mercer update`: a stream that begins, goes on, is interrupted and resumed.

#include <chrono>
#include <csignal>
#include <thread>

#include <fmt/format.h>

#include <mercer/data.h>
#include <mercer/incremental.h>
#include <mercer/model.h>

#include "cli/session.h"
#include "model/json_schema.h"

namespace mercer {
namespace {

using namespace std::chrono_literals;

class Update : public testing::Session {
 protected:
  static constexpr const char* kStart = " --start --gamma 0.02 --mse 0.01 --block-size 500 ";

  /// all.npy with 4,200 rows; first.npy has 1,500 of them and rest.npy the others.
  void write_tables() {
    done("generate swiss_roll -o all.npy --n 4200 --seed 3");
    const Matrix<double> points = read_table(folder_ / "all.npy").points;
    write_rows("first.npy", points.view().rows_from(0, 1500));
    write_rows("rest.npy", points.view().rows_from(1500, 2700));
  }

  /// What a run that was killed after so many blocks of 500 of a table leaves behind.
  void leave_partial(const std::string& state, IncrementalFit stream, const std::string& table,
                     std::size_t blocks) {
    const Matrix<double> points = read_table(folder_ / table).points;
    for (std::size_t b = 0; b < blocks; ++b)
      stream.partial_fit(points.view().rows_from(500 * b, 500));
    stream.save(folder_ / (state + ".partial"));
  }
};

TEST_F(Update, GoesOnAsIfTheRowsHadComeTogether) {
  write_tables();
  const std::string said = done(std::string("update whole.stream all.npy -q") + kStart);
  EXPECT_EQ(said, "");
  const std::string first = done(std::string("update s.stream first.npy") + kStart);
  EXPECT_NE(first.find("s.stream: 1500 rows more, 1500 in 3 blocks; library "), std::string::npos)
      << first;
  const std::string before = read("s.stream");
  done("update s.stream rest.npy -o t.stream --block-size 500 --threads 1");
  EXPECT_EQ(read("s.stream"), before) << "another name was given";
  EXPECT_EQ(read("t.stream"), read("whole.stream"));
  done("update s.stream rest.npy --block-size 500");
  EXPECT_EQ(read("s.stream"), read("whole.stream"));
  EXPECT_NE(done("info s.stream").find("blocks         9"), std::string::npos);
  EXPECT_FALSE(exists("s.stream.partial"));
}

TEST_F(Update, AModelIsThereAtAnyMoment) {
  write_tables();
  const std::string said = done(std::string("update s.stream first.npy --model a.mercer") + kStart);
  EXPECT_NE(said.find("1,500 rows, 3 columns"), std::string::npos) << said;
  const std::string json =
      done("update s.stream rest.npy --model b.mercer --components 4 --json - --block-size 500");
  EXPECT_EQ(testing::summary_violations(json), std::vector<std::string>{});
  EXPECT_EQ(Model::load(folder_ / "a.mercer").components(), 10u);
  const Model model = Model::load(folder_ / "b.mercer");
  EXPECT_EQ(model.components(), 4u);
  EXPECT_EQ(model.summary().n, 4200u);
  done("transform b.mercer all.npy -o z.npy");
  done("merge s.stream -o c.mercer --components 4 -q");
  done("transform c.mercer all.npy -o y.npy");
  EXPECT_EQ(read("z.npy"), read("y.npy"));
}

TEST_F(Update, ResumedRunsEndWithTheSameBits) {
  write_tables();
  done(std::string("update whole.stream all.npy -q") + kStart);
  done(std::string("update s.stream first.npy -q") + kStart);
  const IncrementalOptions options{.library = {.mse = 0.01}};
  const Matrix<double> points = read_table(folder_ / "all.npy").points;
  const Kernel kernel = Gaussian{.gamma = 0.02};

  // The first table of a stream. Its partial state has the columns of the table, as the command
  // writes them.
  const ColumnRules rules = open_rows(folder_ / "all.npy")->rules();
  leave_partial("new.stream", IncrementalFit(kernel, options, {.columns = rules}), "all.npy", 4);
  expect_error(std::string("update new.stream all.npy") + kStart, 2,
               "'new.stream.partial' is left of an interrupted run: --resume goes on with it");
  EXPECT_FALSE(exists("new.stream"));
  expect_error("update new.stream all.npy --resume --start --gamma 0.02 --mse 0.01", 2,
               "2000 rows in 4 blocks; --block-size 2000 would cut them otherwise");
  expect_error(
      "update new.stream all.npy --resume --start --gamma 0.03 --mse 0.01 --block-size 500", 2,
      "started with other options");
  expect_error(
      "update new.stream all.npy --resume --start --gamma 0.02 --mse 0.02 --block-size 500", 2,
      "started with other options");
  expect_error(std::string("update new.stream first.npy --resume") + kStart, 2,
               "the interrupted run had read 2000 rows, but there are only 1500");
  done(std::string("update new.stream all.npy --resume --save-every 2") + kStart);
  EXPECT_EQ(read("new.stream"), read("whole.stream"));
  EXPECT_FALSE(exists("new.stream.partial"));

  // A later one.
  leave_partial("s.stream", IncrementalFit::load(folder_ / "s.stream"), "rest.npy", 3);
  done("update s.stream rest.npy --resume --block-size 500");
  EXPECT_EQ(read("s.stream"), read("whole.stream"));

  // Nothing was left: the whole table.
  done(std::string("update z.stream all.npy --resume -q") + kStart);
  EXPECT_EQ(read("z.stream"), read("whole.stream"));

  // One that was forgotten.
  done("update s.stream first.npy -q");
  IncrementalFit::load(folder_ / "whole.stream").save(folder_ / "s.stream.partial");
  expect_error("update s.stream first.npy --resume", 2, "has no rows that 's.stream' has not");
}

TEST_F(Update, AnInterruptLeavesWhatThereIsToResume) {
  done("generate blobs -o big.npy --n 400000 --d 8");
  const std::string words =
      "update s.stream big.npy --start --gamma 0.05 --mse 0.05 --block-size 1000 --threads 1";
  testing::ProcessOptions options;
  options.folder = folder_.path();
  testing::Process process(testing::mercer(split(words)), options);
  std::this_thread::sleep_for(1000ms);
  process.send(SIGINT);
  const testing::Outcome outcome = process.wait();
  ASSERT_EQ(outcome.exit_code, 130);
  EXPECT_NE(outcome.err.find("mercer update: cancelled with "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("--resume goes on from there"), std::string::npos) << outcome.err;
  EXPECT_FALSE(exists("s.stream"));
  const IncrementalFit partial = IncrementalFit::load(folder_ / "s.stream.partial");
  EXPECT_EQ(partial.rows(), 1000 * partial.blocks());
}

TEST_F(Update, AKilledRunIsResumedWithTheSameBits) {
  done("generate blobs -o big.npy --n 60000 --d 8");
  const std::string words =
      " big.npy --start --gamma 0.005 --mse 0.05 --block-size 500 --save-every 2 --threads 1 -q";
  done("update whole.stream" + words);
  testing::ProcessOptions options;
  options.folder = folder_.path();
  testing::Process process(testing::mercer(split("update s.stream" + words)), options);
  for (int i = 0; i < 2000 && !exists("s.stream.partial"); ++i) std::this_thread::sleep_for(1ms);
  process.send(SIGKILL);
  ASSERT_EQ(process.wait().exit_code, 128 + SIGKILL);
  ASSERT_TRUE(exists("s.stream.partial"));
  EXPECT_FALSE(exists("s.stream"));
  done("update s.stream --resume" + words);
  EXPECT_EQ(read("s.stream"), read("whole.stream"));
  EXPECT_FALSE(exists("s.stream.partial"));
}

TEST_F(Update, ColumnsWeightsAndScalingAreThoseOfTheStart) {
  std::string text = "name,x,weight,y\n", first = text, second = text;
  for (int i = 0; i < 60; ++i) {
    const std::string row =
        fmt::format("n{},{:.6f},{},{:.6f}\n", i, 0.1 * (i * 7 % 13), 1 + i % 4, 0.3 * (i * 5 % 11));
    text += row;
    (i < 30 ? first : second) += row;
  }
  write("all.csv", text);
  write("a.csv", first);
  write("b.csv", second);
  const std::string start =
      " --start --gamma 1 --ignore-columns name --sample-weight-column weight --shift 1 "
      "--block-size 10 -q";
  done("update whole.stream all.csv" + start);
  done("update s.stream a.csv" + start);
  expect_error("update s.stream b.csv --block-size 10", 2,
               "the rows before had weights; name their column with --sample-weight-column");
  done("update s.stream b.csv --block-size 10 --sample-weight-column weight");
  EXPECT_EQ(read("s.stream"), read("whole.stream"));
  EXPECT_NE(done("info s.stream").find("scaled"), std::string::npos);
  write("other.csv", "a,b\n1,2\n");
  expect_error("update s.stream other.csv --sample-weight-column weight", 1, "other.csv");
}

TEST_F(Update, LinearKernelsAreIncrementalPca) {
  write_tables();
  done("update s.stream all.npy --start --kernel linear --model s.mercer --components 3 -q");
  done("fit all.npy -o e.mercer --kernel linear --method exact --components 3 -q");
  const Model stream = Model::load(folder_ / "s.mercer");
  const Model exact = Model::load(folder_ / "e.mercer");
  for (std::size_t j = 0; j < 3; ++j)
    EXPECT_NEAR(stream.eigenvalues()[j] / exact.eigenvalues()[j], 1, 1e-9) << j;
}

TEST_F(Update, WhatMakesNoSenseIsRefused) {
  done("generate swiss_roll -o a.npy --n 300");
  done("update s.stream a.npy --start --gamma 0.02 -q");
  done("fit a.npy -o m.mercer -q");
  done("summarize a.npy --method shadow --gamma 1 -o c.part -q");
  const std::size_t before = folder_.file_count();
  const std::string state = read("s.stream");
  const auto refused = [&](const std::string& words, const std::string& text) {
    expect_error("update " + words, 2, text);
  };
  refused("t.stream a.npy", "'t.stream' does not exist; --start begins a stream there");
  refused("s.stream a.npy --start", "'s.stream' exists; leave out --start");
  refused("t.stream a.npy --start -o u.stream", "exclude each other");
  refused("m.mercer a.npy", "m.mercer is no stream, so it cannot take more rows");
  refused("c.part a.npy", "c.part is no stream");
  for (const std::string option :
       {"--gamma 1", "--kernel linear", "--mse 0.1", "--deflate 0.9", "--library-limit 10",
        "--standardize", "--no-center", "--label-column last", "--seed 1"})
    refused("s.stream a.npy " + option, "is for --start; a stream keeps what it began with");
  refused("s.stream a.npy --components 3", "with --model FILE");
  refused("s.stream a.npy --model x.mercer --components 0", "components is 0");
  refused("s.stream a.npy --json s.json", "add --model FILE");
  refused("s.stream a.npy --save-every 0", "--save-every is 0");
  refused("s.stream a.npy --block-size 0", "--block-size is 0");
  refused("s.stream a.npy -o a.npy", "would replace 'a.npy'");
  refused("s.stream a.npy --model s.stream", "would replace 's.stream'");
  refused("s.stream a.npy --labels a.npy", "--labels has no use here");
  refused("t.stream a.npy --start --kernel sigmoid --gamma 1", "positive semi-definite");
  refused("t.stream a.npy --start --library-limit 0", "library_limit is 0");
  expect_error("update s.stream none.npy", 1, "cannot read 'none.npy'");
  expect_error("update a.npy a.npy", 1, "not a mercer file");
  EXPECT_EQ(read("s.stream"), state);
  EXPECT_EQ(folder_.file_count(), before);
}

}  // namespace
}  // namespace mercer
