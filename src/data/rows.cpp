#include <algorithm>

#include <fmt/format.h>

#include <mercer/error.h>
#include <mercer/rows.h>

#include "data/finite.h"

namespace mercer {

namespace {

Matrix<double> spread(const SparseRows& sparse) {
  Matrix<double> dense(sparse.rows(), sparse.cols);
  for (std::size_t i = 0; i < sparse.rows(); ++i) {
    for (std::uint64_t e = sparse.row_begin[i]; e < sparse.row_begin[i + 1]; ++e) {
      dense(i, sparse.column[e]) = sparse.value[e];
    }
  }
  return dense;
}

Matrix<double> widen(const Matrix<float>& narrow) {
  Matrix<double> wide = Matrix<double>::uninitialized(narrow.rows(), narrow.cols());
  std::copy_n(narrow.data(), narrow.size(), wide.data());
  return wide;
}

class MemoryRows final : public RowSource {
 public:
  MemoryRows(MatrixView<const double> points, std::span<const double> weights)
      : points_(points), weights_(weights) {
    if (!weights.empty() && weights.size() != points.rows()) {
      throw InvalidArgument(
          fmt::format("there are {} weights for {} rows", weights.size(), points.rows()));
    }
    const auto bad = std::ranges::find_if_not(weights, data::is_weight);
    if (bad != weights.end()) {
      throw InvalidArgument(fmt::format(
          "weight {} is {}: weights must be positive and finite; leave out rows of weight 0",
          bad - weights.begin() + 1, *bad));
    }
  }

  std::size_t cols() const override { return points_.cols(); }
  std::optional<std::size_t> rows() const override { return points_.rows(); }

  std::optional<RowBlock> next(std::size_t max_rows) override {
    const std::size_t count = std::min(max_rows, points_.rows() - next_row_);
    if (count == 0) return std::nullopt;
    RowBlock block{next_row_, Matrix<double>(points_.rows_from(next_row_, count))};
    if (!weights_.empty()) {
      const std::span<const double> weights = weights_.subspan(next_row_, count);
      block.weights.assign(weights.begin(), weights.end());
    }
    next_row_ += count;
    return block;
  }

  void rewind() override { next_row_ = 0; }

 private:
  MatrixView<const double> points_;
  std::span<const double> weights_;
  std::size_t next_row_ = 0;
};

}  // namespace

std::size_t RowBlock::rows() const {
  return std::visit([](const auto& block) -> std::size_t { return block.rows(); }, values);
}

std::size_t RowBlock::cols() const {
  if (const auto* sparse = std::get_if<SparseRows>(&values)) return sparse->cols;
  if (const auto* narrow = std::get_if<Matrix<float>>(&values)) return narrow->cols();
  return std::get<Matrix<double>>(values).cols();
}

Matrix<double> RowBlock::dense() const& {
  if (const auto* sparse = std::get_if<SparseRows>(&values)) return spread(*sparse);
  if (const auto* narrow = std::get_if<Matrix<float>>(&values)) return widen(*narrow);
  return std::get<Matrix<double>>(values);
}

Matrix<double> RowBlock::dense() && {
  if (auto* wide = std::get_if<Matrix<double>>(&values)) return std::move(*wide);
  return std::as_const(*this).dense();
}

std::unique_ptr<RowSource> rows_in_memory(MatrixView<const double> points,
                                          std::span<const double> weights) {
  return std::make_unique<MemoryRows>(points, weights);
}

}  // namespace mercer
