// mercer distance fit and query.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <mercer/data.h>
#include <mercer/sparse_distance.h>

#include "cli/session.h"
#include "model/json_schema.h"
#include "numbers.h"

namespace mercer {
namespace {

class DistanceCommand : public testing::Session {
 protected:
  void SetUp() override {
    write_rows("items.npy", items_);
    write_rows("new.csv", queries_);
  }

  DistanceSummary fitted(const std::string& words) {
    const std::string json = done("distance fit items.npy -o m.mercer --json - " + words);
    EXPECT_EQ(violations("distance.schema.json", json), std::vector<std::string>{}) << words;
    return DistanceSummary::from_json(json);
  }

  std::string queried(const std::string& words) {
    const std::string json = done("distance query m.mercer new.csv --json - " + words);
    EXPECT_EQ(violations("distance_query.schema.json", json), std::vector<std::string>{}) << words;
    return json;
  }

  static std::vector<std::string> violations(const std::string& schema, const std::string& json) {
    return testing::schema_violations(
        testing::read_bytes(std::string(MERCER_SOURCE_DIR "/docs/") + schema), json);
  }

  Matrix<double> points(const std::string& file) const { return read_table(folder_ / file).points; }

  Matrix<double> items_ = testing::uniform_matrix(80, 12, 1);
  Matrix<double> queries_ = testing::uniform_matrix(9, 12, 2);
};

TEST_F(DistanceCommand, WritesTheDistancesOfTheLibrary) {
  for (const std::string metric :
       {"euclidean", "hamming --binarize 0.5", "l1", "chi2", "hellinger", "jensen_shannon",
        "cosine", "jaccard --binarize 0.5", "kernel --gamma 0.5"}) {
    const DistanceSummary summary = fitted("--landmarks 6 --metric " + metric);
    EXPECT_EQ(summary.landmarks.size(), 6u);
    EXPECT_EQ(summary.distance_evaluations.offline, 80u * 79 / 2);
    EXPECT_EQ(summary.distance_evaluations.online, 6u);
    const auto model = SparseDistance::load(folder_ / "m.mercer");
    const auto expected = model.estimate(queries_).squared;
    const std::string json = queried("-o d2.npy --squared");
    EXPECT_NE(json.find("\"online\": 54"), std::string::npos) << json;
    EXPECT_TRUE(testing::same_bits(points("d2.npy"), expected)) << metric;
    queried("-o d.npy");
    const auto roots = points("d.npy");
    for (std::size_t i = 0; i < roots.size(); ++i) {
      EXPECT_EQ(roots.data()[i], std::sqrt(expected.data()[i]));
    }
  }
}

TEST_F(DistanceCommand, WritesNeighboursAsWholeNumbers) {
  fitted("--landmarks 8 --metric l1");
  const auto truth = squared_distances(L1Distance{}, queries_, items_);
  for (const std::string how : {"", " --exact", " --rerank 80"}) {
    queried("-o nearest.npy --neighbors 3 --distances near.npy --squared" + how);
    EXPECT_NE(read("nearest.npy").find("'descr': '<i8'"), std::string::npos);
    const auto nearest = points("nearest.npy");
    const auto squares = points("near.npy");
    ASSERT_EQ(nearest.rows(), 9u);
    ASSERT_EQ(nearest.cols(), 3u);
    for (std::size_t q = 0; q < 9; ++q) {
      std::vector<std::pair<double, std::size_t>> order;
      for (std::size_t i = 0; i < 80; ++i) order.emplace_back(truth(q, i), i);
      std::ranges::sort(order);
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_EQ(nearest(q, k), static_cast<double>(order[k].second)) << how;
        EXPECT_EQ(squares(q, k), order[k].first) << how;
      }
    }
  }
}

TEST_F(DistanceCommand, TakesPrecomputedDistances) {
  const auto distance = EuclideanDistance{};
  auto among = squared_distances(distance, items_, items_);
  auto from = squared_distances(distance, queries_, items_);
  for (std::size_t i = 0; i < among.size(); ++i) among.data()[i] = std::sqrt(among.data()[i]);
  for (std::size_t i = 0; i < from.size(); ++i) from.data()[i] = std::sqrt(from.data()[i]);
  write_rows("items.npy", among);
  write_rows("new.csv", from);
  const DistanceSummary summary = fitted("--metric precomputed --landmarks 5 --hilbertian");
  EXPECT_TRUE(summary.hilbertian);
  EXPECT_EQ(summary.checked_items, 80u);
  queried("-o all.npy");
  queried("-o nearest.npy --neighbors 2");
  Matrix<double> few(9, 5);
  for (std::size_t q = 0; q < 9; ++q) {
    for (std::size_t j = 0; j < 5; ++j) few(q, j) = from(q, summary.landmarks[j]);
  }
  write_rows("new.csv", few);
  const auto all = points("all.npy");
  queried("-o few.npy");
  EXPECT_TRUE(testing::same_bits(points("few.npy"), all));
  expect_error("distance query m.mercer new.csv -o n.npy --neighbors 2", 2,
               "only the landmarks are at hand");
}

TEST_F(DistanceCommand, AddsLandmarksForAnError) {
  const DistanceSummary summary = fitted("--metric l1 --error 0.1 --selection greedy");
  EXPECT_LE(*summary.relative_error, 0.1);
  EXPECT_EQ(summary.selection, "greedy");
}

TEST_F(DistanceCommand, KeepsRulesForColumnsAndScales) {
  write("table.csv", "class,a,b\nx,1,2\ny,3,4\nx,5,9\ny,2,8\n");
  write("more.csv", "a,b\n1,2\n2,8\n");
  done("distance fit table.csv -o t.mercer --label-column class --standardize --landmarks 2 -q");
  done("distance query t.mercer more.csv -o near.csv --neighbors 1 -q");
  EXPECT_EQ(read("near.csv"), "neighbor_1\n0\n3\n");
  EXPECT_NE(done("info t.mercer").find("distances to 4 items"), std::string::npos);
  EXPECT_EQ(violations("distance.schema.json", done("info t.mercer --json -")),
            std::vector<std::string>{});
}

TEST_F(DistanceCommand, SaysWhatIsWrong) {
  expect_error("distance fit items.npy -o m.mercer --metric hamming", 1, "give a threshold");
  expect_error("distance fit items.npy -o m.mercer --metric l1 --binarize 1", 2,
               "--binarize is for");
  expect_error("distance fit items.npy -o m.mercer --metric l1 --gamma 1", 2,
               "--gamma is for --metric kernel");
  expect_error("distance fit items.npy -o m.mercer --metric l2", 2, "did you mean l1?");
  expect_error("distance fit items.npy -o m.mercer --hilbertian", 2, "--metric precomputed");
  expect_error("distance fit items.npy -o m.mercer --landmarks 3 --error 0.1", 2,
               "exclude each other");
  expect_error("distance fit items.npy -o m.mercer --landmarks 0", 2, "at least one");
  expect_error("distance fit items.npy -o items.npy", 2, "items.npy");
  EXPECT_FALSE(exists("m.mercer"));
  done("distance fit items.npy -o m.mercer --landmarks 3 -q");
  expect_error("distance query m.mercer new.csv -o z.npy --exact", 2, "are for --neighbors");
  expect_error("distance query m.mercer new.csv -o z.npy --neighbors 81", 2, "there are 80 items");
  expect_error("distance query m.mercer new.csv -o z.npy --neighbors 5 --rerank 3", 2, "at least");
  expect_error("distance query items.npy new.csv -o z.npy", 1, "items.npy");
  expect_error("transform m.mercer new.csv -o z.npy", 1, "holds a distance, not a model");
  expect_error("merge m.mercer -o z.mercer", 2, "holds distances");
  write("narrow.csv", "1,2\n3,4\n");
  expect_error("distance query m.mercer narrow.csv -o z.npy", 1, "12");
  EXPECT_FALSE(exists("z.npy"));
}

TEST_F(DistanceCommand, IndefiniteDistancesGetEstimatesAndReranking) {
  Matrix<double> among(80, 80);
  for (std::size_t i = 0; i < 80; ++i) {
    for (std::size_t j = 0; j < 80; ++j) {
      for (std::size_t k = 0; k < 12; ++k) {
        among(i, j) = std::max(among(i, j), std::abs(items_(i, k) - items_(j, k)));
      }
    }
  }
  write_rows("items.npy", among);
  write_rows("new.csv", among.view().rows_from(0, 9));
  const DistanceSummary summary = fitted("--metric precomputed --landmarks 10");
  EXPECT_FALSE(summary.hilbertian);
  EXPECT_FALSE(summary.warnings.empty());
  queried("-o z.npy");
  queried("-o z.npy --neighbors 1 --rerank 20");
  expect_error("distance query m.mercer new.csv -o y.npy --neighbors 1", 2, "Hilbertian");
  expect_error("distance fit items.npy -o y.mercer --metric precomputed --indefinite error", 1,
               "not conditionally negative definite");
}

}  // namespace
}  // namespace mercer
