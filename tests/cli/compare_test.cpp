// `mercer compare`: methods side by side.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cli/session.h"
#include "model/json_schema.h"

namespace mercer {
namespace {

class CompareCommand : public testing::Session {
 protected:
  void SetUp() override {
    std::string table = "x,y,kind\n";
    for (int i = 0; i < 120; ++i) {
      const double angle = 0.37 * i;
      const double radius = i % 2 == 0 ? 1 : 3;
      table += fmt::format("{},{},{}\n", radius * std::cos(angle), radius * std::sin(angle),
                           i % 2 == 0 ? "inner" : "outer");
    }
    write("t.csv", table);
  }

  static int occurrences(const std::string& text, const std::string& part) {
    int count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
      ++count;
    return count;
  }
};

TEST_F(CompareCommand, PrintsATableAndWritesCsvAndJson) {
  const std::string said = done(
      "compare t.csv --label-column last --landmarks 10,40 --ell 3 --components 3 --csv m.csv "
      "--json m.json -q");
  for (const char* part : {"exact (baseline)", "landmarks 10", "landmarks 40", "shadow, ell 3",
                           "3-nn, %", "120 x 2, gaussian"})
    EXPECT_NE(said.find(part), std::string::npos) << part << "\n" << said;
  const std::string csv = read("m.csv");
  EXPECT_EQ(std::ranges::count(csv, '\n'), 1 + 4 * 3);
  const std::string json = read("m.json");
  EXPECT_EQ(testing::schema_violations(
                testing::read_bytes(MERCER_SOURCE_DIR "/docs/comparison.schema.json"), json),
            std::vector<std::string>{});
  EXPECT_EQ(occurrences(json, "\"splits\": 3"), 1 + 4);
}

TEST_F(CompareCommand, EveryMethodTakesPart) {
  const std::string json = done(
      "compare t.csv --label-column last --folds 2 --components 2 --json - --methods "
      "exact,landmarks,shadow,kmeans,paring,herding,greedy,partitioned,random_features,"
      "randomized,akfa,ackfa,skfa --landmarks 10 --ell 3 --centers 10 --max-library 10 "
      "--blocks 2 --frequencies 64 --sparsify 2 --delta 0.1");
  EXPECT_EQ(occurrences(json, "\"splits\": 2"), 1 + 13) << json;
  EXPECT_EQ(occurrences(json, "failure"), 0);
}

TEST_F(CompareCommand, TheBaselineIsTheOneAskedFor) {
  const std::string said = done(
      "compare t.csv --label-column last --methods landmarks,akfa --landmarks 20 --repeats 1 -q");
  EXPECT_NE(said.find("landmarks 20 (baseline)"), std::string::npos) << said;
  const std::string other = done(
      "compare t.csv --label-column last --methods landmarks,akfa --landmarks 20 --repeats 1 "
      "--baseline akfa -q");
  EXPECT_NE(other.find("akfa (baseline)"), std::string::npos) << other;
}

TEST_F(CompareCommand, FailuresAreShownBesideTheOthers) {
  const std::string said = done(
      "compare t.csv --label-column last --methods exact,shadow,akfa --kernel polynomial "
      "--degree 2 --repeats 1 -q");
  EXPECT_NE(said.find("shadow, ell 3 failed on 1 of 1 splits"), std::string::npos) << said;
  EXPECT_NE(said.find("akfa"), std::string::npos) << said;
}

TEST_F(CompareCommand, MistakesAreNamed) {
  expect_error("compare t.csv --label-column last --methods exact,best", 2, "no method 'best'");
  expect_error("compare t.csv --label-column last --methods exact,exact", 2, "twice");
  expect_error("compare t.csv --label-column last --landmarks 10,x", 2, "'x' is not a positive");
  expect_error("compare t.csv --label-column last --landmarks 10.5", 2, "whole number");
  expect_error("compare t.csv --label-column last --delta 0.1", 2, "do not take part");
  expect_error("compare t.csv --label-column last --baseline akfa", 2, "not among the methods");
  expect_error("compare t.csv --label-column last --folds 3 --test-fraction 0.2", 2, "choose one");
  expect_error("compare t.csv --label-column last --folds 1", 2, "folds");
  expect_error("compare t.csv --label-column last --csv a.txt --json a.txt", 2, "a.txt");
  expect_error("compare t.csv --label-column last -o t.csv", 2, "t.csv");
  expect_error("compare missing.csv", 1, "missing.csv");
}

}  // namespace
}  // namespace mercer
