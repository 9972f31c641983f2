#include "engine/statistics.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include <fmt/format.h>

#include <mercer/error.h>

namespace mercer::engine {

namespace {

constexpr std::size_t kBlockValues = kBlock * kBlock;

std::size_t block_count(std::size_t m) {
  return (m + kBlock - 1) / kBlock;
}

std::size_t triangle_size(std::size_t blocks) {
  return blocks * (blocks + 1) / 2;
}

/// Rows multiplied at a time. Eight columns of them (24 KiB) stay in the first-level cache and meet
/// one panel after another, which come from the second. Float products are summed in float as long.
constexpr std::size_t kPassRows = 384;

}  // namespace

Moments::Moments(std::vector<double> shift)
    : shift_(std::move(shift)),
      width_(panel_width<double>()),
      sum_(block_count(size()) * kBlock, 0.0),
      blocks_(triangle_size(block_count(size())), kBlockValues) {}

double Moments::bytes(std::size_t m) {
  return static_cast<double>(triangle_size(block_count(m)) * kBlockValues) * sizeof(double);
}

double& Moments::scatter_about_shift(std::size_t i, std::size_t j) {
  if (i < j) std::swap(i, j);
  const std::size_t block = triangle_size(i / kBlock) + j / kBlock;
  const std::size_t row = i % kBlock;
  return blocks_(block, ((row / width_) * kBlock + j % kBlock) * width_ + row % width_);
}

double Moments::scatter_about_shift(std::size_t i, std::size_t j) const {
  return const_cast<Moments*>(this)->scatter_about_shift(i, j);  // NOLINT: reads only
}

std::vector<double> Moments::mean() const {
  std::vector<double> mean(shift_);
  for (std::size_t i = 0; i < size(); ++i) mean[i] += sum_[i] / weight_;
  return mean;
}

Matrix<double> Moments::scatter() const {
  auto scatter = Matrix<double>::uninitialized(size(), size());
  for (std::size_t i = 0; i < size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const double value = scatter_about_shift(i, j) - sum_[i] * (sum_[j] / weight_);
      scatter(i, j) = value;
      scatter(j, i) = value;
    }
  }
  return scatter;
}

void Moments::add(const Moments& other) {
  if (size() != other.size()) {
    throw InvalidArgument(
        fmt::format("sums of {} and of {} features cannot be added", size(), other.size()));
  }
  if (shift_ != other.shift_) {
    add(other.about(shift_));
    return;
  }
  weight_ += other.weight_;
  rows_ += other.rows_;
  for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] += other.sum_[i];
  for (std::size_t i = 0; i < blocks_.size(); ++i) blocks_.data()[i] += other.blocks_.data()[i];
}

/// With e = old shift - new shift: sum + W e, and scatter + sum e^T + e sum^T + W e e^T.
Moments Moments::about(std::vector<double> shift) const {
  Moments moved(std::move(shift));
  moved.weight_ = weight_;
  moved.rows_ = rows_;
  const auto step = [&](std::size_t i) { return shift_[i] - moved.shift_[i]; };
  for (std::size_t i = 0; i < size(); ++i) {
    moved.sum_[i] = sum_[i] + weight_ * step(i);
    for (std::size_t j = 0; j <= i; ++j) {
      moved.scatter_about_shift(i, j) = scatter_about_shift(i, j) + sum_[i] * step(j) +
                                        step(i) * sum_[j] + weight_ * step(i) * step(j);
    }
  }
  return moved;
}

Moments::Sums Moments::sums() const {
  Sums sums{.shift = shift_, .sum = {}, .triangle = {}, .weight = weight_, .rows = rows_};
  sums.sum.assign(sum_.begin(), sum_.begin() + static_cast<std::ptrdiff_t>(size()));
  sums.triangle.reserve(size() * (size() + 1) / 2);
  for (std::size_t i = 0; i < size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) sums.triangle.push_back(scatter_about_shift(i, j));
  }
  return sums;
}

Moments Moments::from_sums(const Sums& sums) {
  Moments moments(sums.shift);
  const std::size_t m = moments.size();
  if (sums.sum.size() != m || sums.triangle.size() != m * (m + 1) / 2) {
    throw InvalidArgument(fmt::format("{} sums and {} products do not belong to {} features",
                                      sums.sum.size(), sums.triangle.size(), m));
  }
  std::ranges::copy(sums.sum, moments.sum_.begin());
  auto next = sums.triangle.begin();
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j <= i; ++j) moments.scatter_about_shift(i, j) = *next++;
  }
  moments.weight_ = sums.weight;
  moments.rows_ = sums.rows;
  return moments;
}

template <class Tile, class Scatter>
MomentsPass<Tile, Scatter>::MomentsPass(Moments& moments)
    : moments_(moments),
      blocks_(block_count(moments.size())),
      features_(blocks_ * kBlock, kChunkRows),
      block_sums_(kChunkRows / kBlock, blocks_ * kBlock),
      padded_shift_(moments.shift_) {
  padded_shift_.resize(blocks_ * kBlock, 0.0);
}

