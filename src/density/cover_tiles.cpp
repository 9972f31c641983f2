#include "density/cover_tiles.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "engine/tile.h"

namespace mercer::density {

namespace {

using engine::kBlock;

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

/// What rounding can do to the squared distance of a row from a centre that covers it: in sums of d
/// products (of norms, of the tile, of differences), and in coordinates when the origin is taken
/// off. The norm of such a centre is at most |x| + radius.
template <class T>
double slack(std::size_t cols, double squared_norm, double radius) {
  constexpr double kUnitRoundoff = std::numeric_limits<T>::epsilon() / 2;
  const double reach = std::sqrt(squared_norm) + radius;
  return (8 * static_cast<double>(cols) + 16) * kUnitRoundoff * (squared_norm + reach * reach);
}

}  // namespace

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
      tile_values(packed, panel, packed_centres_, first, columns, values.data());
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
    tile_values(packed, panel, as_centres, 0, rows.size(), values.data() + panel * kBlock * width);
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

/// With u uncovered rows in a batch of b, all threads compare b rows with the m centres so far, and
/// one thread compares u with u / 2 of them: the second is kept at a sixteenth of the first.
template <class T>
std::size_t CoverTiles<T>::batch_rows(double share) const {
  const double balanced = static_cast<double>(size()) / (8 * share * share);
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
