#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <mercer/error.h>
#include <mercer/metrics.h>

#include "brute_force.h"
#include "numbers.h"

namespace mercer {
namespace {

using metrics::brute_force::integer_matrix;
using testing::normal_matrix;

using Labels = std::vector<std::size_t>;

Labels random_labels(std::size_t count, std::uint64_t seed, std::uint64_t classes) {
  const engine::RandomStream stream(seed);
  Labels labels(count);
  for (std::size_t i = 0; i < count; ++i) labels[i] = stream.below(i, classes);
  return labels;
}

Matrix<double> column(const std::vector<double>& values) {
  Matrix<double> m(values.size(), 1);
  std::ranges::copy(values, m.data());
  return m;
}

TEST(KnnClassify, EqualVotesGoToTheLowestClass) {
  const auto train = column({1, 2, 3, 4});
  const auto test = column({0});
  EXPECT_EQ(knn_classify(train, Labels{7, 3, 7, 3}, test, 4), Labels{3});
  EXPECT_EQ(knn_classify(train, Labels{7, 3, 7, 3}, test, 3), Labels{7});
  EXPECT_EQ(knn_classify(train, Labels{9, 8, 7, 6}, test, 3), Labels{7});
}

TEST(KnnClassify, EqualDistancesGoToTheLowestRow) {
  const auto train = column({1, -1, 1, -1});
  EXPECT_EQ(knn_classify(train, Labels{5, 1, 1, 1}, column({0}), 1), Labels{5});
  EXPECT_EQ(knn_classify(train, Labels{5, 5, 1, 1}, column({0}), 3), Labels{5});
}

TEST(KnnClassify, LabelsAreAnyNumbers) {
  constexpr std::size_t kHuge = std::numeric_limits<std::size_t>::max();
  EXPECT_EQ(knn_classify(column({0, 1, 10}), Labels{kHuge, kHuge, 0}, column({0.2, 9}), 1),
            (Labels{kHuge, 0}));
}

TEST(KnnAccuracy, IsTheFractionOfRowsFound) {
  const auto train = column({0, 1, 10, 11});
  const Labels labels{0, 0, 1, 1};
  const auto test = column({0.4, 0.6, 10.4, 9});
  EXPECT_EQ(knn_accuracy(train, labels, test, Labels{0, 0, 1, 1}, 1), 1.0);
  EXPECT_EQ(knn_accuracy(train, labels, test, Labels{0, 1, 1, 1}, 1), 0.75);
  EXPECT_EQ(knn_accuracy(train, labels, test, Labels{2, 2, 2, 2}, 1), 0.0);
}

TEST(KnnAccuracy, OfTheTrainingRowsThemselvesIsOneWithOneNeighbor) {
  const auto points = normal_matrix(500, 6, 1);
  const auto labels = random_labels(500, 2, 10);
  EXPECT_EQ(knn_accuracy(points, labels, points, labels, 1), 1.0);
}

RC_GTEST_PROP(KnnProperty, EqualsBruteForceWithManyTies, ()) {
  const auto n = *rc::gen::inRange<std::size_t>(1, 350);
  const auto m = *rc::gen::inRange<std::size_t>(1, 150);
  const auto d = *rc::gen::inRange<std::size_t>(1, 6);
  const auto k = *rc::gen::inRange<std::size_t>(1, std::min<std::size_t>(n, 20) + 1);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const auto train = integer_matrix(n, d, seed, 3);
  const auto test = integer_matrix(m, d, seed + 1ULL, 3);
  const auto labels = random_labels(n, seed + 2ULL, 4);
  const auto predicted = knn_classify(train, labels, test, k, {.threads = 2});
  for (std::size_t i = 0; i < m; ++i) {
    RC_ASSERT(predicted[i] == metrics::brute_force::classify(train, labels, test.row(i), k));
  }
  RC_ASSERT(knn_classify(train, labels, test, k, {.threads = 1}) == predicted);
}

template <class Expected>
void expect_error(const std::function<void()>& call, const std::string& part) {
  try {
    call();
    ADD_FAILURE() << "no error; expected one with: " << part;
  } catch (const Expected& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(KnnErrors, NameWhatDoesNotFit) {
  const auto train = normal_matrix(5, 2, 1);
  const auto test = normal_matrix(3, 2, 2);
  const Labels labels(5);
  const auto classify = [&](const auto& a, const Labels& l, const auto& b, std::size_t k) {
    return [&, l, k] { knn_classify(a, l, b, k); };
  };
  expect_error<InvalidArgument>(classify(train, labels, test, 0), "0 neighbours of 5");
  expect_error<InvalidArgument>(classify(train, labels, test, 6), "6 neighbours of 5");
  expect_error<InvalidArgument>(classify(train, Labels(4), test, 1), "4 training labels");
  const auto narrow = normal_matrix(3, 1, 2);
  expect_error<InvalidArgument>(classify(train, labels, narrow, 1), "1 columns of the test");
  const Matrix<double> none(0, 2);
  expect_error<DataError>(classify(none, Labels{}, test, 1), "0 x 2");
  expect_error<DataError>(classify(train, labels, none, 1), "test scores");
  auto broken = normal_matrix(3, 2, 2);
  broken(1, 0) = std::nan("");
  expect_error<DataError>(classify(train, labels, broken, 1), "row 2, column 1 is nan");
  expect_error<InvalidArgument>([&] { knn_accuracy(train, labels, test, Labels(2), 1); },
                                "2 test labels");
}

TEST(KnnErrors, MemoryLimitAndCancellationAreHonoured) {
  const auto points = normal_matrix(2000, 30, 1);
  const Labels labels(2000);
  EXPECT_THROW(knn_classify(points, labels, points, 1, {.memory_limit_bytes = 100'000}),
               MemoryLimitError);
  EXPECT_THROW(knn_classify(points, labels, points, 1, {.cancelled = [] { return true; }}),
               Cancelled);
}

}  // namespace
}  // namespace mercer
