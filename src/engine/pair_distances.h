#pragma once

#include <cstddef>
#include <span>

#include <mercer/distance.h>
#include <mercer/matrix.h>

#include "engine/distance_rows.h"
#include "engine/parallel.h"

namespace mercer::engine {

/// Squared distances of some things (items themselves, or queries) to numbered items. From several
/// threads at once.
class PairDistances {
 public:
  virtual ~PairDistances() = default;
  /// Number of things.
  virtual std::size_t size() const = 0;
  /// out[c] = d^2(thing `row`, item items[c]), finite and not negative.
  virtual void squares(std::size_t row, std::span<const std::size_t> items, double* out) const = 0;
};

/// Of rows to rows. Both must stay.
class RowPairs final : public PairDistances {
 public:
  RowPairs(const DistanceRows& from, const DistanceRows& to) : from_(from), to_(to) {}
  std::size_t size() const override { return from_.size(); }
  void squares(std::size_t row, std::span<const std::size_t> items, double* out) const override {
    to_.squares(from_, row, items, out);
  }

 private:
  const DistanceRows& from_;
  const DistanceRows& to_;
};

/// By a function of two numbers, which must stay.
class IndexedPairs final : public PairDistances {
 public:
  explicit IndexedPairs(const IndexedDistance& distance) : distance_(distance) {}
  std::size_t size() const override { return distance_.count; }
  void squares(std::size_t row, std::span<const std::size_t> items, double* out) const override;

 private:
  const IndexedDistance& distance_;
};

/// d^2 of the things [first, first + count) with these items, count x items.size(), by threads over
/// fixed blocks.
Matrix<double> distance_block(const PairDistances& pairs, std::size_t first, std::size_t count,
                              std::span<const std::size_t> items, Workers& workers);

/// d^2 of all items with those of a sample, n x sample.size(), where things are the items. Each
/// pair is evaluated once and none of an item with itself.
Matrix<double> item_distances(const PairDistances& pairs, std::span<const std::size_t> sample,
                              Workers& workers);

/// How many that takes.
double item_distance_count(std::size_t n, std::size_t sample);

}  // namespace mercer::engine
