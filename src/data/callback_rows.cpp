#include <algorithm>
#include <functional>
#include <string_view>

#include <fmt/format.h>

#include <mercer/error.h>
#include <mercer/rows.h>

#include "data/finite.h"
#include "data/sparse_rows.h"

namespace mercer {

namespace {

using data::all_finite;

/// A block as it comes from the caller, and where it stands.
struct Delivered {
  const RowBlock& block;
  std::size_t number;     ///< of the block in this pass, from 0
  std::size_t first_row;  ///< from 0

  [[noreturn]] void fail(std::string_view problem) const {
    throw DataError(fmt::format("block {} of the callback (from row {}) {}", number + 1,
                                first_row + 1, problem));
  }

  [[noreturn]] void fail_value(std::size_t row, std::size_t column, double value) const {
    throw DataError(fmt::format(
        "block {} of the callback: row {}, column {} is {}, which is not a finite number",
        number + 1, first_row + row + 1, column + 1, value));
  }
};

void check_shape(const Delivered& delivered, std::size_t cols, std::size_t max_rows) {
  const RowBlock& block = delivered.block;
  if (const auto* sparse = std::get_if<SparseRows>(&block.values)) {
    // Rows are counted by their ends, of which there must be one more than rows.
    if (sparse->row_begin.empty()) delivered.fail("has no row_begin");
  }
  if (block.rows() == 0) delivered.fail("has no rows; return nothing at the end");
  if (block.rows() > max_rows) {
    delivered.fail(fmt::format("has {} rows, but {} were asked for", block.rows(), max_rows));
  }
  if (block.cols() != cols) {
    delivered.fail(fmt::format("has {} columns, but {} are expected", block.cols(), cols));
  }
}

template <class T>
void check_values(const Delivered& delivered, const Matrix<T>& values) {
  for (std::size_t i = 0; i < values.rows(); ++i) {
    if (all_finite(values.row(i))) continue;
    for (std::size_t j = 0; j < values.cols(); ++j) {
      if (!std::isfinite(values(i, j))) delivered.fail_value(i, j, values(i, j));
    }
  }
}

void check_values(const Delivered& delivered, const SparseRows& values) {
  const std::vector<std::uint64_t>& begin = values.row_begin;
  if (begin.front() != 0 || begin.back() != values.value.size() ||
      values.column.size() != values.value.size() || !std::ranges::is_sorted(begin)) {
    delivered.fail("is not a list of sparse rows: row_begin, column and value do not fit together");
  }
  for (std::size_t i = 0; i < values.rows(); ++i) {
    for (std::uint64_t e = begin[i]; e < begin[i + 1]; ++e) {
      if (values.column[e] >= values.cols ||
          (e > begin[i] && values.column[e] <= values.column[e - 1])) {
        delivered.fail(
            fmt::format("has column {} in row {}: columns must increase and stay below {}",
                        values.column[e], delivered.first_row + i + 1, values.cols));
      }
      if (!std::isfinite(values.value[e])) {
        delivered.fail_value(i, values.column[e], values.value[e]);
      }
    }
  }
}

void check_weights(const Delivered& delivered) {
  const std::vector<double>& weights = delivered.block.weights;
  if (weights.empty()) return;
  if (weights.size() != delivered.block.rows()) {
    delivered.fail(
        fmt::format("has {} weights for {} rows", weights.size(), delivered.block.rows()));
  }
  const auto bad = std::ranges::find_if_not(weights, data::is_weight);
  if (bad == weights.end()) return;
  const auto row = delivered.first_row + static_cast<std::size_t>(bad - weights.begin());
  delivered.fail(fmt::format("has the weight {} in row {}; weights must be positive and finite",
                             *bad, row + 1));
}

template <class T>
Matrix<T> joined(const std::vector<RowBlock>& pieces, std::size_t rows) {
  Matrix<T> all = Matrix<T>::uninitialized(rows, pieces.front().cols());
  T* end = all.data();
  for (const RowBlock& piece : pieces) {
    const auto& values = std::get<Matrix<T>>(piece.values);
    end = std::copy_n(values.data(), values.size(), end);
  }
  return all;
}

SparseRows joined_sparse(const std::vector<RowBlock>& pieces) {
  SparseRows all;
  all.cols = pieces.front().cols();
  for (const RowBlock& piece : pieces) data::append(all, std::get<SparseRows>(piece.values));
  return all;
}

/// Empty when no piece has weights.
std::vector<double> joined_weights(const std::vector<RowBlock>& pieces, std::size_t rows) {
  std::vector<double> all;
  if (std::ranges::all_of(pieces, [](const RowBlock& piece) { return piece.weights.empty(); })) {
    return all;
  }
  all.reserve(rows);
  for (const RowBlock& piece : pieces) {
    if (piece.weights.empty()) {
      all.insert(all.end(), piece.rows(), 1.0);
    } else {
      all.insert(all.end(), piece.weights.begin(), piece.weights.end());
    }
  }
  return all;
}

RowBlock join(std::vector<RowBlock> pieces, std::size_t rows) {
  if (pieces.size() == 1) return std::move(pieces.front());
  RowBlock all{pieces.front().first_row, Matrix<double>(), joined_weights(pieces, rows)};
  if (std::holds_alternative<SparseRows>(pieces.front().values)) {
    all.values = joined_sparse(pieces);
  } else if (std::holds_alternative<Matrix<float>>(pieces.front().values)) {
    all.values = joined<float>(pieces, rows);
  } else {
    all.values = joined<double>(pieces, rows);
  }
  return all;
}

class CallbackRows final : public RowSource {
 public:
  explicit CallbackRows(RowCallbacks callbacks)
      : callbacks_(std::move(callbacks)), known_rows_(callbacks_.rows) {
    if (callbacks_.cols == 0) throw InvalidArgument("rows from a callback need columns: cols is 0");
    if (!callbacks_.next) throw InvalidArgument("rows from a callback need the function `next`");
  }

