// Landmark kernel PCA on whole data sets, as a user would run it. Skipped where the data are
// absent.

#include <string>

#include <gtest/gtest.h>

#include <mercer/mercer.h>

#include "real_data.h"

namespace mercer {
namespace {

using testing::data_file;

/// The codes of two label files in one numbering.
std::vector<std::size_t> codes_like(const Labels& labels, const std::vector<std::string>& names) {
  std::vector<std::size_t> codes;
  for (const std::size_t code : labels.code) {
    codes.push_back(
        static_cast<std::size_t>(std::ranges::find(names, labels.names[code]) - names.begin()));
  }
  return codes;
}

TEST(Mnist, LandmarksClassifyAsWellAsExact) {
  REQUIRE_DATA(train_file, "mnist/train-images-idx3-ubyte.gz");
  REQUIRE_DATA(test_file, "mnist/t10k-images-idx3-ubyte.gz");
  auto train = read_table(train_file).points;
  auto test = read_table(test_file).points;
  for (auto* points : {&train, &test}) {
    for (std::size_t i = 0; i < points->size(); ++i) points->data()[i] /= 255;
  }
  const Labels train_labels = read_labels(data_file("mnist/train-labels-idx1-ubyte.gz"));
  const auto test_codes =
      codes_like(read_labels(data_file("mnist/t10k-labels-idx1-ubyte.gz")), train_labels.names);
  const auto part = std::as_const(train).view().rows_from(0, 10000);
  const auto part_codes = std::span(train_labels.code).first(10000);
  const std::size_t k = 50;
  const auto accuracy = [&](const Model& model, MatrixView<const double> points,
                            std::span<const std::size_t> codes) {
    return knn_accuracy(model.transform(points), codes, model.transform(test), test_codes, 3);
  };

  const auto exact = fit_exact(part, Gaussian{}, {.components = k});
  const auto landmarks =
      fit_landmarks(part, exact.model.kernel(), {.components = k, .landmarks = 1000});
  const double of_exact = accuracy(exact.model, part, part_codes);
  const double of_landmarks = accuracy(landmarks.model, part, part_codes);
  RecordProperty("exact_10000", std::to_string(of_exact));
  RecordProperty("landmarks_10000", std::to_string(of_landmarks));
  EXPECT_NEAR(of_landmarks, of_exact, 0.005);

  const auto whole = fit_landmarks(train, Gaussian{}, {.components = k, .landmarks = 1000});
  const double of_whole = accuracy(whole.model, train, train_labels.code);
  RecordProperty("landmarks_60000", std::to_string(of_whole));
  RecordProperty("seconds_60000", std::to_string(whole.summary.seconds));
  EXPECT_GT(of_whole, of_exact);
  std::printf(
      "3-nn accuracy on 50 components: exact on 10,000 rows %.4f, landmarks %.4f; landmarks "
      "on 60,000 rows %.4f, fitted in %.2f s\n%s\n",
      of_exact, of_landmarks, of_whole, whole.summary.seconds, whole.summary.full().c_str());
}

TEST(Skin, HeavyDuplicationDoesNotBreakTheChoice) {
  REQUIRE_DATA(file, "skin/skin_nonskin.csv.gz");
  TableOptions options;
  options.label = ColumnName::parse("last");
  const Table table = read_table(file, options);
  for (const Selection selection : {Selection::rpcholesky, Selection::uniform, Selection::kmeans,
                                    Selection::greedy, Selection::farthest, Selection::leverage}) {
    const auto fit = fit_landmarks(table.points, Gaussian{},
                                   {.components = 10, .landmarks = 300, .selection = selection});
    EXPECT_EQ(fit.model.components(), 10U);
    EXPECT_LT(*fit.summary.residual_trace_fraction, 0.01);
    std::printf("%s\n", fit.summary.brief().c_str());
  }
}

TEST(KddCup, MixedColumnsFitFromTheCompressedFile) {
  REQUIRE_DATA(file, "kddcup99_10pc/kddcup.data_10_percent.gz");
  TableOptions options;
  options.label = ColumnName::parse("last");
  options.ignore = parse_columns("2,3,4");
  const auto rows = open_rows(file, options);
  const auto scaling = standard_scaling(*rows);
  const auto scaled = scaled_rows(*rows, scaling);
  const auto fit = fit_landmarks(*scaled, Gaussian{}, {.components = 10, .landmarks = 400});
  EXPECT_EQ(fit.summary.n, 494021U);
  EXPECT_EQ(fit.summary.d, 38U);
  EXPECT_LT(*fit.summary.residual_trace_fraction, 0.02);
  std::printf("%s\n", fit.summary.full().c_str());
}

}  // namespace
}  // namespace mercer
