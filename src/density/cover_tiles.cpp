#include "density/cover_tiles.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "engine/tile.h"

namespace mercer::density {

namespace {

using engine::kBlock;

/// Columns of a tile that are looked at together: a multiple of what register tiles hold.
constexpr std::size_t kGroup = engine::kProductColumns;
/// Centres that rows are compared with at a time: a multiple of every panel width, and few enough
/// for the values of a panel of rows to stay in the first-level cache beside what they come from.
constexpr std::size_t kColumns = kBlock / 2;

/// Rows searched by all threads before those left over are admitted, at most.
constexpr std::size_t kMostBatchRows = 131072;

/// Squared norms above this are not used: sums of products of such points might overflow.
template <class T>
constexpr double kLargestSquaredNorm = std::is_same_v<T, float> ? 0x1p100 : 0x1p1000;
/// In place of their half norm: outweighs any other that is finite.
template <class T>
constexpr T kAlwaysCandidate = static_cast<T>(-1024 * kLargestSquaredNorm<T>);
/// The half norm of points that are not there.
template <class T>
constexpr T kNeverCandidate = std::numeric_limits<T>::infinity();

/// What rounding can do to the squared distance of a row from a centre that covers it: in sums of d
/// products (of norms, of the tile, of differences), and in coordinates when the origin is taken
/// off. The norm of such a centre is at most |x| + radius.
template <class T>
double slack(std::size_t cols, double squared_norm, double radius) {
  constexpr double kUnitRoundoff = std::numeric_limits<T>::epsilon() / 2;
  const double reach = std::sqrt(squared_norm) + radius;
  return (8 * static_cast<double>(cols) + 16) * kUnitRoundoff * (squared_norm + reach * reach);
}

/// Tile values of a panel of `rows` with `columns` points of `cols` from the start of a block on,
/// as [column][row]. One panel at a time: its values are looked at while they are in the
/// first-level cache.
template <class T>
void tile_values(const CoverPanels<T>& rows, std::size_t panel, const CoverPanels<T>& cols,
                 std::size_t first_column, std::size_t columns, std::size_t depth, T* out) {
  const std::size_t width = rows.panel_width();
  engine::TileArgs<T> args;
  args.form = engine::TileForm::linear;
  args.depth = depth;
  args.rows = rows.panel(panel);
  args.row_half_norms = rows.half_norms(panel);
  args.row_panels = 1;
  args.cols = cols.panel(first_column / width);
  args.col_half_norms = cols.half_norms(first_column / width);
  args.col_count = (columns + kGroup - 1) / kGroup * kGroup;
  args.out = out;
  args.panel_stride = kBlock * width;
  engine::kernel_tile(args);
}

template <class T>
bool all_negative(const T* values, std::size_t count) {
  // By sign bits, several at a time and independent of each other: this reads every value of every
  // tile.
  constexpr std::size_t kLanes = 64 / sizeof(T);
  using Bits = std::conditional_t<std::is_same_v<T, float>, std::uint32_t, std::uint64_t>;
  std::array<Bits, kLanes> signs;
  signs.fill(~Bits{0});
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      signs[lane] &= std::bit_cast<Bits>(values[i + lane]);
    }
  }
  for (; i < count; ++i) signs[0] &= std::bit_cast<Bits>(values[i]);
  for (const Bits lane : signs) signs[0] &= lane;
  return std::bit_cast<std::make_signed_t<Bits>>(signs[0]) < 0;
}

/// Calls candidate(column, row) for the values that are not negative, column by column.
template <class T, class Candidate>
void for_each_candidate(const T* values, std::size_t columns, std::size_t width,
                        const Candidate& candidate) {
  const std::size_t whole = (columns + kGroup - 1) / kGroup * kGroup;
  // Mostly: a row has few candidates among thousands of centres.
  if (all_negative(values, whole * width)) return;
  for (std::size_t group = 0; group < whole; group += kGroup) {
    if (all_negative(values + group * width, kGroup * width)) continue;
    for (std::size_t column = group; column < group + kGroup; ++column) {
      const T* of_column = values + column * width;
      if (all_negative(of_column, width)) continue;
      for (std::size_t row = 0; row < width; ++row) {
        if (!std::signbit(of_column[row])) candidate(column, row);
      }
    }
  }
}

}  // namespace

