#include "engine/gram.h"

#include <algorithm>
#include <type_traits>

#include "engine/block_product.h"
#include "engine/kernel_points.h"
#include "engine/kernel_value.h"
#include "engine/row_groups.h"
#include "engine/tile.h"
#include "system/memory.h"

namespace mercer::engine {

namespace {

constexpr std::size_t kBlockValues = kBlock * kBlock;

std::size_t block_count(std::size_t n) {
  return (n + kBlock - 1) / kBlock;
}

/// Where block (i, j), j <= i, stands when the lower triangle of blocks is listed row by row.
std::size_t triangle_index(std::size_t i, std::size_t j) {
  return i * (i + 1) / 2 + j;
}

template <class T>
class SymmetricGram final : public GramOperator {
 public:
  SymmetricGram(const Kernel& kernel, MatrixView<const double> points, bool stored,
                Workers& workers)
      : GramOperator(kernel_diagonal(kernel, points)),
        points_(kernel, points, distance_shift(kernel, points)),
        width_(panel_width<T>()) {
    if (stored) store(workers);
  }

  GramOptions options() const override {
    return {.single_precision = !std::is_same_v<T, double>, .stored = stored()};
  }
  void multiply(MatrixView<const double> v, MatrixView<double> y, Workers& workers) override;
  void multiply(std::span<const double> v, std::span<double> y, Workers& workers) override;
  void energies(const RemovedMatrix& removed, std::span<const double> weights, std::span<double> r,
                Workers& workers) override;
  Matrix<double> dense(Workers& workers) override;

 private:
  bool stored() const { return stored_.data() != nullptr; }
  /// Blocks of one task, aligned to cache lines: vectors that straddle two cost a tenth more.
  struct Scratch {
    Matrix<T> computed;
    Matrix<double> values;
  };
  void compute_block(std::size_t i, std::size_t j, T* out) const;
  void store(Workers& workers);
  /// The block in double precision: where it is stored, or in the scratch after computing it there.
  const double* block(std::size_t i, std::size_t j, Scratch& scratch) const;
  /// The same in its own precision.
  const T* own_block(std::size_t i, std::size_t j, Scratch& scratch) const;
  void multiply_group(const RowGroup& group, MatrixView<const double> v, MatrixView<double> partial,
                      Workers& workers) const;
  /// y = sum over groups, in their order, of what `add` makes of each: add(group, partial) with a
  /// partial result of zeros for the rows up to the end of the group.
  template <class Add>
  void sum_over_groups(MatrixView<double> y, Workers& workers, const Add& add);
  /// Sums over block (i, j) of values with these weights, for both of its halves.
  BlockSumArgs<T> sums_of_block(std::size_t i, std::size_t j, const T* values,
                                std::span<const double> weights, MatrixView<double> sums) const;
  std::uint64_t triangle_evaluations() const {
    const auto n = static_cast<std::uint64_t>(size());
    return n * (n + 1) / 2;
  }

