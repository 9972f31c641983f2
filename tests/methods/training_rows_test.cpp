#include "methods/training_rows.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include <mercer/error.h>

#include "numbers.h"

namespace mercer::methods {
namespace {

using engine::RandomStream;
using engine::Workers;

/// Rows from functions, delivered a few at a time and without saying how many there are.
std::unique_ptr<RowSource> rows_in_pieces(MatrixView<const double> points,
                                          const std::vector<double>& weights, std::size_t piece) {
  const auto at = std::make_shared<std::size_t>(0);
  return rows_from_callbacks(
      {.cols = points.cols(),
       .next = [=, &weights](std::size_t max_rows) -> std::optional<RowBlock> {
         const std::size_t count = std::min({piece, max_rows, points.rows() - *at});
         if (count == 0) return std::nullopt;
         RowBlock block{.values = Matrix<double>(points.rows_from(*at, count))};
         if (!weights.empty()) {
           const auto first = weights.begin() + static_cast<std::ptrdiff_t>(*at);
           block.weights.assign(first, first + static_cast<std::ptrdiff_t>(count));
         }
         *at += count;
         return block;
       },
       .rewind = [=] { *at = 0; }});
}

void expect_same(const RowSample& a, const RowSample& b) {
  EXPECT_TRUE(testing::same_bits(a.points, b.points));
  EXPECT_EQ(a.weights, b.weights);
  EXPECT_EQ(a.rows, b.rows);
}

/// The rows that the numbers say, with their weights.
void expect_rows_of(MatrixView<const double> points, const std::vector<double>& weights,
                    const RowSample& sample) {
  ASSERT_EQ(sample.points.rows(), sample.rows.size());
  ASSERT_EQ(sample.weights.size(), weights.empty() ? 0 : sample.rows.size());
  for (std::size_t i = 0; i < sample.rows.size(); ++i) {
    ASSERT_LT(sample.rows[i], points.rows());
    EXPECT_TRUE(std::ranges::equal(sample.points.row(i), points.row(sample.rows[i])));
    if (!weights.empty()) {
      EXPECT_EQ(sample.weights[i], weights[sample.rows[i]]);
    }
  }
}

class SampleRows : public ::testing::Test {
 protected:
  Samples sample(MatrixView<const double> points, std::size_t chosen, std::size_t held_out,
                 std::uint64_t seed = 1, const std::vector<double>& weights = {},
                 const std::vector<std::size_t>& requested = {}) {
    TrainingRows rows(points, weights);
    return sample_rows(rows, kernel_, chosen, held_out, requested, RandomStream(seed), workers_);
  }

