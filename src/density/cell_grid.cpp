#include "density/cell_grid.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include <mercer/error.h>

namespace mercer::density {

namespace {

/// Cells are larger than the radius by this much, more than the rounding of coordinates that cells
/// are numbered by (some 2^-52 of at most 2^40 cells).
constexpr double kCellPerRadius = 1 + 0x1p-8;

/// Rows searched by all threads before those left over are admitted: enough for many tasks, and
/// few enough for centres to be known soon.
constexpr std::size_t kBatchRows = 16384;

constexpr std::size_t kFirstBuckets = 1024;

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

}  // namespace

CellGrid::CellGrid(const CoverRule& rule, std::span<const double> origin)
    : CoverSearch(origin.size(), rule),
      cols_(origin.size()),
      cells_per_unit_(1 / (kCellPerRadius * rule.scaled_radius())),
      heads_(kFirstBuckets, kEnd) {
  std::ranges::copy(origin, origin_.begin());
}

CellGrid::Cell CellGrid::cell_of(std::span<const double> x) const {
  Cell cell{};
  for (std::size_t j = 0; j < x.size(); ++j) {
    cell[j] = cell_number(rule().scale() * (x[j] - origin_[j]) * cells_per_unit_);
  }
  return cell;
}

/// Where cell 0 of a line of cells along the first column would be. Cells of a line lie side by
/// side, so that the three that are searched together mostly share a cache line.
std::size_t CellGrid::line_of(const Cell& cell) const {
  // Odd numbers near 2^64 / golden ratio and its like, which spread consecutive cells evenly.
  std::uint64_t line = cell[1] * 0x9E3779B97F4A7C15U + cell[2] * 0xC2B2AE3D27D4EB4FU;
  line ^= line >> 32U;
  return line * 0x9E3779B97F4A7C15U >> 20U;
}

std::size_t CellGrid::bucket_of(std::span<const double> x) const {
  const Cell cell = cell_of(x);
  return (line_of(cell) + cell[0]) & (heads_.size() - 1);
}

/// The cell and those before and after it in its line.
template <std::size_t kCols>
void CellGrid::search_line(const Cell& cell, std::span<const double> x, Hit& best) const {
  const std::size_t first = line_of(cell) + cell[0] - 1;
  for (std::size_t step = 0; step < 3; ++step) {
    for (std::uint32_t c = heads_[(first + step) & (heads_.size() - 1)]; c != kEnd;
         c = nodes_[c].next) {
      const double distance =
          rule().squared_distance(x.first<kCols>(), {nodes_[c].at.data(), kCols});
      if (c < best.centre && rule().covers(distance)) {
        best = {.centre = c, .squared_distance = distance};
      }
    }
  }
}

template <std::size_t kCols>
Hit CellGrid::first_covering(std::span<const double> x) const {
  Hit best{.centre = kUncovered};
  const Cell centre = cell_of(x.first<kCols>());
  constexpr std::uint64_t kSides1 = kCols > 1 ? 3 : 1;
  constexpr std::uint64_t kSides2 = kCols > 2 ? 3 : 1;
  for (std::uint64_t step2 = 0; step2 < kSides2; ++step2) {
    for (std::uint64_t step1 = 0; step1 < kSides1; ++step1) {
      const Cell cell{centre[0], centre[1] + step1 - kSides1 / 2, centre[2] + step2 - kSides2 / 2};
      search_line<kCols>(cell, x, best);
    }
  }
  return best.centre == kUncovered ? best : rule().hit(best.centre, best.squared_distance);
}

Hit CellGrid::first_covering(std::span<const double> x) const {
  switch (cols_) {
    case 1:
      return first_covering<1>(x);
    case 2:
      return first_covering<2>(x);
    default:
      return first_covering<3>(x);
  }
}

void CellGrid::find(MatrixView<const double> points, std::span<const std::size_t> rows,
                    std::span<Hit> hits) const {
  for (const std::size_t row : rows) hits[row] = first_covering(points.row(row));
}

void CellGrid::admit(MatrixView<const double> points, std::span<const std::size_t> rows,
                     std::span<Hit> hits) {
  for (const std::size_t row : rows) {
    hits[row] = first_covering(points.row(row));
    if (hits[row].centre == kUncovered) hits[row] = open(points.row(row));
  }
}

std::size_t CellGrid::batch_rows(double /*share*/) const {
  return kBatchRows;
}

void CellGrid::index(std::span<const double> centre) {
  if (nodes_.size() == kEnd) {
    throw InvalidArgument(
        fmt::format("a grid holds at most {} centres: use a larger radius", kEnd));
  }
  Node node{};
  std::ranges::copy(centre, node.at.begin());
  nodes_.push_back(node);
  if (2 * nodes_.size() > heads_.size()) {
    grow();
  } else {
    link(static_cast<std::uint32_t>(nodes_.size() - 1));
  }
}

void CellGrid::link(std::uint32_t node) {
  std::uint32_t& head = heads_[bucket_of(std::span(nodes_[node].at).first(cols_))];
  nodes_[node].next = head;
  head = node;
}

void CellGrid::grow() {
  heads_.assign(2 * heads_.size(), kEnd);
  for (std::size_t node = 0; node < nodes_.size(); ++node) link(static_cast<std::uint32_t>(node));
}

}  // namespace mercer::density
