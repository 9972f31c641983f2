#include "cli/scores.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <mercer/data.h>
#include <mercer/error.h>

#include "cli/interrupt.h"

namespace mercer::cli {
namespace {

// Enough rows to keep all threads busy, little enough to stay in the order of 32 MiB a block.
std::size_t block_rows(const Model& model) {
  constexpr std::size_t kBlockNumbers = std::size_t{1} << 22;
  return std::clamp<std::size_t>(kBlockNumbers / (model.input_columns() + model.components() + 1),
                                 256, 65536);
}

}  // namespace

std::unique_ptr<RowSource> open_new_rows(const std::string& path, const Model& model,
                                         const RunFlags& run) {
  TableOptions options;
  options.rules = model.input().columns;
  options.memory_limit_bytes = run.memory_limit_bytes();
  options.cancelled = interrupted;
  auto source = open_rows(path, options);
  if (source->cols() != model.input_columns())
    throw DataError(fmt::format("{} has {} columns, but the model takes {}", path, source->cols(),
                                model.input_columns()));
  return source;
}

std::size_t for_each_block(const Model& model, RowSource& source, const char* phase,
                           ProgressBar& bar,
                           const std::function<void(MatrixView<const double> points)>& use) {
  source.rewind();
  std::size_t rows = 0;
  while (auto block = source.next(block_rows(model))) {
    throw_if_interrupted();
    bar.show({.phase = phase, .rows_done = rows, .rows_total = source.rows().value_or(0)});
    const Matrix<double> points = std::move(*block).dense();
    use(points);
    rows += points.rows();
  }
  throw_if_interrupted();
  return rows;
}

std::size_t transform_rows(const Model& model, RowSource& source, RunOptions run, ProgressBar& bar,
                           const std::function<void(MatrixView<const double> points,
                                                    MatrixView<const double> scores)>& use) {
  run.progress = nullptr;  // a block is short; the bar counts rows
  return for_each_block(model, source, "transform", bar, [&](MatrixView<const double> points) {
    use(points, model.transform(points, run));
  });
}

}  // namespace mercer::cli