  Kernel kernel_ = Linear{};
  Workers workers_{{.threads = 1}};
};

TEST_F(SampleRows, FromMemoryAndFromSourcesAreTheSame) {
  for (const std::size_t n : {1U, 60U, 100U, 4096U, 9001U}) {
    const auto points = testing::normal_matrix(n, 3, n);
    for (const bool weighted : {false, true}) {
      SCOPED_TRACE(std::to_string(n) + (weighted ? " weighted" : ""));
      std::vector<double> weights;
      for (std::size_t i = 0; weighted && i < n; ++i) {
        weights.push_back(1 + static_cast<double>(i % 5));
      }
      const std::vector<std::size_t> requested = {n - 1, 0, n / 2};
      const std::span<const std::size_t> some = std::span(requested).first(n > 2 ? 3 : 1);
      TrainingRows memory(points, weights);
      const auto expected = sample_rows(memory, kernel_, 50, 20, some, RandomStream(3), workers_);
      EXPECT_EQ(expected.rows, n);
      EXPECT_EQ(expected.chosen.rows.size(), std::min<std::size_t>(n, 50));
      EXPECT_EQ(expected.held_out.rows.size(), n < 50 ? 0 : std::min<std::size_t>(n - 50, 20));
      expect_rows_of(points, weights, expected.chosen);
      expect_rows_of(points, weights, expected.held_out);
      expect_rows_of(points, weights, expected.requested);

      const auto in_memory = rows_in_memory(points, weights);
      const auto in_pieces = rows_in_pieces(points, weights, 777);
      for (RowSource* source : {in_memory.get(), in_pieces.get()}) {
        TrainingRows rows(*source);
        EXPECT_EQ(rows.cols(), 3U);
        const auto samples = sample_rows(rows, kernel_, 50, 20, some, RandomStream(3), workers_);
        EXPECT_EQ(rows.rows(), n) << "known after one pass";
        EXPECT_EQ(samples.rows, n);
        expect_same(samples.chosen, expected.chosen);
        expect_same(samples.held_out, expected.held_out);
        expect_same(samples.requested, expected.requested);
      }
    }
  }
}

TEST_F(SampleRows, AreDisjointAndAscending) {
  const auto points = testing::normal_matrix(5000, 2, 1);
  const auto samples = sample(points, 300, 200);
  EXPECT_TRUE(std::ranges::is_sorted(samples.chosen.rows));
  EXPECT_TRUE(std::ranges::is_sorted(samples.held_out.rows));
  std::set<std::uint64_t> all(samples.chosen.rows.begin(), samples.chosen.rows.end());
  all.insert(samples.held_out.rows.begin(), samples.held_out.rows.end());
  EXPECT_EQ(all.size(), 500U);
}

TEST_F(SampleRows, WithRoomForAllTakeAllInOrder) {
  const auto points = testing::normal_matrix(70, 2, 1);
  for (const std::size_t room : {std::size_t{70}, std::numeric_limits<std::size_t>::max()}) {
    const auto samples = sample(points, room, 20);
    EXPECT_TRUE(testing::same_bits(samples.chosen.points, points));
    EXPECT_TRUE(samples.held_out.rows.empty());
    EXPECT_EQ(samples.held_out.points.cols(), 2U);
  }
  const auto partly = sample(points, 60, 20);
  EXPECT_EQ(partly.chosen.rows.size(), 60U);
  EXPECT_EQ(partly.held_out.rows.size(), 10U);
}

TEST_F(SampleRows, OfNoRoomAreEmpty) {
  const auto points = testing::normal_matrix(70, 2, 1);
  const auto samples = sample(points, 0, 0, 1, {}, {5});
  EXPECT_TRUE(samples.chosen.rows.empty());
  EXPECT_TRUE(samples.held_out.rows.empty());
  EXPECT_EQ(samples.requested.rows, std::vector<std::uint64_t>{5});
}

TEST_F(SampleRows, WithoutHoldOutChoosesTheSameRows) {
  const auto points = testing::normal_matrix(700, 2, 1);
  expect_same(sample(points, 50, 0).chosen, sample(points, 50, 30).chosen);
}

TEST_F(SampleRows, RequestedComeInTheOrderAsked) {
  const auto points = testing::normal_matrix(9000, 2, 1);
  std::vector<double> weights;
  for (int i = 0; i < 9000; ++i) weights.push_back(1 + i % 7);
  const std::vector<std::size_t> asked = {8999, 0, 4096, 17, 4095};
  const auto samples = sample(points, 5, 0, 1, weights, asked);
  EXPECT_EQ(samples.requested.rows, (std::vector<std::uint64_t>{8999, 0, 4096, 17, 4095}));
  expect_rows_of(points, weights, samples.requested);
}

std::string complaint(const std::function<void()>& call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST_F(SampleRows, RequestsThatCannotBeMetAreRefused) {
  const auto points = testing::normal_matrix(10, 2, 1);
  EXPECT_NE(complaint([&] {
              sample(points, 5, 0, 1, {}, {3, 10, 4});
            }).find("row 10 does not exist: the data have rows 0 to 9"),
            std::string::npos);
  EXPECT_NE(complaint([&] { sample(points, 5, 0, 1, {}, {3, 4, 3}); }).find("row 3 is given twice"),
            std::string::npos);
}

TEST_F(SampleRows, BadRowsAreNamedByTheirPlaceInTheData) {
  auto points = testing::uniform_matrix(5000, 2, 1);
  points(4500, 1) = -1;
  kernel_ = Chi2{};
  try {
    sample(points, 5, 0);
    FAIL() << "negative histogram taken";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("row 4501, column 2"), std::string::npos)
        << error.what();
  }
  EXPECT_THROW(sample(Matrix<double>(0, 2), 5, 0), DataError);
}

/// Both samples must take every row equally often; a row's number must not matter.
TEST_F(SampleRows, AreUniform) {
  constexpr std::size_t kRows = 40;
  constexpr std::size_t kSeeds = 4000;
  constexpr std::size_t kChosen = 10;
  constexpr std::size_t kHeldOut = 5;
  const auto points = testing::normal_matrix(kRows, 1, 1);
  std::vector<double> chosen(kRows);
  std::vector<double> held_out(kRows);
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const auto samples = sample(points, kChosen, kHeldOut, seed);
    for (const auto row : samples.chosen.rows) ++chosen[row];
    for (const auto row : samples.held_out.rows) ++held_out[row];
  }
  const auto chi_square = [&](const std::vector<double>& counts, double size) {
    const double p = size / kRows;
    double sum = 0;
    for (const double count : counts) {
      sum += (count - kSeeds * p) * (count - kSeeds * p) / (kSeeds * p * (1 - p));
    }
    // Counts add up to the same total in every sample, which takes one degree of freedom.
    return sum * (kRows - 1) / kRows;
  };
  // 39 degrees of freedom: above 78 or below 14 with probability 2e-4 each.
  for (const double value : {chi_square(chosen, kChosen), chi_square(held_out, kHeldOut)}) {
    EXPECT_LT(value, 78);
    EXPECT_GT(value, 14);
  }
}

TEST_F(SampleRows, PairsOfRowsAreUniformToo) {
  constexpr std::size_t kSeeds = 6000;
  const auto points = testing::normal_matrix(6, 1, 1);
  std::map<std::vector<std::uint64_t>, double> counts;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    ++counts[sample(points, 2, 0, seed).chosen.rows];
  }
  ASSERT_EQ(counts.size(), 15U);
  double chi_square = 0;
  for (const auto& [pair, count] : counts) {
    chi_square += (count - kSeeds / 15.0) * (count - kSeeds / 15.0) / (kSeeds / 15.0);
  }
  EXPECT_LT(chi_square, 42) << "14 degrees of freedom: above with probability 1e-4";
}

