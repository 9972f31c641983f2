// Help, version, completion, and the restart for a misdetected BLAS core.

#include <algorithm>

#include "cli/session.h"

namespace mercer {
namespace {

class ProgramTest : public testing::Session {
 protected:
  /// What bash would offer at the end of these words.
  std::string completed(const std::string& words) {
    const std::string script = "source <(" MERCER_COMMAND
                               " completion bash); compopt() { COMPREPLY=(FILES); }; "
                               "COMP_WORDS=(" +
                               words +
                               "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _mercer; "
                               "echo \"${COMPREPLY[@]}\"";
    const testing::Outcome outcome = testing::run({"/bin/bash", "-c", script});
    EXPECT_EQ(outcome.err, "");
    return outcome.out.substr(0, outcome.out.size() - 1);
  }
};

TEST_F(ProgramTest, VersionIsOneLine) {
  EXPECT_EQ(done("--version"), "mercer " MERCER_VERSION "\n");
}

TEST_F(ProgramTest, EveryCommandHasHelpWithExamples) {
  const std::string help = done("--help");
  for (const std::string command : {"fit", "transform", "summarize", "merge", "update", "compress",
                                    "info", "generate", "demo", "completion"}) {
    EXPECT_NE(help.find("  " + command + " "), std::string::npos) << command;
    const std::string text = done(command + " --help");
    EXPECT_NE(text.find("Usage: mercer " + command), std::string::npos) << text;
    EXPECT_NE(text.find("Examples:\n"), std::string::npos) << text;
    EXPECT_EQ(text, done(command + " -h"));
  }
}

TEST_F(ProgramTest, CommandsBehindAGroupHaveHelpToo) {
  EXPECT_NE(done("--help").find("  distance "), std::string::npos);
  EXPECT_NE(done("distance --help").find("  query "), std::string::npos);
  for (const std::string command : {"distance fit", "distance query"}) {
    const std::string text = done(command + " --help");
    EXPECT_NE(text.find("Usage: mercer " + command), std::string::npos) << text;
    EXPECT_NE(text.find("Examples:\n"), std::string::npos) << text;
  }
  expect_error("distance fti", 2, "did you mean fit?");
}

TEST_F(ProgramTest, HelpFitsIntoAHundredColumns) {
  for (const std::string command :
       {"", "fit", "transform", "summarize", "merge", "update", "compress", "distance",
        "distance fit", "distance query", "info", "generate", "demo", "completion"}) {
    std::istringstream lines(done(command + " --help"));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
  }
}

TEST_F(ProgramTest, HelpGroupsTheOptionsOfFit) {
  const std::string help = done("fit --help");
  for (const char* part :
       {"What to compute:", "Kernel:", "Columns (numbered from 1):", "Scaling (kept in the model):",
        "Random projection (kept in the model):", "Landmarks:", "Random features:", "Exact method:",
        "Running:", "-o,--output FILE"})
    EXPECT_NE(help.find(part), std::string::npos) << part;
}

TEST_F(ProgramTest, BashCompletesCommandsOptionsAndValues) {
  EXPECT_EQ(completed("mercer tr"), "transform");
  EXPECT_EQ(completed("mercer fit --ker"), "--kernel");
  EXPECT_EQ(completed("mercer fit x.csv --kernel mat"), "matern32 matern52");
  EXPECT_EQ(completed("mercer fit x.csv --selection rp"), "rpcholesky");
  EXPECT_EQ(completed("mercer fit x.csv --method random_"), "random_features");
  EXPECT_EQ(completed("mercer fit x.csv --method kro"), "kronecker");
  EXPECT_EQ(completed("mercer fit x.csv --kronecker-order bi"), "bisection");
  EXPECT_EQ(completed("mercer fit x.csv --method randomi"), "randomized");
  EXPECT_EQ(completed("mercer fit x.csv --quantize mi"), "min_max");
  EXPECT_EQ(completed("mercer merge --js"), "--json");
  EXPECT_EQ(completed("mercer merge a.part b.pa"), "FILES");
  EXPECT_EQ(completed("mercer completion z"), "zsh");
  EXPECT_EQ(completed("mercer dis"), "distance");
  EXPECT_EQ(completed("mercer distance q"), "query");
  EXPECT_EQ(completed("mercer distance fit --met"), "--metric");
  EXPECT_EQ(completed("mercer distance fit x.csv --metric ham"), "hamming");
  EXPECT_EQ(completed("mercer distance query m.mer"), "FILES");
  EXPECT_EQ(completed("mercer generate swiss_r"), "swiss_roll");
  EXPECT_EQ(completed("mercer fit poi"), "FILES");
  EXPECT_EQ(completed("mercer fit x.csv -o poi"), "FILES");
}

class CompletionScript : public ProgramTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(CompletionScript, NamesEverything) {
  const std::string script = done(std::string("completion ") + GetParam());
  for (const char* word : {"transform", "min-eigenvalue", "matern52", "swiss_roll", "summarize",
                           "landmark-rows", "density_weighted"})
    EXPECT_NE(script.find(word), std::string::npos) << word;
}

TEST_P(CompletionScript, IsUnderstoodByTheShell) {
  const std::string shell = std::string("/usr/bin/") + GetParam();
  if (!std::filesystem::exists(shell)) GTEST_SKIP() << shell << " is not installed";
  write("script", done(std::string("completion ") + GetParam()));
  const testing::Outcome outcome = testing::run({shell, "-n", (folder_ / "script").string()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
}

INSTANTIATE_TEST_SUITE_P(Shells, CompletionScript, ::testing::Values("bash", "zsh", "fish"),
                         [](const auto& shell) { return std::string(shell.param); });

TEST_F(ProgramTest, MisdetectedBlasCoreIsCorrectedOnce) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizers must be the first library of a process";
#endif
  done("generate moons -o m.csv --n 50");
  const auto with = [&](const std::string& core, const std::string& words) {
    return mercer_says(
        words, {.environment = {{"LD_PRELOAD", MERCER_FAKE_BLAS_CORE}, {"FAKE_CORE", core}}});
  };
  // Taken for an old processor until a core is named, as OpenBLAS does.
  const testing::Outcome corrected = with("until-named", "fit m.csv -o m.mercer");
  EXPECT_EQ(corrected.exit_code, 0) << corrected.err;
  if (corrected.out.find("BLAS core Prescott") != std::string::npos)
    GTEST_SKIP() << "this processor has nothing newer than Prescott's instructions";
  EXPECT_NE(corrected.out.find("BLAS core Renamed"), std::string::npos) << corrected.out;
  // A library that does not listen must not be restarted for ever.
  const testing::Outcome stubborn = with("always", "fit m.csv -o m.mercer");
  EXPECT_EQ(stubborn.exit_code, 0) << stubborn.err;
  EXPECT_NE(stubborn.out.find("BLAS core Prescott"), std::string::npos) << stubborn.out;
}

}  // namespace
}  // namespace mercer