template <class T>
CoverPanels<T>::CoverPanels(std::size_t cols, std::size_t expected)
    : cols_(cols), width_(engine::panel_width<T>()) {
  const std::size_t room = (expected + kBlock - 1) / kBlock * kBlock;
  values_.reserve(room * cols);
  half_norms_.reserve(room);
}

template <class T>
void CoverPanels<T>::append(std::span<const T> point, T half_norm) {
  if (size_ % kBlock == 0) {
    values_.resize((size_ + kBlock) * cols_, T{0});
    half_norms_.resize(size_ + kBlock, kNeverCandidate<T>);
  }
  T* out = first_coordinate(size_);
  for (std::size_t j = 0; j < cols_; ++j) out[j * width_] = point[j];
  half_norms_[size_] = half_norm;
  ++size_;
}

template <class T>
void CoverPanels<T>::dismiss(std::size_t i) {
  half_norms_[i] = kNeverCandidate<T>;
}

template <class T>
void CoverPanels<T>::drop_dismissed() {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < size_; ++i) {
    if (half_norms_[i] == kNeverCandidate<T>) continue;
    const T* from = first_coordinate(i);
    T* to = first_coordinate(kept);
    for (std::size_t j = 0; j < cols_; ++j) to[j * width_] = from[j * width_];
    half_norms_[kept] = half_norms_[i];
    ++kept;
  }
  std::fill(half_norms_.begin() + static_cast<std::ptrdiff_t>(kept), half_norms_.end(),
            kNeverCandidate<T>);
  size_ = kept;
}

template <class T>
CoverTiles<T>::CoverTiles(const CoverRule& rule, std::vector<double> origin)
    : CoverSearch(origin.size(), rule),
      origin_(std::move(origin)),
      packed_centres_(origin_.size()) {}

/// Writes y = scale (x - origin) and returns |y|^2; zeros and infinity when that is too large.
template <class T>
double CoverTiles<T>::place(std::span<const double> x, std::span<T> placed) const {
  const double norm2 = squared_difference(x, origin_, rule().scale());
  if (!(norm2 <= kLargestSquaredNorm<T>)) {
    std::ranges::fill(placed, T{0});
    return std::numeric_limits<double>::infinity();
  }
  for (std::size_t j = 0; j < x.size(); ++j) {
    placed[j] = static_cast<T>(rule().scale() * (x[j] - origin_[j]));
  }
  return norm2;
}

template <class T>
void CoverTiles<T>::pack_row(std::span<const double> x, std::span<T> placed,
                             CoverPanels<T>& panels) const {
  const double norm2 = place(x, placed);
  const double radius = rule().scaled_radius();
  const double excess = norm2 - radius * radius - slack<T>(x.size(), norm2, radius);
  panels.append(placed, std::isfinite(norm2) ? static_cast<T>(excess / 2) : kAlwaysCandidate<T>);
}

template <class T>
void CoverTiles<T>::pack_centre(std::span<const double> x, CoverPanels<T>& panels) const {
  std::vector<T> placed(x.size());
  const double norm2 = place(x, placed);
  panels.append(placed, std::isfinite(norm2) ? static_cast<T>(norm2 / 2) : kAlwaysCandidate<T>);
}

template <class T>
CoverPanels<T> CoverTiles<T>::pack_rows(MatrixView<const double> points, const Rows& rows) const {
  CoverPanels<T> packed(points.cols(), rows.size());
  std::vector<T> placed(points.cols());
  for (const std::size_t row : rows) pack_row(points.row(row), placed, packed);
  return packed;
}

template <class T>
void CoverTiles<T>::index(std::span<const double> centre) {
  pack_centre(centre, packed_centres_);
}

template <class T>
void CoverTiles<T>::find(MatrixView<const double> points, std::span<const std::size_t> rows,
                         std::span<Hit> hits) const {
  find_from(0, points, Rows(rows.begin(), rows.end()), hits);
}

