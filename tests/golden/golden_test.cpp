#include "golden/golden.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include <mercer/error.h>

namespace mercer::golden {
namespace {

class GoldenFile : public testing::Test {
 protected:
  GoldenFile() : path_(std::filesystem::path(testing::TempDir()) / unique_name()) {}
  ~GoldenFile() override { std::filesystem::remove(path_); }

  Golden load(const std::string& text) const {
    std::ofstream(path_) << text;
    return Golden::load(path_);
  }

  /// What the reader says about a bad file, or nothing when it takes it.
  std::string complaint(const std::string& text) const {
    try {
      load(text);
    } catch (const FileError& error) {
      return error.what();
    }
    return "";
  }

 private:
  static std::string unique_name() {
    return std::string("golden_") + testing::UnitTest::GetInstance()->current_test_info()->name() +
           ".txt";
  }

  std::filesystem::path path_;
};

TEST_F(GoldenFile, HoldsNamedMatricesRowByRow) {
  const Golden golden = load("# where from\na 2 3\n1 2 3  # first\n4 5 6\nb 1 1 -0.5 none 0 0\n");
  EXPECT_EQ(golden["a"].rows(), 2U);
  EXPECT_EQ(golden["a"].cols(), 3U);
  EXPECT_EQ(golden["a"](1, 0), 4);
  EXPECT_EQ(golden.values("a"), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(golden.number("b"), -0.5);
  EXPECT_TRUE(golden["none"].empty());
}

TEST_F(GoldenFile, KeepsSeventeenDigitsExactly) {
  EXPECT_EQ(load("pi 1 1 3.1415926535897931").number("pi"), 0x1.921fb54442d18p+1);
}

TEST_F(GoldenFile, NamesTheLineOfAMistake) {
  EXPECT_NE(complaint("a 1 2\n1 x\n").find(":2: 'x' is not a number"), std::string::npos);
  EXPECT_NE(complaint("a 2 2\n1 2\n3\n").find(":3: the file ends"), std::string::npos);
  EXPECT_NE(complaint("a 1 1 0\na 1 1 0\n").find(":2: a appears twice"), std::string::npos);
  EXPECT_NE(complaint("a 4294967296 4294967296 0").find(":1: a is too large"), std::string::npos);
  EXPECT_NE(complaint("a -1 1 0").find("'-1' is not a number that fits"), std::string::npos);
}

TEST_F(GoldenFile, RefusesAnUnknownNameAndAFileThatIsNotThere) {
  const Golden golden = load("a 1 2 1 2");
  EXPECT_THROW(golden["b"], FileError);
  EXPECT_THROW(golden.number("a"), FileError);
  EXPECT_THROW(Golden::load("absent.txt"), FileError);
}

/// Files that record a whole kernel PCA.
std::vector<std::filesystem::path> recorded_files() {
  std::vector<std::filesystem::path> files;
  for (const char* peer : {"sklearn", "kernlab"}) {
    const auto folder = std::filesystem::path(MERCER_SOURCE_DIR) / "tests" / "golden" / peer;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      files.push_back(entry.path());
    }
  }
  return files;
}

TEST(RecordedNumbers, FollowTheScalingOfMercer) {
  const auto files = recorded_files();
  EXPECT_GE(files.size(), 15U);
  for (const auto& file : files) {
    SCOPED_TRACE(file.string());
    const Golden golden = Golden::load(file);
    const Matrix<double>& scores = golden["train_scores"];
    const std::vector<double> eigenvalues = golden.values("eigenvalues");
    const std::vector<double> component = golden.values("component");
    ASSERT_EQ(scores.cols(), component.size());
    EXPECT_EQ(scores.rows(), golden["train"].rows());
    EXPECT_EQ(golden["new_scores"].rows(), golden["new"].rows());
    for (std::size_t j = 0; j < component.size(); ++j) {
      double norm2 = 0;
      for (std::size_t i = 0; i < scores.rows(); ++i) norm2 += scores(i, j) * scores(i, j);
      const double eigenvalue = eigenvalues.at(static_cast<std::size_t>(component[j]));
      EXPECT_NEAR(norm2, eigenvalue, 1e-12 * eigenvalues[0]);
    }
  }
}

}  // namespace
}  // namespace mercer::golden
