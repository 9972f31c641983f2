// Ctrl-C: the command stops soon, says so, and leaves no file.

#include <chrono>
#include <csignal>
#include <thread>

#include "cli/session.h"

namespace mercer {
namespace {

using namespace std::chrono_literals;

class Interrupt : public testing::Session {
 protected:
  void SetUp() override { done("generate blobs -o big.npy --n 40000 --d 8"); }

  /// Long enough to be in the midst of it: many products with a matrix of 1.6e9 values.
  std::vector<std::string> long_fit() {
    return testing::mercer(
        split("fit big.npy -o m.mercer --scores z.npy --json s.json --gamma 0.01 --components 50 "
              "--storage matrix_free --threads 1"));
  }

  testing::Outcome interrupted(const std::vector<std::string>& command, int signal) {
    testing::ProcessOptions options;
    options.folder = folder_.path();
    testing::Process process(command, options);
    std::this_thread::sleep_for(700ms);
    process.send(signal);
    const auto start = std::chrono::steady_clock::now();
    testing::Outcome outcome = process.wait();
    EXPECT_LT(std::chrono::steady_clock::now() - start, 5s);
    return outcome;
  }
};

TEST_F(Interrupt, FitLeavesNothing) {
  const testing::Outcome outcome = interrupted(long_fit(), SIGINT);
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_EQ(outcome.err, "mercer fit: cancelled, nothing was written\n");
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(folder_.file_count(), 1u);
}

TEST_F(Interrupt, TerminationIsTheSame) {
  const testing::Outcome outcome = interrupted(long_fit(), SIGTERM);
  EXPECT_EQ(outcome.exit_code, 143);
  EXPECT_EQ(folder_.file_count(), 1u);
}

TEST_F(Interrupt, TransformRemovesTheRowsItHasWritten) {
  done("generate blobs -o small.npy --n 4000 --d 8 --seed 1");
  done("fit small.npy -o m.mercer --gamma 0.01 -q");
  done("generate blobs -o huge.npy --n 1000000 --d 8 --seed 2");
  const testing::Outcome outcome = interrupted(
      testing::mercer(split("transform m.mercer huge.npy -o z.npy --threads 1")), SIGINT);
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_EQ(outcome.err, "mercer transform: cancelled, nothing was written\n");
  EXPECT_EQ(folder_.file_count(), 4u);
}

TEST_F(Interrupt, ProgressIsShownOnATerminalOnly) {
  testing::ProcessOptions options;
  options.folder = folder_.path();
  options.terminal = true;
  testing::Process process(long_fit(), options);
  std::this_thread::sleep_for(1500ms);
  process.send(SIGINT);
  const testing::Outcome outcome = process.wait();
  EXPECT_NE(outcome.err.find("] "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find(" %"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("\r\x1b[K"), std::string::npos) << "the line is cleared at the end";
}

TEST_F(Interrupt, PassesShowTheirRows) {
  done("generate blobs -o huge.npy --n 1000000 --d 8 --seed 2");
  testing::ProcessOptions options;
  options.folder = folder_.path();
  options.terminal = true;
  testing::Process process(testing::mercer(split("fit huge.npy -o m.mercer --landmarks 600 --gamma "
                                                 "0.5 --selection uniform --threads 1")),
                           options);
  std::this_thread::sleep_for(3s);
  process.send(SIGINT);
  const testing::Outcome outcome = process.wait();
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_NE(outcome.err.find("pass "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find(" of 1.0M rows, "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find(" rows/s, "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find(" left"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace mercer
