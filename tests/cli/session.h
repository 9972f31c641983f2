#pragma once

#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <mercer/data.h>

#include "cli/process.h"
#include "model/temporary_folder.h"

namespace mercer::testing {

/// Tests that type commands in a folder of their own.
class Session : public ::testing::Test {
 protected:
  /// Runs "mercer WORDS"; words are separated by blanks.
  Outcome mercer_says(const std::string& words, ProcessOptions options = {}) {
    options.folder = folder_.path();
    return run(mercer(split(words)), options);
  }

  /// The same for commands that must succeed.
  std::string done(const std::string& words) {
    const Outcome outcome = mercer_says(words);
    EXPECT_EQ(outcome.exit_code, 0) << "mercer " << words << "\n" << outcome.err;
    EXPECT_EQ(outcome.err, "") << "mercer " << words;
    return outcome.out;
  }

  /// Expects "mercer COMMAND: error: ..." with the text, the exit code, and nothing printed.
  void expect_error(const std::string& words, int exit_code, const std::string& text) {
    const Outcome outcome = mercer_says(words);
    EXPECT_EQ(outcome.exit_code, exit_code) << "mercer " << words;
    EXPECT_EQ(outcome.out, "") << "mercer " << words;
    EXPECT_NE(outcome.err.find(text), std::string::npos)
        << "mercer " << words << "\nexpected: " << text << "\nsaid: " << outcome.err;
    EXPECT_EQ(outcome.err.rfind("mercer", 0), 0u) << outcome.err;
    EXPECT_NE(outcome.err.find(": error: "), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << "one paragraph: " << outcome.err;
  }

  void write(const std::string& name, const std::string& text) {
    write_bytes(folder_ / name, text);
  }
  std::string read(const std::string& name) const { return read_bytes(folder_ / name); }
  bool exists(const std::string& name) const { return std::filesystem::exists(folder_ / name); }

  void write_rows(const std::string& name, MatrixView<const double> rows) {
    RowWriter writer(folder_ / name, rows.cols());
    writer.write(rows);
    writer.finish();
  }

  /// all.npy, and its halves a.npy and b.npy.
  void write_halves(std::size_t n) {
    done("generate swiss_roll -o all.npy --n " + std::to_string(n) + " --seed 2");
    const Matrix<double> points = read_table(folder_ / "all.npy").points;
    write_rows("a.npy", points.view().rows_from(0, n / 2));
    write_rows("b.npy", points.view().rows_from(n / 2, n - n / 2));
  }

  static std::vector<std::string> split(const std::string& words) {
    std::istringstream stream(words);
    std::vector<std::string> result;
    for (std::string word; stream >> word;) result.push_back(word);
    return result;
  }

  TemporaryFolder folder_;
};

}  // namespace mercer::testing
