#include "distance/neighbor_search.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "distance/landmark_coordinates.h"
#include "engine/tile.h"

namespace mercer::distance {

namespace {

/// Queries that a task takes, and items that it takes them through at a time.
constexpr std::size_t kQueries = 16;
constexpr std::size_t kItems = 512;

using Candidate = std::pair<double, std::size_t>;  // square (or a bound of it), item

std::vector<char> landmark_marks(const model::DistanceNumbers& numbers) {
  std::vector<char> marks(numbers.n, 0);
  for (const std::size_t item : numbers.landmarks) marks[item] = 1;
  return marks;
}

/// left (rows x depth) times right (depth x n, padded), a strip of items at a time:
/// visit(first item, count, products) with `products` kItems apart from row to row.
template <class Start, class Visit>
void for_each_strip(MatrixView<const double> left, const Matrix<double>& right, std::size_t n,
                    const Start& start, const Visit& visit) {
  std::vector<double> products(left.rows() * kItems);
  for (std::size_t first = 0; first < n; first += kItems) {
    const std::size_t count = std::min(kItems, n - first);
    for (std::size_t j = 0; j < kItems; ++j) products[j] = j < count ? start(first + j) : 0;
    for (std::size_t q = 1; q < left.rows(); ++q) {
      std::copy_n(products.data(), kItems, products.data() + q * kItems);
    }
    if (right.rows() > 0) {
      engine::multiply_add({.m = left.rows(),
                            .n = engine::padded_columns(count),
                            .k = right.rows(),
                            .a = left.data(),
                            .a_row_stride = left.stride(),
                            .a_col_stride = 1,
                            .b = right.data() + first,
                            .b_stride = right.cols(),
                            .c = products.data(),
                            .c_stride = kItems});
    }
    visit(first, count, products.data());
  }
}

/// Estimates before they are clamped: visit(first item, count, estimates).
template <class Visit>
void for_each_estimate(const SparseDistance::State& state, MatrixView<const double> to_landmarks,
                       const Visit& visit) {
  const auto& offset = state.numbers.offset;
  for_each_strip(
      to_landmarks, state.transposed_weights, state.numbers.n,
      [&](std::size_t item) { return offset[item]; }, visit);
}

/// Queries beside the span of the landmarks.
struct PlacedQueries {
  Matrix<double> y;
  std::vector<PlacedPoint> points;

  PlacedQueries(const LandmarkCoordinates& coordinates, MatrixView<const double> to_landmarks)
      : y(to_landmarks.rows(), coordinates.dimension()) {
    for (std::size_t q = 0; q < to_landmarks.rows(); ++q) {
      points.push_back(coordinates.place(to_landmarks.row(q), y.row(q)));
    }
  }
};

/// Runs task(first query, count) over all queries.
template <class Task>
void for_each_query_block(std::size_t queries, engine::Workers& workers, const Task& task) {
  workers.for_each((queries + kQueries - 1) / kQueries, [&](std::size_t block) {
    workers.poll();
    const std::size_t first = block * kQueries;
    task(first, std::min(kQueries, queries - first));
  });
}

/// The best so far of one query: a heap with the worst of them on top.
class Nearest {
 public:
  explicit Nearest(std::size_t count) : count_(count) {}

  /// Whether something at least this far could still be among the nearest.
  bool wants(const Candidate& at_least) const {
    return found_.size() < count_ || at_least < found_.front();
  }
  void offer(const Candidate& candidate) {
    if (!wants(candidate)) return;
    if (found_.size() == count_) {
      std::ranges::pop_heap(found_);
      found_.pop_back();
    }
    found_.push_back(candidate);
    std::ranges::push_heap(found_);
  }
  void write(std::span<std::int64_t> items, std::span<double> squares) {
    std::ranges::sort(found_);
    for (std::size_t k = 0; k < found_.size(); ++k) {
      squares[k] = found_[k].first;
      items[k] = static_cast<std::int64_t>(found_[k].second);
    }
  }

