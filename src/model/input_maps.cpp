// Rows become points: scaling, then a projection.

#include "model/input_maps.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <mercer/error.h>
#include <mercer/projection.h>

#include "engine/kernel_value.h"
#include "engine/tile.h"

namespace mercer {
namespace model {
namespace {

void require_finite(std::span<const double> values, const char* what) {
  const auto bad = std::ranges::find_if_not(values, [](double x) { return std::isfinite(x); });
  if (bad != values.end())
    throw InvalidArgument(fmt::format("input maps: {} holds {} at position {}", what, *bad,
                                      bad - values.begin() + 1));
}

}  // namespace

void check_input(const InputMaps& input, const Kernel& kernel, std::size_t point_columns) {
  const Matrix<double>& projection = input.projection.matrix;
  if (!input.projection.empty()) {
    require_projectable(kernel);
    if (projection.cols() != point_columns)
      throw InvalidArgument(
          fmt::format("input maps: the projection gives {} columns, the model has {}",
                      projection.cols(), point_columns));
    require_finite({projection.data(), projection.size()}, "projection.matrix");
  }
  const std::size_t columns = input.row_columns(point_columns);
  input.columns.validate();
  if (!input.columns.empty() && input.columns.point_columns() != columns)
    throw InvalidArgument(
        fmt::format("input maps: the column rules give {} columns, the model has {}",
                    input.columns.point_columns(), columns));
  const ColumnScaling& scaling = input.scaling;
  if (scaling.shift.size() != scaling.multiply.size() ||
      (!scaling.empty() && scaling.shift.size() != columns))
    throw InvalidArgument(
        fmt::format("input maps: the scaling has {} shifts and {} factors for {} columns",
                    scaling.shift.size(), scaling.multiply.size(), columns));
  require_finite(scaling.shift, "scaling.shift");
  require_finite(scaling.multiply, "scaling.multiply");
}

void check_input_of_file(const InputMaps& input, const Kernel& kernel, std::size_t point_columns,
                         const std::string& file) {
  try {
    check_input(input, kernel, point_columns);
  } catch (const InvalidArgument& e) {
    throw FileError(fmt::format("{}: {}", file, e.what()));
  }
}

RowMapper::RowMapper(const InputMaps& maps) : maps_(maps) {
  const Matrix<double>& p = maps.projection.matrix;
  if (maps.projection.empty()) return;
  padded_ = Matrix<double>(p.rows(), engine::padded_columns(p.cols()));
  for (std::size_t i = 0; i < p.rows(); ++i) std::ranges::copy(p.row(i), padded_.row(i).begin());
}

void RowMapper::scale_and_check(Matrix<double>& rows, std::size_t first_row) const {
  maps_.scaling.apply(rows);
  if (maps_.projection.empty()) return;
  if (rows.cols() != padded_.rows())
    throw DataError(fmt::format("the points have {} columns, but the projection is for {}",
                                rows.cols(), padded_.rows()));
  // Afterwards one bad number would be in all columns.
  engine::check_new_points(Linear{}, std::as_const(rows).view(), first_row);
}

void RowMapper::project(MatrixView<const double> rows, MatrixView<double> points) const {
  Matrix<double> products(rows.rows(), padded_.cols());
  engine::multiply_add({.m = rows.rows(),
                        .n = padded_.cols(),
                        .k = padded_.rows(),
                        .a = rows.data(),
                        .a_row_stride = rows.stride(),
                        .a_col_stride = 1,
                        .b = padded_.data(),
                        .b_stride = padded_.cols(),
                        .c = products.data(),
                        .c_stride = products.cols()});
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    std::copy_n(products.row(i).begin(), points.cols(), points.row(i).begin());
  }
}

Matrix<double> RowMapper::points(Matrix<double> rows, std::size_t first_row) const {
  scale_and_check(rows, first_row);
  if (maps_.projection.empty()) return rows;
  auto points = Matrix<double>::uninitialized(rows.rows(), maps_.projection.matrix.cols());
  project(rows, points);
  return points;
}

Matrix<double> RowMapper::points(Matrix<double> rows, std::size_t first_row,
                                 engine::Workers& workers) const {
  scale_and_check(rows, first_row);
  if (maps_.projection.empty()) return rows;
  constexpr std::size_t kRows = 64;
  auto points = Matrix<double>::uninitialized(rows.rows(), maps_.projection.matrix.cols());
  workers.for_each((rows.rows() + kRows - 1) / kRows, [&](std::size_t chunk) {
    const std::size_t first = chunk * kRows;
    const std::size_t count = std::min(kRows, rows.rows() - first);
    project(std::as_const(rows).view().rows_from(first, count),
            points.view().rows_from(first, count));
  });
  return points;
}

}  // namespace model

namespace {

/// Reports no progress: that is the business of whoever reads.
RunOptions threads_of(const RunOptions& run) {
  return {.threads = run.threads};
}

class MappedRows final : public RowSource {
 public:
  MappedRows(RowSource& source, InputMaps maps, const RunOptions& run)
      : source_(source), maps_(std::move(maps)), mapper_(maps_), workers_(threads_of(run)) {
    const std::size_t cols = source.cols();
    if (!maps_.scaling.empty() && cols != maps_.scaling.shift.size())
      throw DataError(fmt::format("the points have {} columns, but the scaling is for {}", cols,
                                  maps_.scaling.shift.size()));
    if (cols != maps_.row_columns(cols))
      throw DataError(fmt::format("the points have {} columns, but the projection is for {}", cols,
                                  maps_.row_columns(cols)));
  }

  std::size_t cols() const override { return maps_.point_columns(source_.cols()); }
  std::optional<std::size_t> rows() const override { return source_.rows(); }

  std::optional<RowBlock> next(std::size_t max_rows) override {
    std::optional<RowBlock> block = source_.next(max_rows);
    if (!block || maps_.leaves_rows()) return block;
    const std::size_t first_row = block->first_row;
    block->values = mapper_.points(std::move(*block).dense(), first_row, workers_);
    return block;
  }

  void rewind() override { source_.rewind(); }

 private:
  RowSource& source_;
  InputMaps maps_;
  model::RowMapper mapper_;
  engine::Workers workers_;
};

}  // namespace

Matrix<double> InputMaps::apply(Matrix<double> rows, const RunOptions& run) const {
  engine::Workers workers(threads_of(run));
  return model::RowMapper(*this).points(std::move(rows), 0, workers);
}

std::unique_ptr<RowSource> scaled_rows(RowSource& source, ColumnScaling scaling) {
  return mapped_rows(source, {.scaling = std::move(scaling)});
}

std::unique_ptr<RowSource> mapped_rows(RowSource& source, InputMaps maps, const RunOptions& run) {
  return std::make_unique<MappedRows>(source, std::move(maps), run);
}

void require_projectable(const Kernel& kernel) {
  const std::string name = kernel_name(kernel);
  if (std::holds_alternative<Precomputed>(kernel))
    throw InvalidArgument("a precomputed kernel has no points that could be projected");
  if (std::holds_alternative<LaplacianL1>(kernel))
    throw InvalidArgument(
        "projections keep Euclidean distances and inner products, but laplacian_l1 depends on the "
        "directions of the axes: use the laplacian kernel");
  if (std::holds_alternative<Chi2>(kernel) || std::holds_alternative<ExponentialChi2>(kernel))
    throw InvalidArgument(
        fmt::format("projections keep Euclidean distances and inner products, but the {} kernel "
                    "depends on single columns, which must not be negative",
                    name));
}

}  // namespace mercer
