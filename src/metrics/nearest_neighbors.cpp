#include "metrics/nearest_neighbors.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <mercer/error.h>

#include "engine/kernel_points.h"
#include "engine/parallel.h"
#include "engine/tile.h"

// |x - y|^2 = |x|^2 - 2 (<x,y> - |y|^2/2): the nearest points have the largest score
// <x,y> - |y|^2/2. Scores come from tiles and carry a rounding error, for which a bound is known;
// every point whose score could belong to a neighbour is measured again by differences, and only
// those distances decide. The tiles thus save time and never change the answer.

namespace mercer::metrics {

namespace {

using engine::kBlock;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The definition of the order: nothing here may be rearranged.
double squared_distance(std::span<const double> x, std::span<const double> y) {
  double sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) sum += (x[j] - y[j]) * (x[j] - y[j]);
  return sum;
}

double shifted_norm2(std::span<const double> x, std::span<const double> shift) {
  double sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) sum += (x[j] - shift[j]) * (x[j] - shift[j]);
  return sum;
}

/// Squared distances, and the squared norms they are taken apart into, must stay finite.
void check_range(MatrixView<const double> points, const char* side) {
  // Shifted entries are at most twice as large, sums of two norms four times.
  const double limit =
      std::sqrt(std::numeric_limits<double>::max() / 32 / static_cast<double>(points.cols()));
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (std::size_t j = 0; j < points.cols(); ++j) {
      if (std::abs(points(i, j)) <= limit) continue;
      throw NumericalError(
          fmt::format("{} row {}, column {} is {:g}: squared distances overflow; scale the data",
                      side, i + 1, j + 1, points(i, j)));
    }
  }
}

/// The best so far of one query: a heap with the worst of them on top.
class Neighborhood {
 public:
  explicit Neighborhood(std::size_t count) : count_(count) {}

  /// Largest distance that is still of interest.
  double reach() const { return found_.size() < count_ ? kInfinity : found_.front().first; }

  void offer(double distance2, std::size_t row) {
    const std::pair candidate(distance2, row);
    if (found_.size() == count_) {
      if (candidate > found_.front()) return;
      std::ranges::pop_heap(found_);
      found_.pop_back();
    }
    found_.push_back(candidate);
    std::ranges::push_heap(found_);
  }

  void rows_in_order(std::vector<std::size_t>& rows) {
    std::ranges::sort(found_);
    rows.clear();
    for (const auto& [distance2, row] : found_) rows.push_back(row);
  }

 private:
  std::size_t count_;
  std::vector<std::pair<double, std::size_t>> found_;
};

std::vector<double> column_means(MatrixView<const double> points) {
  std::vector<double> means(points.cols());
  const double weight = 1 / static_cast<double>(points.rows());
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (std::size_t j = 0; j < points.cols(); ++j) means[j] += weight * points(i, j);
  }
  return means;
}

/// Queries that a task takes through all points at once, so that their results stay small.
std::size_t queries_per_task(std::size_t count) {
  constexpr std::size_t kMostResults = 1U << 20U;
  return std::clamp<std::size_t>(kMostResults / count, 1, kBlock);
}

class NeighborSearch {
 public:
  NeighborSearch(MatrixView<const double> points, std::size_t count)
      : points_(points),
        count_(count),
        width_(engine::panel_width<double>()),
        shift_(column_means(points)),
        half_norms_(padded_half_norms(points, shift_)),
        packed_(Linear{}, points, shift_) {
    for (std::size_t b = 0; b < packed_.blocks(); ++b) {
      const auto first = half_norms_.begin() + static_cast<std::ptrdiff_t>(b * kBlock);
      const auto size = static_cast<std::ptrdiff_t>(packed_.block_size(b));
      block_norms_.push_back(std::sqrt(2 * *std::max_element(first, first + size)));
    }
  }

