#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include <mercer/matrix.h>

#include "density/squared_distance.h"

namespace mercer::density {

/// Where a row went.
struct Hit {
  std::size_t centre = 0;
  /// By differences, in the unit of the data: leaves the range of doubles where the square of the
  /// radius does (radius above 1e154 or below 1e-154).
  double squared_distance = 0;
};

/// `Hit::centre` of a row that no centre covers.
inline constexpr std::size_t kUncovered = std::numeric_limits<std::size_t>::max();

/// Decides whether a centre covers a row, in one place and one order of sums, so that every way to
/// find centres comes to the same answer: |x - c|^2 < radius^2, strictly, by differences.
class CoverRule {
 public:
  explicit CoverRule(double radius);

  double radius() const { return radius_; }
  /// The power of two that brings the radius into [1, 2), so that its square is in range whatever
  /// the unit of the data. Multiplying by it rounds nothing.
  double scale() const { return scale_; }
  double scaled_radius() const { return scale_ * radius_; }

  /// In units of 1 / scale.
  double squared_distance(std::span<const double> x, std::span<const double> centre) const {
    return squared_difference(x, centre, scale_);
  }
  bool covers(double scaled_squared_distance) const { return scaled_squared_distance < limit_; }
  Hit hit(std::size_t centre, double scaled_squared_distance) const {
    return {.centre = centre, .squared_distance = scaled_squared_distance * unit_ * unit_};
  }

 private:
  double radius_;
  double scale_;
  double unit_;  ///< 1 / scale, exactly
  double limit_;
};

/// The centres of a cover, and a way to find the first of them that covers a row.
class CoverSearch {
 public:
  CoverSearch(std::size_t cols, const CoverRule& rule) : rule_(rule), cols_(cols) {}
  virtual ~CoverSearch() = default;
  CoverSearch(const CoverSearch&) = delete;
  CoverSearch& operator=(const CoverSearch&) = delete;

  std::size_t size() const { return values_.size() / cols_; }
  MatrixView<const double> centres() const { return {values_.data(), size(), cols_}; }
  const CoverRule& rule() const { return rule_; }

  void append(std::span<const double> centre) {
    values_.insert(values_.end(), centre.begin(), centre.end());
    index(centre);
  }

  /// For each row in `rows` whose hit is still kUncovered: its hit, when a centre covers it.
  /// Threads may search at the same time.
  virtual void find(MatrixView<const double> points, std::span<const std::size_t> rows,
                    std::span<Hit> hits) const = 0;

  /// Takes in order the rows that `find` has left uncovered with the centres present: each goes to
  /// the first centre opened here that covers it, or opens one itself.
  virtual void admit(MatrixView<const double> points, std::span<const std::size_t> rows,
                     std::span<Hit> hits) = 0;

  /// How many rows are best searched for before those left over are admitted, when `share` of the
  /// rows before were.
  virtual std::size_t batch_rows(double share) const = 0;

 protected:
  std::span<const double> centre(std::size_t c) const {
    return {values_.data() + c * cols_, cols_};
  }
  Hit open(std::span<const double> row) {
    append(row);
    return {.centre = size() - 1, .squared_distance = 0};
  }

 private:
  /// Makes a centre known to `find`; the ones before it are.
  virtual void index(std::span<const double> centre) = 0;

  CoverRule rule_;
  std::size_t cols_;
  std::vector<double> values_;
};

}  // namespace mercer::density