  KernelPoints<T> points_;
  std::size_t width_;
  system::LargeBuffer stored_;
  std::vector<Matrix<double>> partials_;  // reused: the first touch of memory is slow
};

template <class T>
void SymmetricGram<T>::compute_block(std::size_t i, std::size_t j, T* out) const {
  points_.block(i, points_, j, out);
  if (i != j) return;
  // A distance by norms leaves 1e-16 of rounding where it should be 0.
  for (std::size_t r = 0; r < points_.block_size(i); ++r) {
    out[(r / width_) * kBlock * width_ + r * width_ + r % width_] =
        static_cast<T>(diagonal_[i * kBlock + r]);
  }
}

template <class T>
void SymmetricGram<T>::store(Workers& workers) {
  const std::size_t blocks = points_.blocks();
  stored_ = system::LargeBuffer(triangle_index(blocks, 0) * kBlockValues * sizeof(T));
  T* values = static_cast<T*>(stored_.data());
  workers.for_each(blocks, [&](std::size_t task) {
    const std::size_t i = blocks - 1 - task;  // longest rows first: even load at the end
    for (std::size_t j = 0; j <= i; ++j) {
      workers.poll();
      compute_block(i, j, values + triangle_index(i, j) * kBlockValues);
    }
  });
  evaluations_ += triangle_evaluations();
}

template <class T>
const T* SymmetricGram<T>::own_block(std::size_t i, std::size_t j, Scratch& scratch) const {
  if (stored()) {
    return static_cast<const T*>(stored_.data()) + triangle_index(i, j) * kBlockValues;
  }
  if (scratch.computed.empty()) scratch.computed = Matrix<T>::uninitialized(kBlock, kBlock);
  compute_block(i, j, scratch.computed.data());
  return scratch.computed.data();
}

template <class T>
const double* SymmetricGram<T>::block(std::size_t i, std::size_t j, Scratch& scratch) const {
  const T* values = own_block(i, j, scratch);
  if constexpr (std::is_same_v<T, double>) {
    return values;
  } else {
    if (scratch.values.empty()) scratch.values = Matrix<double>::uninitialized(kBlock, kBlock);
    promote(values, kBlockValues, scratch.values.data());
    return scratch.values.data();
  }
}

template <class T>
void SymmetricGram<T>::multiply_group(const RowGroup& group, MatrixView<const double> v,
                                      MatrixView<double> partial, Workers& workers) const {
  const std::size_t p = v.cols();
  Scratch scratch;
  std::vector<double> forward(kBlock * p);
  for (std::size_t i = group.begin; i < group.end; ++i) {
    const std::size_t rows = points_.block_size(i);
    std::ranges::fill(forward, 0.0);
    for (std::size_t j = 0; j <= i; ++j) {
      workers.poll();
      const double* values = block(i, j, scratch);
      const std::size_t cols = points_.block_size(j);
      add_forward(values, width_, rows, v.rows_from(j * kBlock, cols), forward.data());
      if (j < i) {
        add_block_times(values, width_, rows, cols, v.rows_from(i * kBlock, rows),
                        partial.rows_from(j * kBlock, cols));
      }
    }
    for (std::size_t r = 0; r < rows; ++r) {
      const double* from = forward.data() + (r / width_) * p * width_ + r % width_;
      double* to = partial.data() + (i * kBlock + r) * p;
      for (std::size_t c = 0; c < p; ++c) to[c] += from[c * width_];
    }
  }
}

template <class T>
template <class Add>
void SymmetricGram<T>::sum_over_groups(MatrixView<double> y, Workers& workers, const Add& add) {
  const std::size_t n = size();
  const std::size_t p = y.cols();
  const auto groups = row_groups(points_.blocks());
  partials_.resize(groups.size());
  const auto partial = [&](std::size_t g) {
    const std::size_t rows = std::min(n, groups[g].end * kBlock);
    return MatrixView<double>(partials_[g].data(), rows, p);
  };
  workers.for_each(groups.size(), [&](std::size_t task) {
    const std::size_t g = groups.size() - 1 - task;
    const std::size_t values = std::min(n, groups[g].end * kBlock) * p;
    if (partials_[g].size() < values) partials_[g] = Matrix<double>::uninitialized(1, values);
    std::fill_n(partial(g).data(), values, 0.0);
    add(groups[g], partial(g));
  });
  // Fewer values than this are added up before another thread has woken.
  constexpr std::size_t kTaskValues = 4096;
  const std::size_t task_rows = std::max<std::size_t>(kTaskValues / p, 1);
  workers.for_each((n + task_rows - 1) / task_rows, [&](std::size_t task) {
    const std::size_t begin = task * task_rows;
    const std::size_t end = std::min(begin + task_rows, n);
    for (std::size_t i = begin; i < end; ++i) std::ranges::fill(y.row(i), 0.0);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const auto part = partial(g);
      for (std::size_t i = begin; i < std::min(end, part.rows()); ++i) {
        for (std::size_t c = 0; c < p; ++c) y(i, c) += part(i, c);
      }
    }
  });
  if (!stored()) evaluations_ += triangle_evaluations();
}

template <class T>
void SymmetricGram<T>::multiply(MatrixView<const double> v, MatrixView<double> y,
                                Workers& workers) {
  sum_over_groups(y, workers, [&](const RowGroup& group, MatrixView<double> partial) {
    multiply_group(group, v, partial, workers);
  });
}

template <class T>
BlockSumArgs<T> SymmetricGram<T>::sums_of_block(std::size_t i, std::size_t j, const T* values,
                                                std::span<const double> weights,
                                                MatrixView<double> sums) const {
  return {.block = values,
          .width = width_,
          .rows = points_.block_size(i),
          .cols = points_.block_size(j),
          .row_weights = weights.data() + i * kBlock,
          .col_weights = weights.data() + j * kBlock,
          .row_sums = sums.data() + i * kBlock,
          .col_sums = j < i ? sums.data() + j * kBlock : nullptr};
}

template <class T>
void SymmetricGram<T>::multiply(std::span<const double> v, std::span<double> y, Workers& workers) {
  const auto add = [&](const RowGroup& group, MatrixView<double> partial) {
    Scratch scratch;
    for (std::size_t i = group.begin; i < group.end; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        workers.poll();
        add_block_sums(sums_of_block(i, j, own_block(i, j, scratch), v, partial));
      }
    }
  };
  sum_over_groups({y.data(), size(), 1}, workers, add);
}

