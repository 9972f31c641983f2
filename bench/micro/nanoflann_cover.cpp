#include "bench/micro/nanoflann_cover.h"

#include <algorithm>
#include <limits>
#include <nanoflann.hpp>

namespace mercer::bench {

namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
constexpr int kCols = 2;

/// Rows as nanoflann wants to see them.
struct Rows {
  const double* values = nullptr;
  std::size_t count = 0;

  std::size_t kdtree_get_point_count() const { return count; }
  double kdtree_get_pt(std::size_t i, std::size_t j) const { return values[kCols * i + j]; }
  template <class Box>
  bool kdtree_get_bbox(Box& /*box*/) const {
    return false;
  }
};
using Distance = nanoflann::L2_Simple_Adaptor<double, Rows>;

/// The lowest index within the radius; keeps no list.
struct FirstWithin {
  using DistanceType = double;
  using IndexType = std::size_t;
  double squared_radius;
  std::size_t first = kNone;

  bool full() const { return true; }
  double worstDist() const { return squared_radius; }
  bool addPoint(double distance, std::size_t index) {
    if (distance < squared_radius) first = std::min(first, index);
    return true;
  }
};

/// Gives rows within the radius to a centre unless they have one.
struct Cover {
  using DistanceType = double;
  using IndexType = std::size_t;
  double squared_radius;
  std::size_t centre;
  std::size_t* centre_of;

  bool full() const { return true; }
  double worstDist() const { return squared_radius; }
  bool addPoint(double distance, std::size_t index) const {
    if (distance < squared_radius && centre_of[index] == kNone) centre_of[index] = centre;
    return true;
  }
};

}  // namespace

std::vector<std::size_t> cover_by_growing_tree(MatrixView<const double> points, double radius) {
  std::vector<std::size_t> centre_of(points.rows());
  std::vector<double> values;
  values.reserve(points.rows() * kCols);
  Rows centres{values.data(), 0};
  nanoflann::KDTreeSingleIndexDynamicAdaptor<Distance, Rows, kCols, std::size_t> tree(
      kCols, centres, {}, points.rows());
  for (std::size_t i = 0; i < points.rows(); ++i) {
    const double* x = points.row(i).data();
    FirstWithin result{radius * radius};
    tree.findNeighbors(result, x, nanoflann::SearchParams());
    if (result.first == kNone) {
      result.first = centres.count;
      values.insert(values.end(), x, x + kCols);
      ++centres.count;
      tree.addPoints(result.first, result.first);
    }
    centre_of[i] = result.first;
  }
  return centre_of;
}

std::vector<std::size_t> cover_by_tree_of_rows(MatrixView<const double> points, double radius) {
  std::vector<std::size_t> centre_of(points.rows(), kNone);
  const Rows rows{points.data(), points.rows()};
  nanoflann::KDTreeSingleIndexAdaptor<Distance, Rows, kCols, std::size_t> tree(kCols, rows);
  std::size_t centres = 0;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    if (centre_of[i] != kNone) continue;
    Cover result{radius * radius, centres, centre_of.data()};
    tree.findNeighbors(result, points.row(i).data(), nanoflann::SearchParams());
    ++centres;
  }
  return centre_of;
}

}  // namespace mercer::bench
