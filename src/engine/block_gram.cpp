#include "engine/block_gram.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <mercer/error.h>

#include "engine/kernel_value.h"
#include "engine/row_groups.h"
#include "engine/tile.h"

namespace mercer::engine {

namespace {

/// Where block (i, j), j <= i, stands when the lower triangle of blocks is listed row by row.
std::size_t triangle_index(std::size_t i, std::size_t j) {
  return i * (i + 1) / 2 + j;
}

/// Independent sums: one after the other, additions would wait for each other.
constexpr std::size_t kLanes = 8;
using Lanes = std::array<double, kLanes>;

double sum_of(const Lanes& lanes) {
  double sum = 0;
  for (const double lane : lanes) sum += lane;
  return sum;
}

double inner_product(const double* a, const double* b, std::size_t count) {
  Lanes lanes{};
  const std::size_t whole = count / kLanes * kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    for (std::size_t l = 0; l < kLanes; ++l) lanes[l] += a[i + l] * b[i + l];
  }
  for (std::size_t i = whole; i < count; ++i) lanes[i - whole] += a[i] * b[i];
  return sum_of(lanes);
}

/// |a - t b|^2 from the differences: as |a|^2 - t^2 it would have lost its digits to rounding
/// exactly where the product fits.
double squared_distance_to_multiple(const double* a, double t, const double* b, std::size_t count) {
  Lanes lanes{};
  const std::size_t whole = count / kLanes * kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    for (std::size_t l = 0; l < kLanes; ++l) {
      const double difference = a[i + l] - t * b[i + l];
      lanes[l] += difference * difference;
    }
  }
  for (std::size_t i = whole; i < count; ++i) {
    const double difference = a[i] - t * b[i];
    lanes[i - whole] += difference * difference;
  }
  return sum_of(lanes);
}

void make_symmetric(Matrix<double>& a) {
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      a(i, j) = (a(i, j) + a(j, i)) / 2;
      a(j, i) = a(i, j);
    }
  }
}

void add(const Matrix<double>& from, Matrix<double>& to) {
  for (std::size_t i = 0; i < to.size(); ++i) to.data()[i] += from.data()[i];
}

}  // namespace

BlockGram::BlockGram(const Kernel& kernel, MatrixView<const double> points, std::size_t block_size,
                     bool stored, Workers& workers)
    : block_size_(block_size), diagonal_(kernel_diagonal(kernel, points)) {
  double largest = 0;
  for (const double value : diagonal_) {
    if (!std::isfinite(value)) {
      throw NumericalError("kernel values overflowed: scale the data or the kernel's parameters");
    }
    largest = std::max(largest, std::abs(value));
  }
  if (largest > 0) scale_ = std::ldexp(1.0, std::ilogb(largest));
  const auto shift = distance_shift(kernel, points);
  points_.reserve(points.rows() / block_size);
  for (std::size_t first = 0; first < points.rows(); first += block_size) {
    points_.emplace_back(kernel, points.rows_from(first, block_size), shift);
  }
  if (stored) store(workers);
}

void BlockGram::compute_block(std::size_t i, std::size_t j, double* out) const {
  const KernelPoints<double>& rows = points_[i];
  const KernelPoints<double>& cols = points_[j];
  const std::size_t width = panel_width<double>();
  std::vector<double> tile(kBlock * kBlock);
  for (std::size_t rb = 0; rb < rows.blocks(); ++rb) {
    for (std::size_t cb = 0; cb < cols.blocks(); ++cb) {
      // With the columns on the panel side, runs of a panel are runs of a row of the block.
      cols.block(cb, rows, rb, tile.data());
      for (std::size_t r = 0; r < rows.block_size(rb); ++r) {
        double* row = out + (rb * kBlock + r) * block_size_ + cb * kBlock;
        for (std::size_t c = 0; c < cols.block_size(cb); ++c) {
          row[c] = tile[(c / width * kBlock + r) * width + c % width] / scale_;
        }
      }
    }
  }
  if (i != j) return;
  // A distance by norms leaves 1e-16 of rounding where it should be 0.
  for (std::size_t r = 0; r < block_size_; ++r) {
    out[r * block_size_ + r] = diagonal_[i * block_size_ + r] / scale_;
  }
}