struct Seen {
  std::vector<std::size_t> first_rows;
  std::vector<std::size_t> counts;
  std::vector<double> first_values;
  std::vector<double> weights;
};

Seen chunks_of(TrainingRows& rows, std::size_t chunk_rows, Workers& workers) {
  Seen seen;
  rows.for_each_chunk(
      chunk_rows,
      [&](const Chunk& chunk) {
        seen.first_rows.push_back(chunk.first_row);
        seen.counts.push_back(chunk.points.rows());
        seen.first_values.push_back(chunk.points(0, 0));
        seen.weights.insert(seen.weights.end(), chunk.weights.begin(), chunk.weights.end());
      },
      workers);
  return seen;
}

TEST(TrainingRows, AreCutAtFixedNumbersAsOftenAsAsked) {
  Workers workers({.threads = 1});
  const auto points = testing::normal_matrix(250, 2, 1);
  std::vector<double> weights;
  for (int i = 0; i < 250; ++i) weights.push_back(1 + i);
  const auto in_memory = rows_in_memory(points, weights);
  const auto in_pieces = rows_in_pieces(points, weights, 33);
  TrainingRows memory(points, weights);
  TrainingRows source(*in_memory);
  TrainingRows pieces(*in_pieces);
  EXPECT_TRUE(memory.in_memory());
  EXPECT_FALSE(pieces.in_memory());
  EXPECT_EQ(memory.rows(), 250U);
  EXPECT_EQ(pieces.rows(), std::nullopt);
  for (TrainingRows* rows : {&memory, &source, &pieces}) {
    for (int pass = 0; pass < 2; ++pass) {
      const auto seen = chunks_of(*rows, 100, workers);
      EXPECT_EQ(seen.first_rows, (std::vector<std::size_t>{0, 100, 200}));
      EXPECT_EQ(seen.counts, (std::vector<std::size_t>{100, 100, 50}));
      EXPECT_EQ(seen.first_values,
                (std::vector<double>{points(0, 0), points(100, 0), points(200, 0)}));
      EXPECT_EQ(seen.weights, weights);
      EXPECT_EQ(rows->rows(), 250U);
    }
  }
}

TEST(TrainingRows, ThatCanBeReadOnceAreReadOnce) {
  Workers workers({.threads = 1});
  bool read = false;
  const auto source =
      rows_from_callbacks({.cols = 1, .next = [&](std::size_t) -> std::optional<RowBlock> {
                             if (std::exchange(read, true)) return std::nullopt;
                             return RowBlock{.values = Matrix<double>(3, 1)};
                           }});
  TrainingRows rows(*source);
  EXPECT_EQ(chunks_of(rows, 10, workers).counts, std::vector<std::size_t>{3});
  EXPECT_THROW(chunks_of(rows, 10, workers), FileError);
}

TEST(TrainingRows, ReportWhereTheyAre) {
  std::vector<std::uint64_t> done;
  Workers workers({.threads = 1, .progress = [&](const Progress& progress) {
                     done.push_back(progress.rows_done);
                   }});
  workers.begin_phase("rows");
  const auto points = testing::normal_matrix(250, 2, 1);
  TrainingRows rows(points, {});
  chunks_of(rows, 100, workers);
  EXPECT_TRUE(std::ranges::find(done, 200U) != done.end());
}

TEST(SpreadRows, TakesThemFromBeginningToEnd) {
  const auto points = testing::normal_matrix(10, 2, 5);
  RowSample sample{.points = points, .weights = {}, .rows = {}};
  for (std::size_t i = 0; i < 10; ++i) {
    sample.weights.push_back(1 + static_cast<double>(i));
    sample.rows.push_back(3 * i);
  }
  const auto four = spread_rows(sample, 4);
  EXPECT_EQ(four.rows, (std::vector<std::uint64_t>{0, 6, 15, 21}));
  EXPECT_EQ(four.weights, (std::vector<double>{1, 3, 6, 8}));
  EXPECT_TRUE(std::ranges::equal(four.points.row(3), points.row(7)));
  expect_same(spread_rows(sample, 10), sample);
  expect_same(spread_rows(sample, 99), sample);
}

}  // namespace
}  // namespace mercer::methods
