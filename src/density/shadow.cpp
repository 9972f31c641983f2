#include "density/shadow.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include <mercer/error.h>

#include "density/cell_grid.h"
#include "density/cover_tiles.h"

namespace mercer::density {

namespace {

/// Rows that a thread searches for at a time: many, because the few among them that no early centre
/// covers are then searched for together, but enough tasks for all threads.
std::size_t rows_per_task(std::size_t rows, std::size_t threads) {
  constexpr std::size_t kLeast = 96;
  constexpr std::size_t kMost = 1920;
  constexpr std::size_t kTasksPerThread = 4;
  return std::clamp(rows / (kTasksPerThread * threads), kLeast, kMost);
}

/// For the radius 0, which covers nothing.
class EveryRow final : public CoverSearch {
 public:
  using CoverSearch::CoverSearch;

  void find(MatrixView<const double> /*points*/, std::span<const std::size_t> /*rows*/,
            std::span<Hit> /*hits*/) const override {}
  void admit(MatrixView<const double> points, std::span<const std::size_t> rows,
             std::span<Hit> hits) override {
    for (const std::size_t row : rows) hits[row] = open(points.row(row));
  }
  std::size_t batch_rows(double /*share*/) const override {
    return std::numeric_limits<std::size_t>::max();
  }

 private:
  void index(std::span<const double> /*centre*/) override {}
};

double checked_radius(double radius) {
  if (std::isfinite(radius) && radius >= 0) return radius;
  throw InvalidArgument(
      fmt::format("a cover needs a radius that is finite and not negative, not {}", radius));
}

std::size_t checked_columns(std::size_t cols, CoverPath path) {
  if (cols == 0) throw InvalidArgument("a cover needs points with at least one column");
  if (path == CoverPath::grid && cols > CellGrid::kMaxCols) {
    throw InvalidArgument(fmt::format(
        "a grid covers points with up to {} columns, not {}: use tiles", CellGrid::kMaxCols, cols));
  }
  return cols;
}

/// A point in the midst of the rows. Any would do: it only takes off what coordinates have in
/// common, so that they keep more digits.
std::vector<double> middle(MatrixView<const double> rows) {
  const double share = 1 / static_cast<double>(rows.rows());
  std::vector<double> mean(rows.cols(), 0.0);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t j = 0; j < rows.cols(); ++j) mean[j] += share * rows(i, j);
  }
  return mean;
}

CoverPath fastest_path(const CoverRule& rule, MatrixView<const double> sample,
                       std::span<const double> origin) {
  if (sample.cols() <= CellGrid::kMaxCols) return CoverPath::grid;
  return float_tiles_suffice(rule, sample, origin) ? CoverPath::float_tiles : CoverPath::tiles;
}

std::unique_ptr<CoverSearch> make_search(const CoverRule& rule, CoverPath path,
                                         MatrixView<const double> rows) {
  constexpr std::size_t kSampleRows = 4096;
  if (rule.radius() == 0) return std::make_unique<EveryRow>(rows.cols(), rule);
  const auto sample = rows.rows_from(0, std::min(rows.rows(), kSampleRows));
  std::vector<double> origin = middle(sample);
  if (path == CoverPath::automatic) path = fastest_path(rule, sample, origin);
  if (path == CoverPath::grid) return std::make_unique<CellGrid>(rule, origin);
  if (path == CoverPath::tiles) return std::make_unique<CoverTiles<double>>(rule, origin);
  return std::make_unique<CoverTiles<float>>(rule, origin);
}

}  // namespace

ShadowCover::ShadowCover(std::size_t cols, double radius, CoverPath path)
    : rule_(checked_radius(radius)), cols_(checked_columns(cols, path)), path_(path) {}

ShadowCover::ShadowCover(Matrix<double> centres, double radius, CoverPath path)
    : ShadowCover(centres.cols(), radius, path) {
  if (centres.rows() == 0) return;
  search_ = make_search(rule_, path_, centres);
  for (std::size_t c = 0; c < centres.rows(); ++c) search_->append(centres.row(c));
  rows_.assign(centres.rows(), kNoRow);
}

ShadowCover::~ShadowCover() = default;
ShadowCover::ShadowCover(ShadowCover&&) noexcept = default;
ShadowCover& ShadowCover::operator=(ShadowCover&&) noexcept = default;

MatrixView<const double> ShadowCover::centres() const {
  return search_ ? search_->centres() : MatrixView<const double>(nullptr, 0, cols_);
}

void ShadowCover::add(MatrixView<const double> points, std::uint64_t first_row, std::span<Hit> hits,
                      engine::Workers& workers) {
  if (points.cols() != cols_) {
    throw InvalidArgument(fmt::format("a cover of points with {} columns cannot take rows with {}",
                                      cols_, points.cols()));
  }
  if (hits.size() != points.rows()) {
    throw InvalidArgument(
        fmt::format("{} rows have no place in {} hits", points.rows(), hits.size()));
  }
  if (points.rows() == 0) return;
  if (!search_) search_ = make_search(rule_, path_, points);
  for (std::size_t begin = 0; begin < points.rows();) {
    const std::size_t count =
        std::min(search_->batch_rows(uncovered_share_), points.rows() - begin);
    add_batch(points.rows_from(begin, count), first_row + begin, hits.subspan(begin, count),
              workers);
    begin += count;
  }
}

/// Rows that a centre from before the batch covers are found by all threads; no centre opened in
/// the batch can be earlier than it. The others are admitted one after the other.
void ShadowCover::add_batch(MatrixView<const double> points, std::uint64_t first_row,
                            std::span<Hit> hits, engine::Workers& workers) {
  std::ranges::fill(hits, Hit{.centre = kUncovered});
  const std::size_t task_rows = rows_per_task(hits.size(), workers.threads());
  workers.for_each((hits.size() + task_rows - 1) / task_rows, [&](std::size_t task) {
    const std::size_t begin = task * task_rows;
    std::vector<std::size_t> rows(std::min(task_rows, hits.size() - begin));
    std::iota(rows.begin(), rows.end(), begin);
    search_->find(points, rows, hits);
  });
  std::vector<std::size_t> uncovered;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    if (hits[i].centre == kUncovered) uncovered.push_back(i);
  }
  search_->admit(points, uncovered, hits);
  uncovered_share_ = static_cast<double>(uncovered.size()) / static_cast<double>(hits.size());
  for (std::size_t i = 0; i < hits.size(); ++i) {
    const bool opened = hits[i].centre == rows_.size();
    distance_evaluations_ += hits[i].centre + (opened ? 0 : 1);
    if (opened) rows_.push_back(first_row + i);
  }
}

}  // namespace mercer::density
