#include <cmath>
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include <mercer/data.h>
#include <mercer/error.h>

namespace mercer {
namespace {

/// The folder of the papers' data sets, which are not part of the project.
class RealData : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* variable = std::getenv("MERCER_DATA");
    folder_ = variable != nullptr ? std::filesystem::path(variable)
                                  : std::filesystem::path(MERCER_SOURCE_DIR) / "../shared/data";
  }

  struct Expected {
    std::size_t rows, cols, classes;
    double sum;
  };

  void expect_table(const std::string& name, const TableOptions& options,
                    const Expected& expected) const {
    if (!std::filesystem::exists(folder_ / name)) {
      GTEST_SKIP() << "there is no " << name << " in the folder of data sets (MERCER_DATA)";
    }
    const Table table = read_table(folder_ / name, options);
    EXPECT_EQ(table.points.rows(), expected.rows);
    EXPECT_EQ(table.points.cols(), expected.cols);
    EXPECT_EQ(table.labels.names.size(), expected.classes);
    double sum = 0;
    for (std::size_t i = 0; i < table.points.size(); ++i) sum += table.points.data()[i];
    EXPECT_NEAR(sum, expected.sum, 1e-9 * std::abs(expected.sum));
  }

  void expect_labels(const std::string& name, std::size_t rows, std::size_t classes) const {
    if (!std::filesystem::exists(folder_ / name)) {
      GTEST_SKIP() << "there is no " << name << " in the folder of data sets (MERCER_DATA)";
    }
    const Labels labels = read_labels(folder_ / name);
    EXPECT_EQ(labels.code.size(), rows);
    EXPECT_EQ(labels.names.size(), classes);
  }

  std::filesystem::path folder_;
};

// The sums were computed from the files by a few lines of Python.

TEST_F(RealData, AbaloneWithItsSexEncoded) {
  expect_table("abalone/abalone.data.gz",
               {.label = ColumnName::parse("last"), .one_hot = parse_columns("1")},
               {4177, 10, 28, 11189.865 + 4177});
}

TEST_F(RealData, AbaloneNeedsToBeToldAboutItsText) {
  const auto path = folder_ / "abalone/abalone.data.gz";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "there is no abalone (MERCER_DATA)";
  EXPECT_THROW(read_table(path), DataError);
}

TEST_F(RealData, KddCupWithoutItsText) {
  expect_table("kddcup99_10pc/kddcup.data_10_percent.gz",
               {.label = ColumnName::parse("last"), .ignore = parse_columns("2,3,4")},
               {494'021, 38, 23, 2466072518.54});
}

TEST_F(RealData, GermanCreditIsSeparatedByBlanks) {
  expect_table("german/german.data-numeric.gz", {.label = ColumnName::parse("last")},
               {1000, 24, 2, 118363});
}

TEST_F(RealData, Usps) {
  const TableOptions options{.label = ColumnName::parse("first")};
  expect_table("usps/usps_train.csv.gz", options, {7291, 256, 10, -916521.717});
  expect_table("usps/usps_test.csv.gz", options, {2007, 256, 10, -238801.158});
}

TEST_F(RealData, Pendigits) {
  const TableOptions options{.label = ColumnName::parse("last")};
  expect_table("pendigits/pendigits.tra.gz", options, {7494, 16, 10, 6079367});
  expect_table("pendigits/pendigits.tes.gz", options, {3498, 16, 10, 2839286});
}

TEST_F(RealData, SkinAndDigits) {
  const TableOptions options{.label = ColumnName::parse("last")};
  expect_table("skin/skin_nonskin.csv.gz", options, {245'057, 3, 2, 93305434});
  expect_table("digits/digits.csv.gz", options, {1797, 64, 10, 561718});
}

TEST_F(RealData, Mnist) {
  expect_table("mnist/t10k-images-idx3-ubyte.gz", {}, {10'000, 784, 0, 264923200});
  expect_labels("mnist/t10k-labels-idx1-ubyte.gz", 10'000, 10);
  expect_labels("mnist/train-labels-idx1-ubyte.gz", 60'000, 10);
}

TEST_F(RealData, MnistTrainingPictures) {
  expect_table("mnist/train-images-idx3-ubyte.gz", {}, {60'000, 784, 0, 1567298545});
}

TEST_F(RealData, Faces) {
  expect_table("umist/umist575_32x32_images.npy", {}, {575, 1024, 0, 52617652});
  expect_table("umist/umist575_28x23_images.npy", {}, {575, 644, 0, 33139741});
  expect_table("yale/yale_64x64_images.npy", {}, {165, 4096, 0, 65367281});
  expect_table("yale/yale_32x32_images.npy", {}, {165, 1024, 0, 16640447});
  expect_table("extyaleb/extyaleb_32x32_images.npy", {}, {2414, 1024, 0, 171356015});
  expect_table("pie/pie2856_32x32_images.npy", {}, {2856, 1024, 0, 250451258});
  expect_labels("umist/umist575_labels.npy", 575, 20);
  expect_labels("yale/yale_labels.npy", 165, 15);
  expect_labels("extyaleb/extyaleb_labels.npy", 2414, 38);
  expect_labels("pie/pie2856_labels.npy", 2856, 68);
}

}  // namespace
}  // namespace mercer
