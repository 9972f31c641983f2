#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <mercer/matrix.h>

#include "engine/random.h"

// Neighbours and votes as one would write them down: the oracle of the tests.
namespace mercer::metrics::brute_force {

inline std::vector<std::size_t> neighbors(MatrixView<const double> points,
                                          std::span<const double> query, std::size_t count) {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    double distance2 = 0;
    for (std::size_t j = 0; j < points.cols(); ++j) {
      const double difference = query[j] - points(i, j);
      distance2 += difference * difference;
    }
    order.emplace_back(distance2, i);
  }
  std::ranges::sort(order);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < count; ++i) rows.push_back(order[i].second);
  return rows;
}

inline std::size_t classify(MatrixView<const double> train, std::span<const std::size_t> labels,
                            std::span<const double> query, std::size_t count) {
  std::map<std::size_t, std::size_t> votes;
  for (const std::size_t row : neighbors(train, query, count)) ++votes[labels[row]];
  std::size_t winner = votes.begin()->first;
  for (const auto& [label, number] : votes) {
    if (number > votes[winner]) winner = label;
  }
  return winner;
}

/// Small whole numbers: most distances occur many times.
inline Matrix<double> integer_matrix(std::size_t rows, std::size_t cols, std::uint64_t seed,
                                     std::uint64_t bound) {
  const engine::RandomStream stream(seed);
  Matrix<double> m(rows, cols);
  for (std::size_t i = 0; i < m.size(); ++i) {
    m.data()[i] = static_cast<double>(stream.below(i, bound));
  }
  return m;
}

}  // namespace mercer::metrics::brute_force