/// Goes through the blocks of centres in order, from the one that holds `first_centre` on. Rows
/// that are covered leave: early centres cover most of the rows, so few see the late ones.
template <class T>
void CoverTiles<T>::find_from(std::size_t first_centre, MatrixView<const double> points, Rows rows,
                              std::span<Hit> hits) const {
  CoverPanels<T> packed = pack_rows(points, rows);
  const std::size_t width = packed.panel_width();
  std::vector<T> values(kBlock * width);
  std::size_t covered = 0;
  for (std::size_t first = first_centre / kBlock * kBlock; first < size(); first += kColumns) {
    const std::size_t columns = std::min(kColumns, size() - first);
    for (std::size_t panel = 0; panel < packed.panels(); ++panel) {
      tile_values(packed, panel, packed_centres_, first, columns, points.cols(), values.data());
      for_each_candidate(values.data(), columns, width, [&](std::size_t column, std::size_t lane) {
        const std::size_t row = rows[panel * width + lane];
        if (hits[row].centre != kUncovered) return;
        const double distance = rule().squared_distance(points.row(row), centre(first + column));
        if (!rule().covers(distance)) return;
        hits[row] = rule().hit(first + column, distance);
        packed.dismiss(panel * width + lane);
        ++covered;
      });
    }
    // To move a row up costs about as much as to compare it with a few centres.
    if (8 * covered < rows.size()) continue;
    std::erase_if(rows, [&](std::size_t row) { return hits[row].centre != kUncovered; });
    if (rows.empty()) return;
    packed.drop_dismissed();
    covered = 0;
  }
}

template <class T>
void CoverTiles<T>::admit(MatrixView<const double> points, std::span<const std::size_t> rows,
                          std::span<Hit> hits) {
  const std::size_t before = size();
  for (std::size_t first = 0; first < rows.size(); first += kBlock) {
    const auto part = rows.subspan(first, std::min(kBlock, rows.size() - first));
    Rows block(part.begin(), part.end());
    if (size() > before) {
      find_from(before, points, block, hits);
      std::erase_if(block, [&](std::size_t row) { return hits[row].centre != kUncovered; });
    }
    admit_block(points, block, hits);
  }
}

/// Rows that none of the centres covers, at most kBlock: one tile of them with each other tells
/// which pairs to look at.
template <class T>
void CoverTiles<T>::admit_block(MatrixView<const double> points, const Rows& rows,
                                std::span<Hit> hits) {
  const CoverPanels<T> packed = pack_rows(points, rows);
  CoverPanels<T> as_centres(points.cols());
  for (const std::size_t row : rows) pack_centre(points.row(row), as_centres);
  const std::size_t width = packed.panel_width();
  std::vector<T> values(packed.panels() * kBlock * width);
  for (std::size_t panel = 0; panel < packed.panels(); ++panel) {
    tile_values(packed, panel, as_centres, 0, rows.size(), points.cols(),
                values.data() + panel * kBlock * width);
  }
  std::vector<std::size_t> opened;  // positions in `rows`
  const std::size_t before = size();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const T* of_row = values.data() + i / width * kBlock * width + i % width;
    const auto x = points.row(rows[i]);
    for (std::size_t c = 0; c < opened.size(); ++c) {
      if (std::signbit(of_row[opened[c] * width])) continue;
      const double distance = rule().squared_distance(x, centre(before + c));
      if (!rule().covers(distance)) continue;
      hits[rows[i]] = rule().hit(before + c, distance);
      break;
    }
    if (hits[rows[i]].centre != kUncovered) continue;
    opened.push_back(i);
    hits[rows[i]] = open(x);
  }
}

/// With u uncovered rows in a batch of b, all threads compare b rows with the m centres so far, one
/// thread compares u with u / 2: the second is kept well below the first.
template <class T>
std::size_t CoverTiles<T>::batch_rows(double share) const {
  const double balanced = static_cast<double>(size()) / (2 * share * share);
  return balanced < kMostBatchRows ? std::max(static_cast<std::size_t>(balanced), kBlock)
                                   : kMostBatchRows;
}

template class CoverTiles<double>;
template class CoverTiles<float>;

bool float_tiles_suffice(const CoverRule& rule, MatrixView<const double> rows,
                         std::span<const double> origin) {
  // Rows are compared with centres a little farther than the radius for nothing.
  constexpr double kLittle = 0.05;
  const double radius = rule.scaled_radius();
  double sum = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    sum += slack<float>(rows.cols(), squared_difference(rows.row(i), origin, rule.scale()), radius);
  }
  return sum <= kLittle * radius * radius * static_cast<double>(rows.rows());
}

}  // namespace mercer::density