 private:
  std::size_t count_;
  std::vector<Candidate> found_;
};

/// Measures candidates (ascending by a lower bound, as a heap) until none can be nearer. Returns
/// how many.
std::uint64_t measure_by_bounds(const engine::PairDistances& pairs, std::size_t query,
                                std::vector<Candidate>& heap, Nearest& nearest) {
  std::uint64_t measured = 0;
  std::ranges::make_heap(heap, std::greater<>{});
  while (!heap.empty() && nearest.wants(heap.front())) {
    std::ranges::pop_heap(heap, std::greater<>{});
    const std::size_t item = heap.back().second;
    heap.pop_back();
    double square = 0;
    pairs.squares(query, {&item, 1}, &square);
    nearest.offer({square, item});
    ++measured;
  }
  return measured;
}

std::uint64_t measure_first(const engine::PairDistances& pairs, std::size_t query,
                            std::vector<Candidate>& candidates, std::size_t count,
                            const std::vector<char>& measured_before, Nearest& nearest) {
  const std::size_t first = std::min(count, candidates.size());
  std::ranges::nth_element(candidates, candidates.begin() + static_cast<std::ptrdiff_t>(first));
  std::vector<std::size_t> items;
  for (std::size_t c = 0; c < first; ++c) {
    if (measured_before[candidates[c].second] == 0) items.push_back(candidates[c].second);
  }
  std::vector<double> squares(items.size());
  pairs.squares(query, items, squares.data());
  for (std::size_t c = 0; c < items.size(); ++c) nearest.offer({squares[c], items[c]});
  return items.size();
}

}  // namespace

DistanceEstimates estimate(const SparseDistance::State& state,
                           MatrixView<const double> to_landmarks, engine::Workers& workers) {
  const model::DistanceNumbers& numbers = state.numbers;
  const std::size_t queries = to_landmarks.rows();
  DistanceEstimates result{.squared = Matrix<double>::uninitialized(queries, numbers.n)};
  if (numbers.hilbertian) result.residuals.resize(queries);
  std::vector<std::uint64_t> negatives((queries + kQueries - 1) / kQueries, 0);
  for_each_query_block(queries, workers, [&](std::size_t first_query, std::size_t count) {
    const auto block = to_landmarks.rows_from(first_query, count);
    std::uint64_t negative = 0;
    for_each_estimate(state, block,
                      [&](std::size_t first, std::size_t items, const double* estimates) {
                        for (std::size_t q = 0; q < count; ++q) {
                          const double* from = estimates + q * kItems;
                          double* out = &result.squared(first_query + q, first);
                          std::uint64_t below = 0;
                          for (std::size_t j = 0; j < items; ++j) {
                            below += from[j] < 0 ? 1 : 0;
                            out[j] = from[j] < 0 ? 0 : from[j];
                          }
                          negative += below;
                        }
                      });
    // Rows of the map at landmarks are those of the identity, so none of theirs is below 0.
    for (std::size_t q = 0; q < count; ++q) {
      for (std::size_t j = 0; j < numbers.landmarks.size(); ++j) {
        result.squared(first_query + q, numbers.landmarks[j]) = block(q, j);
      }
    }
    negatives[first_query / kQueries] = negative;
    if (!numbers.hilbertian) return;
    const LandmarkCoordinates coordinates(numbers.simplex);
    std::vector<double> y(coordinates.dimension());
    for (std::size_t q = 0; q < count; ++q) {
      result.residuals[first_query + q] = coordinates.residual(block.row(q), y);
    }
  });
  result.negatives = std::accumulate(negatives.begin(), negatives.end(), std::uint64_t{0});
  return result;
}

DistanceBounds bound(const SparseDistance::State& state, MatrixView<const double> to_landmarks,
                     engine::Workers& workers) {
  const model::DistanceNumbers& numbers = state.numbers;
  const std::size_t queries = to_landmarks.rows();
  DistanceBounds result{.lower = Matrix<double>::uninitialized(queries, numbers.n),
                        .upper = Matrix<double>::uninitialized(queries, numbers.n)};
  const LandmarkCoordinates coordinates(numbers.simplex);
  for_each_query_block(queries, workers, [&](std::size_t first_query, std::size_t count) {
    const auto block = to_landmarks.rows_from(first_query, count);
    const PlacedQueries placed(coordinates, block);
    for_each_strip(
        placed.y, state.transposed_coordinates, numbers.n, [](std::size_t) { return 0.0; },
        [&](std::size_t first, std::size_t items, const double* products) {
          for (std::size_t j = 0; j < items; ++j) {
            const PlacedPoint item = coordinates.item(first + j);
            for (std::size_t q = 0; q < count; ++q) {
              const auto interval =
                  coordinates.bounds(placed.points[q], item, products[q * kItems + j]);
              result.lower(first_query + q, first + j) = interval.lower;
              result.upper(first_query + q, first + j) = interval.upper;
            }
          }
        });
    for (std::size_t q = 0; q < count; ++q) {
      for (std::size_t j = 0; j < numbers.landmarks.size(); ++j) {
        result.lower(first_query + q, numbers.landmarks[j]) = block(q, j);
        result.upper(first_query + q, numbers.landmarks[j]) = block(q, j);
      }
    }
  });
  return result;
}

Neighbors find_neighbors(const SparseDistance::State& state, const engine::PairDistances& pairs,
                         MatrixView<const double> to_landmarks, const NeighborOptions& options,
                         engine::Workers& workers) {
  const model::DistanceNumbers& numbers = state.numbers;
  const std::size_t queries = to_landmarks.rows();
  Neighbors result{.items = Matrix<std::int64_t>::uninitialized(queries, options.neighbors),
                   .squared = Matrix<double>::uninitialized(queries, options.neighbors)};
  std::vector<std::uint64_t> measured(queries, 0);
  const std::vector<char> is_landmark = landmark_marks(numbers);
  // Squares that are whole numbers are at least the next whole number above a bound, which spares
  // items that could tie at best.
  const bool whole =
      numbers.indexed.empty() && std::holds_alternative<HammingDistance>(numbers.distance);
  std::vector<PlacedPoint> items;
  if (!options.rerank) {
    const LandmarkCoordinates coordinates(numbers.simplex);
    for (std::size_t i = 0; i < numbers.n; ++i) items.push_back(coordinates.item(i));
  }
  for_each_query_block(queries, workers, [&](std::size_t first_query, std::size_t count) {
    const auto block = to_landmarks.rows_from(first_query, count);
    std::vector<std::vector<Candidate>> candidates(count);
    if (options.rerank) {
      for_each_estimate(state, block,
                        [&](std::size_t first, std::size_t some, const double* estimates) {
                          for (std::size_t q = 0; q < count; ++q) {
                            for (std::size_t j = 0; j < some; ++j) {
                              const double value = estimates[q * kItems + j];
                              candidates[q].emplace_back(value, first + j);
                            }
                          }
                        });
      for (std::size_t q = 0; q < count; ++q) {
        for (std::size_t j = 0; j < numbers.landmarks.size(); ++j) {
          candidates[q][numbers.landmarks[j]].first = block(q, j);
        }
      }
    } else {
      const LandmarkCoordinates coordinates(numbers.simplex);
      const PlacedQueries placed(coordinates, block);
      for_each_strip(
          placed.y, state.transposed_coordinates, numbers.n, [](std::size_t) { return 0.0; },
          [&](std::size_t first, std::size_t some, const double* products) {
            for (std::size_t q = 0; q < count; ++q) {
              for (std::size_t j = 0; j < some; ++j) {
                if (is_landmark[first + j] != 0) continue;
                const double lower =
                    coordinates.bounds(placed.points[q], items[first + j], products[q * kItems + j])
                        .lower;
                candidates[q].emplace_back(whole ? std::ceil(lower) : lower, first + j);
              }
            }
          });
    }
    for (std::size_t q = 0; q < count; ++q) {
      Nearest nearest(options.neighbors);
      for (std::size_t j = 0; j < numbers.landmarks.size(); ++j) {
        nearest.offer({block(q, j), numbers.landmarks[j]});
      }
      const std::size_t query = first_query + q;
      measured[query] = options.rerank ? measure_first(pairs, query, candidates[q], *options.rerank,
                                                       is_landmark, nearest)
                                       : measure_by_bounds(pairs, query, candidates[q], nearest);
      nearest.write(result.items.row(query), result.squared.row(query));
    }
  });
  result.distance_evaluations = std::accumulate(measured.begin(), measured.end(), std::uint64_t{0});
  return result;
}

}  // namespace mercer::distance