template <class T>
void SymmetricGram<T>::energies(const RemovedMatrix& removed, std::span<const double> weights,
                                std::span<double> r, Workers& workers) {
  const auto rows_of = [&](std::size_t b) {
    return removed.rows.rows_from(b * kBlock, points_.block_size(b));
  };
  const auto add = [&](const RowGroup& group, MatrixView<double> partial) {
    Scratch scratch;
    for (std::size_t i = group.begin; i < group.end; ++i) {
      const RemovedRows of_rows({.rows = rows_of(i), .swapped = removed.swapped});
      for (std::size_t j = 0; j <= i; ++j) {
        workers.poll();
        auto sums = sums_of_block(i, j, own_block(i, j, scratch), weights, partial);
        of_rows.make_energies(sums, rows_of(j));
        add_block_sums(sums);
      }
    }
  };
  sum_over_groups({r.data(), size(), 1}, workers, add);
}

template <class T>
Matrix<double> SymmetricGram<T>::dense(Workers& workers) {
  auto k = Matrix<double>::uninitialized(size(), size());
  workers.for_each(points_.blocks(), [&](std::size_t i) {
    Scratch scratch;
    for (std::size_t j = 0; j <= i; ++j) {
      workers.poll();
      const double* values = block(i, j, scratch);
      for (std::size_t r = 0; r < points_.block_size(i); ++r) {
        for (std::size_t c = 0; c < points_.block_size(j); ++c) {
          const double value = values[((r / width_) * kBlock + c) * width_ + r % width_];
          k(i * kBlock + r, j * kBlock + c) = value;
          k(j * kBlock + c, i * kBlock + r) = value;
        }
      }
    }
  });
  if (!stored()) evaluations_ += triangle_evaluations();
  return k;
}

}  // namespace

double GramOperator::stored_bytes(std::size_t n, std::size_t bytes_per_value) {
  const auto blocks = static_cast<double>(block_count(n));
  return blocks * (blocks + 1) / 2 * static_cast<double>(kBlockValues * bytes_per_value);
}

double GramOperator::product_bytes(std::size_t n, std::size_t p) {
  double rows = 0;
  for (const RowGroup& group : row_groups(block_count(n))) {
    rows += static_cast<double>(group.end * kBlock);
  }
  return rows * static_cast<double>(p * sizeof(double));
}

bool storing_pays(const Kernel& kernel, std::size_t d, std::size_t products) {
  if (std::holds_alternative<Custom>(kernel)) return true;
  // In operations a value, measured with 3500 to 10,000 rows: the first touch of memory takes as
  // long as computing the value many times.
  constexpr double kStore = 320;
  constexpr double kRead = 20;
  const double compute = 16 + static_cast<double>(d);
  const auto count = static_cast<double>(products);
  return kStore + kRead * count < compute * count;
}

std::unique_ptr<GramOperator> make_gram(const Kernel& kernel, MatrixView<const double> points,
                                        const GramOptions& options, Workers& workers) {
  if (options.single_precision) {
    return std::make_unique<SymmetricGram<float>>(kernel, points, options.stored, workers);
  }
  return std::make_unique<SymmetricGram<double>>(kernel, points, options.stored, workers);
}

void KernelOperator::multiply(std::span<const double> v, std::span<double> y, Workers& workers) {
  Matrix<double> block(size(), kProductColumns);
  auto product = Matrix<double>::uninitialized(size(), kProductColumns);
  for (std::size_t i = 0; i < size(); ++i) block(i, 0) = v[i];
  multiply(block, product, workers);
  for (std::size_t i = 0; i < size(); ++i) y[i] = product(i, 0);
}

}  // namespace mercer::engine