void BlockGram::store(Workers& workers) {
  stored_ = system::LargeBuffer(triangle_index(blocks(), 0) * block_values() * sizeof(double));
  auto* values = static_cast<double*>(stored_.data());
  workers.for_each(blocks(), [&](std::size_t task) {
    const std::size_t i = blocks() - 1 - task;  // longest rows first: even load at the end
    for (std::size_t j = 0; j <= i; ++j) {
      workers.poll();
      compute_block(i, j, values + triangle_index(i, j) * block_values());
    }
  });
  evaluations_ += triangle_index(blocks(), 0) * block_values();
}

const double* BlockGram::block(std::size_t i, std::size_t j, std::vector<double>& scratch) const {
  if (stored_.data() != nullptr) {
    return static_cast<const double*>(stored_.data()) + triangle_index(i, j) * block_values();
  }
  scratch.resize(block_values());
  compute_block(i, j, scratch.data());
  return scratch.data();
}

Matrix<double> BlockGram::partial_trace(Workers& workers) {
  const auto groups = row_groups(blocks());
  std::vector<Matrix<double>> partials(groups.size());
  workers.for_each(groups.size(), [&](std::size_t g) {
    partials[g] = Matrix<double>(block_size_, block_size_);
    std::vector<double> scratch;
    for (std::size_t i = groups[g].begin; i < groups[g].end; ++i) {
      workers.poll();
      const double* values = block(i, i, scratch);
      for (std::size_t v = 0; v < block_values(); ++v) partials[g].data()[v] += values[v];
    }
  });
  for (std::size_t g = 1; g < groups.size(); ++g) add(partials[g], partials[0]);
  if (stored_.data() == nullptr) evaluations_ += blocks() * block_values();
  make_symmetric(partials[0]);
  return std::move(partials[0]);
}

BlockGram::Projection BlockGram::project(const Matrix<double>& s, Workers& workers) {
  struct Partial {
    Matrix<double> combination;
    double residual2 = 0;
    double norm2 = 0;
  };
  const auto groups = row_groups(blocks());
  std::vector<Partial> partials(groups.size());
  Projection result{.coefficients = Matrix<double>::uninitialized(blocks(), blocks()),
                    .combination = Matrix<double>(block_size_, block_size_)};
  workers.for_each(groups.size(), [&](std::size_t task) {
    const std::size_t g = groups.size() - 1 - task;
    Partial& partial = partials[g];
    partial.combination = Matrix<double>(block_size_, block_size_);
    double* combination = partial.combination.data();
    std::vector<double> scratch;
    for (std::size_t i = groups[g].begin; i < groups[g].end; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        workers.poll();
        const double* values = block(i, j, scratch);
        const double t = inner_product(values, s.data(), block_values());
        result.coefficients(i, j) = t;
        result.coefficients(j, i) = t;
        // K_ji is the transpose of K_ij, and S and the combination are symmetric.
        const double copies = i == j ? 1 : 2;
        partial.norm2 += copies * inner_product(values, values, block_values());
        partial.residual2 +=
            copies * squared_distance_to_multiple(values, t, s.data(), block_values());
        for (std::size_t v = 0; v < block_values(); ++v) combination[v] += copies * t * values[v];
      }
    }
  });
  for (const Partial& partial : partials) {
    add(partial.combination, result.combination);
    result.residual2 += partial.residual2;
    result.norm2 += partial.norm2;
  }
  if (stored_.data() == nullptr) evaluations_ += triangle_index(blocks(), 0) * block_values();
  make_symmetric(result.combination);
  return result;
}

double BlockGram::stored_bytes(std::size_t blocks, std::size_t block_size) {
  const auto n1 = static_cast<double>(blocks);
  const auto n2 = static_cast<double>(block_size);
  return n1 * (n1 + 1) / 2 * n2 * n2 * sizeof(double);
}

double BlockGram::pass_bytes(std::size_t blocks, std::size_t block_size, std::size_t threads) {
  const auto n1 = static_cast<double>(blocks);
  const auto n2 = static_cast<double>(block_size);
  const auto squares = static_cast<double>(std::min(blocks, kMostRowGroups) + threads + 1);
  return (n1 * n1 + squares * n2 * n2) * sizeof(double);
}

}  // namespace mercer::engine
