#include "cli/stream.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cli/interrupt.h"

namespace mercer::cli {
namespace {

void pass_over(RowSource& source, std::uint64_t rows, std::size_t block_rows) {
  std::uint64_t passed = 0;
  while (passed < rows) {
    throw_if_interrupted();
    const auto block = source.next(std::min<std::uint64_t>(block_rows, rows - passed));
    if (!block)
      throw UsageError(
          fmt::format("the interrupted run had read {} rows, but there are only {}: give the table "
                      "that it had",
                      rows, passed));
    passed += block->rows();
  }
}

}  // namespace

void StreamFlags::add(Arguments& arguments) {
  library.add(arguments);
  arguments.option("--library-limit", "L", library_limit,
                   "Most points in the library of all blocks; above it, it is reduced to "
                   "seven eighths, chosen for the components (default 2000)");
  deflation.add_without_form(arguments);
}

IncrementalOptions StreamFlags::options(bool center, std::size_t seed) const {
  IncrementalOptions options;
  options.center = center;
  options.library = library.options();
  options.merge = deflation.options();
  if (library_limit) options.library_limit = *library_limit;
  options.seed = seed;
  options.validate();
  return options;
}

std::vector<const char*> StreamFlags::given() const {
  std::vector<const char*> names = library.given();
  const auto of_merges = deflation.given();
  names.insert(names.end(), of_merges.begin(), of_merges.end());
  if (library_limit) names.push_back("--library-limit");
  return names;
}

void StreamBlocks::add(Arguments& arguments) {
  arguments.option("--block-size", "B", rows,
                   "Rows that are taken at a time (default 2000); the result depends on it");
}

void StreamBlocks::require_rows() const {
  if (rows == 0) throw UsageError("--block-size is 0: take at least one row at a time");
}

void add_rows(IncrementalFit& stream, RowSource& source, std::uint64_t seen, std::size_t block_rows,
              const RunOptions& run, ProgressBar& bar, const std::function<void()>& between) {
  source.rewind();
  pass_over(source, seen, block_rows);
  std::uint64_t rows = seen;
  const auto show_rows = [&] {
    bar.show({.phase = "blocks", .rows_done = rows, .rows_total = source.rows().value_or(0)});
  };
  // The bar counts rows, also while a block takes long.
  RunOptions of_block = run;
  of_block.progress = [&](const Progress&) { show_rows(); };
  while (auto block = source.next(block_rows)) {
    throw_if_interrupted();
    if (between && rows > seen) between();
    show_rows();
    const std::vector<double> weights = std::move(block->weights);
    const Matrix<double> points = std::move(*block).dense();
    stream.partial_fit(points, weights, of_block);
    rows += points.rows();
  }
}

}  // namespace mercer::cli
