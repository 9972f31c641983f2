#include "cli/scores.h"

#include <algorithm>
#include <utility>

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

std::size_t transform_rows(const Model& model, RowSource& source, RunOptions run, ProgressBar& bar,
                           const std::function<void(MatrixView<const double> points,
                                                    MatrixView<const double> scores)>& use) {
  run.progress = nullptr;  // a block is short; the bar counts rows
  source.rewind();
  std::size_t rows = 0;
  while (auto block = source.next(block_rows(model))) {
    throw_if_interrupted();
    bar.show({.phase = "transform", .rows_done = rows, .rows_total = source.rows().value_or(0)});
    const Matrix<double> points = std::move(*block).dense();
    use(points, model.transform(points, run));
    rows += points.rows();
  }
  throw_if_interrupted();
  return rows;
}

}  // namespace mercer::cli
