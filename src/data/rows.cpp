#include <algorithm>

#include <mercer/rows.h>

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
  explicit MemoryRows(MatrixView<const double> points) : points_(points) {}

  std::size_t cols() const override { return points_.cols(); }
  std::optional<std::size_t> rows() const override { return points_.rows(); }

  std::optional<RowBlock> next(std::size_t max_rows) override {
    const std::size_t count = std::min(max_rows, points_.rows() - next_row_);
    if (count == 0) return std::nullopt;
    RowBlock block{next_row_, Matrix<double>(points_.rows_from(next_row_, count))};
    next_row_ += count;
    return block;
  }

  void rewind() override { next_row_ = 0; }

 private:
  MatrixView<const double> points_;
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

Matrix<double> RowBlock::dense() const {
  if (const auto* sparse = std::get_if<SparseRows>(&values)) return spread(*sparse);
  if (const auto* narrow = std::get_if<Matrix<float>>(&values)) return widen(*narrow);
  return std::get<Matrix<double>>(values);
}

std::unique_ptr<RowSource> rows_in_memory(MatrixView<const double> points) {
  return std::make_unique<MemoryRows>(points);
}

}  // namespace mercer