/// Features of one block of rows, about the shift, times the square roots of the weights.
template <class Tile, class Scatter>
void MomentsPass<Tile, Scatter>::fill_and_center(std::size_t block, std::size_t rows,
                                                 const Fill& fill) {
  const std::size_t first = block * kBlock;
  const std::size_t count = std::min(kBlock, rows - first);
  const std::size_t width = panel_width<Scatter>();
  const std::size_t panels = (moments_.size() + width - 1) / width;
  Scatter* target = features_.data() + first * width;
  if constexpr (std::is_same_v<Tile, Scatter>) {
    fill(block, target, kChunkRows);
  } else {
    // Panels of the two precisions differ in width.
    const std::size_t narrow = panel_width<Tile>();
    Matrix<Tile> values(blocks_ * kBlock, kBlock);
    fill(block, values.data(), kBlock);
    for (std::size_t panel = 0; panel < panels; ++panel) {
      for (std::size_t r = 0; r < count; ++r) {
        Scatter* out = target + (panel * kChunkRows + r) * width;
        for (std::size_t i = 0; i < width; ++i) {
          const std::size_t f = panel * width + i;
          out[i] = static_cast<Scatter>(
              values.data()[((f / narrow) * kBlock + r) * narrow + f % narrow]);
        }
      }
    }
  }
  auto sums = block_sums_.row(block);
  std::ranges::fill(sums, 0.0);
  for (std::size_t panel = 0; panel < panels; ++panel) {
    center_panel(target + panel * kChunkRows * width, count, padded_shift_.data() + panel * width,
                 roots_.empty() ? nullptr : roots_.data() + first, sums.data() + panel * width);
  }
}

/// out += the products of features of blocks i and j over the rows [begin, end).
template <class Tile, class Scatter>
void MomentsPass<Tile, Scatter>::add_products(std::size_t i, std::size_t j, std::size_t begin,
                                              std::size_t end, Scatter* out) const {
  const std::size_t width = panel_width<Scatter>();
  const std::size_t panels = kBlock / width;
  // The last block may have room for more features than there are.
  const std::size_t row_panels =
      std::min(panels, (moments_.size() - i * kBlock + width - 1) / width);
  const std::size_t panel_stride = kChunkRows * width;
  ScatterArgs<Scatter> args;
  args.rows = features_.data() + i * panels * panel_stride + begin * width;
  args.cols = features_.data() + j * panels * panel_stride + begin * width;
  args.row_panels = row_panels;
  args.col_count = kBlock;
  args.panel_stride = panel_stride;
  args.depth = end - begin;
  args.out = out;
  args.out_stride = kBlock * width;
  if (i != j) return add_scatter(args);
  args.row_panels = 1;  // only what lies below the diagonal, to whole panels
  for (std::size_t p = 0; p < row_panels; ++p) {
    args.col_count = (p + 1) * width;
    add_scatter(args);
    args.rows += panel_stride;
    args.out += args.out_stride;
  }
}

/// One block of the scatter, by its number in the lower triangle. It takes all rows of the chunk in
/// their order, so no other thread's work shows in it.
template <class Tile, class Scatter>
void MomentsPass<Tile, Scatter>::add_block(std::size_t block, std::size_t rows) {
  const auto i =
      static_cast<std::size_t>((std::sqrt(8.0 * static_cast<double>(block) + 1) - 1) / 2);
  const std::size_t j = block - triangle_size(i);
  double* total = moments_.blocks_.row(block).data();
  for (std::size_t begin = 0; begin < rows; begin += kPassRows) {
    const std::size_t end = std::min(rows, begin + kPassRows);
    if constexpr (std::is_same_v<Scatter, double>) {
      add_products(i, j, begin, end, total);
    } else {
      Matrix<Scatter> partial(kBlock, kBlock);
      add_products(i, j, begin, end, partial.data());
      add_promoted_block(partial.data(), total);
    }
  }
}

template <class Tile, class Scatter>
void MomentsPass<Tile, Scatter>::add(std::size_t rows, std::span<const double> weights,
                                     const Fill& fill, Workers& workers) {
  if (rows == 0 || blocks_ == 0) return;
  roots_.assign(weights.begin(), weights.end());
  for (double& root : roots_) root = std::sqrt(root);
  const std::size_t row_blocks = (rows + kBlock - 1) / kBlock;
  workers.for_each(row_blocks, [&](std::size_t block) { fill_and_center(block, rows, fill); });
  workers.for_each(triangle_size(blocks_), [&](std::size_t block) { add_block(block, rows); });
  for (std::size_t block = 0; block < row_blocks; ++block) {
    for (std::size_t f = 0; f < moments_.sum_.size(); ++f) {
      moments_.sum_[f] += block_sums_(block, f);
    }
  }
  moments_.rows_ += rows;
  if (weights.empty()) {
    moments_.weight_ += static_cast<double>(rows);
  } else {
    for (const double weight : weights) moments_.weight_ += weight;
  }
}

template class MomentsPass<double, double>;
template class MomentsPass<float, double>;
template class MomentsPass<float, float>;

}  // namespace mercer::engine