  /// Neighbours of rows [first, first + size) of the queries; size is at most kBlock.
  void search(MatrixView<const double> queries, std::size_t first, std::size_t size,
              engine::Workers& workers, const VisitNeighbors& visit) const {
    const auto block = queries.rows_from(first, size);
    std::vector<double> norms2(size);
    for (std::size_t i = 0; i < size; ++i) {
      norms2[i] = shifted_norm2(block.row(i), shift_);
    }
    const engine::KernelPoints<double> packed_queries(Linear{}, block, shift_);
    std::vector<Neighborhood> nearest(size, Neighborhood(count_));
    std::vector<double> products(kBlock * kBlock);
    for (std::size_t b = 0; b < packed_.blocks(); ++b) {
      workers.poll();
      packed_.block(b, packed_queries, 0, products.data());
      for (std::size_t i = 0; i < size; ++i) {
        scan(b, products.data() + i * width_, block.row(i), norms2[i], nearest[i]);
      }
    }
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < size; ++i) {
      nearest[i].rows_in_order(rows);
      visit(first + i, rows);
    }
  }

 private:
  /// Rows beyond the last point get a score of -infinity.
  static std::vector<double> padded_half_norms(MatrixView<const double> points,
                                               std::span<const double> shift) {
    std::vector<double> half((points.rows() + kBlock - 1) / kBlock * kBlock, kInfinity);
    for (std::size_t i = 0; i < points.rows(); ++i) {
      half[i] = shifted_norm2(points.row(i), shift) / 2;
    }
    return half;
  }

  /// How far a score may be from that of the distance by differences. With u = 2^-53 and
  /// N = (|x| + |y|)^2 the roundings of both sides add up to less than (1.5 d + 6) u N: shifting
  /// 2, inner product and norms 2 (d + 2), differences d + 2, thresholds 4, each of a distance,
  /// twice a score. The last term covers what underflows.
  double score_error(double query_norm2, std::size_t block) const {
    const double reach = std::sqrt(query_norm2) + block_norms_[block];
    const auto depth = static_cast<double>(points_.cols());
    return (depth + 8) * std::numeric_limits<double>::epsilon() * reach * reach +
           std::numeric_limits<double>::min();
  }

  /// Offers the points of one block to one query. `products` are inner products in runs of width_,
  /// kBlock runs apart.
  void scan(std::size_t block, const double* products, std::span<const double> query,
            double query_norm2, Neighborhood& nearest) const {
    const double error = score_error(query_norm2, block);
    double least = (query_norm2 - nearest.reach()) / 2 - error;
    const std::size_t size = packed_.block_size(block);
    for (std::size_t begin = 0; begin < size; begin += width_) {
      const double* product = products + begin * kBlock;
      const double* half_norm = half_norms_.data() + block * kBlock + begin;
      // A count instead of a search: compilers turn it into vector code without branches.
      std::size_t candidates = 0;
      for (std::size_t r = 0; r < width_; ++r) {
        candidates += product[r] - half_norm[r] >= least ? 1 : 0;
      }
      if (candidates == 0) continue;
      const std::size_t end = std::min(width_, size - begin);
      for (std::size_t r = 0; r < end; ++r) {
        if (product[r] - half_norm[r] < least) continue;
        const std::size_t row = block * kBlock + begin + r;
        nearest.offer(squared_distance(query, points_.row(row)), row);
        least = (query_norm2 - nearest.reach()) / 2 - error;
      }
    }
  }

  MatrixView<const double> points_;
  std::size_t count_;
  std::size_t width_;
  std::vector<double> shift_;
  std::vector<double> half_norms_;
  std::vector<double> block_norms_;  // of the longest point in each block
  engine::KernelPoints<double> packed_;
};

}  // namespace

void for_each_neighborhood(MatrixView<const double> points, MatrixView<const double> queries,
                           std::size_t count, engine::Workers& workers,
                           const VisitNeighbors& visit) {
  check_range(points, "training");
  check_range(queries, "test");
  const NeighborSearch neighbors(points, count);
  const std::size_t step = queries_per_task(count);
  workers.for_each((queries.rows() + step - 1) / step, [&](std::size_t task) {
    const std::size_t first = task * step;
    neighbors.search(queries, first, std::min(step, queries.rows() - first), workers, visit);
  });
}

double neighborhood_bytes(std::size_t n, std::size_t d, std::size_t count, std::size_t threads) {
  const auto points = static_cast<double>(n) * static_cast<double>(d + 1) * sizeof(double);
  const auto results = static_cast<double>(queries_per_task(count)) * static_cast<double>(count) *
                       sizeof(std::pair<double, std::size_t>);
  const double task = results + static_cast<double>(kBlock * (kBlock + d) * sizeof(double));
  return points + static_cast<double>(threads) * task;
}

}  // namespace mercer::metrics