  std::size_t cols() const override { return callbacks_.cols; }
  std::optional<std::size_t> rows() const override { return known_rows_; }

  std::optional<RowBlock> next(std::size_t max_rows) override {
    std::vector<RowBlock> pieces;
    std::size_t rows = 0;
    while (rows < max_rows && !ended_) {
      started_ = true;
      std::optional<RowBlock> piece = callbacks_.next(max_rows - rows);
      if (!piece) {
        ended_ = true;
        check_end();
        break;
      }
      accept(*piece, max_rows - rows);
      rows += piece->rows();
      pieces.push_back(std::move(*piece));
    }
    if (pieces.empty()) return std::nullopt;
    return join(std::move(pieces), rows);
  }

  void rewind() override {
    if (!started_) return;
    if (!callbacks_.rewind) {
      throw FileError("the rows of a callback without `rewind` can be read only once");
    }
    callbacks_.rewind();
    started_ = ended_ = false;
    next_row_ = next_block_ = 0;
  }

 private:
  void accept(RowBlock& block, std::size_t max_rows) {
    const Delivered delivered{block, next_block_, next_row_};
    check_shape(delivered, callbacks_.cols, max_rows);
    if (!form_) form_ = block.values.index();
    if (*form_ != block.values.index()) {
      delivered.fail("is of another form (doubles, floats, sparse rows) than the first");
    }
    std::visit([&](const auto& values) { check_values(delivered, values); }, block.values);
    check_weights(delivered);
    if (known_rows_ && block.rows() > *known_rows_ - next_row_) fail_count("more");
    block.first_row = next_row_;
    next_row_ += block.rows();
    ++next_block_;
  }

  void check_end() {
    if (known_rows_ && next_row_ < *known_rows_) fail_count(fmt::format("only {}", next_row_));
    known_rows_ = next_row_;
  }

  [[noreturn]] void fail_count(std::string_view delivered) const {
    throw DataError(fmt::format("the callback delivers {} rows, but {}", delivered,
                                callbacks_.rows
                                    ? fmt::format("{} were announced", *known_rows_)
                                    : fmt::format("{} in the first pass", *known_rows_)));
  }

  RowCallbacks callbacks_;
  std::optional<std::size_t> known_rows_;
  std::optional<std::size_t> form_;  ///< which alternative the blocks hold
  std::size_t next_row_ = 0;
  std::size_t next_block_ = 0;
  bool started_ = false;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<RowSource> rows_from_callbacks(RowCallbacks callbacks) {
  return std::make_unique<CallbackRows>(std::move(callbacks));
}

}  // namespace mercer
