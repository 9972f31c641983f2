// Exact kernel PCA of USPS digits, compressed. Skipped where the data are absent.

#include <cstdio>

#include <gtest/gtest.h>

#include <mercer/mercer.h>

#include "real_data.h"

namespace mercer {
namespace {

Table read_digits(const std::filesystem::path& file) {
  TableOptions options;
  options.label = ColumnName::parse("first");
  return read_table(file, options);
}

std::vector<std::size_t> digits_of(const Table& table) {
  std::vector<std::size_t> digits;
  for (const std::size_t code : table.labels.code)
    digits.push_back(std::stoul(table.labels.names[code]));
  return digits;
}

TEST(CompressedUsps, AQuarterOfTheKernelValuesClassifiesAsWell) {
  REQUIRE_DATA(train_file, "usps/usps_train.csv.gz");
  REQUIRE_DATA(test_file, "usps/usps_test.csv.gz");
  const Table train = read_digits(train_file);
  const Table test = read_digits(test_file);
  const auto accuracy = [&](const Model& model) {
    return knn_accuracy(model.transform(train.points), digits_of(train),
                        model.transform(test.points), digits_of(test), 3);
  };
  const Model model = fit_exact(train.points, Gaussian{}, {.components = 20}).model;
  const double exact = accuracy(model);
  for (const CompressBy by : {CompressBy::rounding, CompressBy::projection}) {
    const double error = by == CompressBy::rounding ? 0.2 : 0.05;
    const Fit small = compress(model, {.by = by, .error = error});
    const double kept = accuracy(small.model);
    std::printf("%s: %zu of %zu points, error %.4f, 3-nn %.4f of %.4f\n",
                small.summary.compression->by.c_str(), small.model.library_size(),
                model.library_size(), small.summary.compression->all.measured, kept, exact);
    EXPECT_LE(small.model.library_size(), model.library_size() / 4);
    EXPECT_GE(kept, exact - 0.005);
  }
}

}  // namespace
}  // namespace mercer
