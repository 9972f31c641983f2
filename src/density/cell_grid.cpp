#include "density/cell_grid.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <mercer/error.h>

namespace mercer::density {

namespace {

/// Cells are larger than the radius by this much, more than the rounding of coordinates that cells
/// are numbered by (some 2^-52 of at most 2^40 cells).
constexpr double kCellPerRadius = 1 + 0x1p-8;

/// Rows searched by all threads before those left over are admitted: so many that about kAdmitted
/// are left over, which is work for one thread, within limits.
constexpr double kAdmitted = 4096;
constexpr double kLeastBatchRows = 16384;
constexpr double kMostBatchRows = 262144;

constexpr std::size_t kFirstBuckets = 1024;
/// At least. More would meet fewer strangers, but no longer be in cache.
constexpr std::size_t kBucketsPerCentre = 4;

/// The number of the cell that holds a coordinate given in cells. Monotone, and numbers less than 1
/// apart get the same cell or adjacent ones. Far away, where doubles are too coarse for cells of
/// size 1 (2^40 of them leave 12 bits), cells grow with their distance: the leading bits of a
/// double are such a number. So every double has a cell, infinity too, and data that are huge
/// against the radius still spread over many.
std::uint64_t cell_number(double coordinate) {
  constexpr int kDroppedBits = 12;
  constexpr double kFar = 0x1p40;
  constexpr auto kFarNumber = static_cast<std::uint64_t>(kFar);
  const double magnitude = std::abs(coordinate);
  const std::uint64_t number =
      magnitude < kFar ? static_cast<std::uint64_t>(magnitude)
                       : kFarNumber + (std::bit_cast<std::uint64_t>(magnitude) >> kDroppedBits) -
                             (std::bit_cast<std::uint64_t>(kFar) >> kDroppedBits);
  return coordinate < 0 ? ~number : number;
}

/// Where cell 0 of a line of cells along the first column would be. Cells of a line lie side by
/// side, so that the three that are searched together mostly share a cache line.
std::uint64_t line_of(std::uint64_t cell1, std::uint64_t cell2) {
  // Odd numbers near 2^64 / golden ratio and the like, which spread consecutive cells evenly.
  std::uint64_t line = cell1 * 0x9E3779B97F4A7C15U + cell2 * 0xC2B2AE3D27D4EB4FU;
  line ^= line >> 32U;
  return line * 0x9E3779B97F4A7C15U >> 20U;
}

}  // namespace

CellGrid::CellGrid(const CoverRule& rule, std::span<const double> origin)
    : CoverSearch(origin.size(), rule),
      cols_(origin.size()),
      cells_per_unit_(1 / (kCellPerRadius * rule.scaled_radius())),
      nodes_(1),
      buckets_(kFirstBuckets, kEnd) {
  std::ranges::copy(origin, origin_.begin());
  nodes_[kEnd].at.fill(std::numeric_limits<double>::infinity());
}

std::uint64_t CellGrid::cell_of(double coordinate, std::size_t column) const {
  return cell_number(rule().scale() * (coordinate - origin_[column]) * cells_per_unit_);
}

/// Decides by arithmetic: how many centres a bucket has and which of them cover x no processor can
/// predict, and each wrong guess costs more than a distance. So the first of every bucket is looked
/// at, also when it is only the end, then all the second ones together, and so on.
template <std::size_t kCols>
Hit CellGrid::first_covering(std::span<const double, kCols> x) const {
  constexpr std::uint64_t kSides1 = kCols > 1 ? 3 : 1;
  constexpr std::uint64_t kSides2 = kCols > 2 ? 3 : 1;
  std::array<std::uint32_t, 3 * kSides1 * kSides2> further;
  std::size_t count = 0;
  std::uint32_t first = kNone;
  const auto squared_distance = [&](std::uint32_t node) {
    return rule().squared_distance(x, {nodes_[node].at.data(), kCols});
  };
  const auto visit = [&](std::uint32_t node) {
    first = std::min(first, rule().covers(squared_distance(node)) ? node : kNone);
    const std::uint32_t next = nodes_[node].next;
    further[count] = next;
    count += next != kEnd ? 1 : 0;
  };
  const std::uint64_t cell0 = cell_of(x[0], 0) - 1;
  const std::uint64_t cell1 = kCols > 1 ? cell_of(x[kCols > 1 ? 1 : 0], 1) - 1 : 0;
  const std::uint64_t cell2 = kCols > 2 ? cell_of(x[kCols > 2 ? 2 : 0], 2) - 1 : 0;
  for (std::uint64_t step2 = 0; step2 < kSides2; ++step2) {
    for (std::uint64_t step1 = 0; step1 < kSides1; ++step1) {
      const std::uint64_t line = line_of(cell1 + step1, cell2 + step2) + cell0;
      for (std::uint64_t step0 = 0; step0 < 3; ++step0) visit(buckets_[bucket(line + step0)]);
    }
  }
  while (count > 0) {
    const std::size_t visited = std::exchange(count, 0);
    for (std::size_t i = 0; i < visited; ++i) visit(further[i]);
  }
  if (first == kNone) return {.centre = kUncovered};
  return rule().hit(first - 1, squared_distance(first));
}

template <std::size_t kCols>
void CellGrid::find_of(MatrixView<const double> points, std::span<const std::size_t> rows,
                       std::span<Hit> hits) const {
  for (const std::size_t row : rows) {
    hits[row] = first_covering<kCols>(points.row(row).first<kCols>());
  }
}

void CellGrid::find(MatrixView<const double> points, std::span<const std::size_t> rows,
                    std::span<Hit> hits) const {
  switch (cols_) {
    case 1:
      return find_of<1>(points, rows, hits);
    case 2:
      return find_of<2>(points, rows, hits);
    default:
      return find_of<3>(points, rows, hits);
  }
}

void CellGrid::admit(MatrixView<const double> points, std::span<const std::size_t> rows,
                     std::span<Hit> hits) {
  for (const std::size_t row : rows) {
    find(points, {&row, 1}, hits);
    if (hits[row].centre == kUncovered) hits[row] = open(points.row(row));
  }
}

std::size_t CellGrid::batch_rows(double share) const {
  return static_cast<std::size_t>(std::clamp(kAdmitted / share, kLeastBatchRows, kMostBatchRows));
}

void CellGrid::index(std::span<const double> centre) {
  if (nodes_.size() == kNone) {
    throw InvalidArgument(
        fmt::format("a grid holds at most {} centres: use a larger radius", kNone - 1));
  }
  Node node{};
  std::ranges::copy(centre, node.at.begin());
  nodes_.push_back(node);
  if (kBucketsPerCentre * nodes_.size() > buckets_.size()) {
    grow();
  } else {
    link(static_cast<std::uint32_t>(nodes_.size() - 1));
  }
}

void CellGrid::link(std::uint32_t node) {
  const auto& at = nodes_[node].at;
  const std::uint64_t cell1 = cols_ > 1 ? cell_of(at[1], 1) : 0;
  const std::uint64_t cell2 = cols_ > 2 ? cell_of(at[2], 2) : 0;
  std::uint32_t& head = buckets_[bucket(line_of(cell1, cell2) + cell_of(at[0], 0))];
  nodes_[node].next = std::exchange(head, node);
}

void CellGrid::grow() {
  buckets_.assign(2 * buckets_.size(), kEnd);
  for (std::size_t node = 1; node < nodes_.size(); ++node) link(static_cast<std::uint32_t>(node));
}

}  // namespace mercer::density
