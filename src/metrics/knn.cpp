#include <algorithm>

#include <fmt/format.h>

#include <mercer/error.h>
#include <mercer/metrics.h>

#include "metrics/arguments.h"
#include "metrics/nearest_neighbors.h"

namespace mercer {

namespace {

/// The most frequent label, the lowest of them when several are; `labels` is sorted on the way.
std::size_t majority(std::vector<std::size_t>& labels) {
  std::ranges::sort(labels);
  std::size_t winner = labels.front();
  std::ptrdiff_t most = 0;
  for (auto first = labels.begin(); first != labels.end();) {
    const auto last = std::upper_bound(first, labels.end(), *first);
    if (last - first > most) {
      most = last - first;
      winner = *first;
    }
    first = last;
  }
  return winner;
}

}  // namespace

std::vector<std::size_t> knn_classify(MatrixView<const double> train,
                                      std::span<const std::size_t> train_labels,
                                      MatrixView<const double> test, std::size_t neighbors,
                                      const RunOptions& run) {
  metrics::check_values(train, "training scores");
  metrics::check_values(test, "test scores");
  metrics::check_equal(train.cols(), "columns of the training scores", test.cols(),
                       "columns of the test scores");
  metrics::check_equal(train_labels.size(), "training labels", train.rows(), "training rows");
  if (neighbors == 0 || neighbors > train.rows()) {
    throw InvalidArgument(
        fmt::format("cannot ask {} neighbours of {} training rows: give from 1 to {}", neighbors,
                    train.rows(), train.rows()));
  }
  engine::Workers workers(run);
  metrics::check_memory(
      metrics::neighborhood_bytes(train.rows(), train.cols(), neighbors, workers.threads()),
      "nearest neighbours", run);
  workers.begin_phase("nearest neighbours");
  std::vector<std::size_t> predicted(test.rows());
  metrics::for_each_neighborhood(train, test, neighbors, workers,
                                 [&](std::size_t query, std::span<const std::size_t> rows) {
                                   std::vector<std::size_t> votes(rows.begin(), rows.end());
                                   for (std::size_t& vote : votes) vote = train_labels[vote];
                                   predicted[query] = majority(votes);
                                 });
  return predicted;
}

double knn_accuracy(MatrixView<const double> train, std::span<const std::size_t> train_labels,
                    MatrixView<const double> test, std::span<const std::size_t> test_labels,
                    std::size_t neighbors, const RunOptions& run) {
  metrics::check_equal(test_labels.size(), "test labels", test.rows(), "test rows");
  const auto predicted = knn_classify(train, train_labels, test, neighbors, run);
  std::size_t correct = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i)
    correct += predicted[i] == test_labels[i] ? 1 : 0;
  return static_cast<double>(correct) / static_cast<double>(predicted.size());
}

}  // namespace mercer
