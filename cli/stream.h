#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include <mercer/incremental.h>
#include <mercer/rows.h>
#include <mercer/run.h>

#include "cli/block_flags.h"
#include "cli/program.h"
#include "cli/progress_bar.h"

namespace mercer::cli {

/// What a stream of blocks is told once and for all.
struct StreamFlags {
  LibraryFlags library;
  DeflationFlags deflation;
  std::optional<std::size_t> library_limit;

  void add(Arguments& arguments);
  /// Checked.
  IncrementalOptions options(bool center, std::size_t seed) const;
  std::vector<const char*> given() const;
};

/// --block-size of a stream.
struct StreamBlocks {
  std::size_t rows = 2000;

  void add(Arguments& arguments);
  /// Throws UsageError.
  void require_rows() const;
};

/// Passes over rows that a stream has seen already, which must be there, then adds the others block
/// by block. `between` is called before every block but the first: here the stream may be saved.
/// Throws Cancelled after an interrupt, which leaves the stream between two blocks.
void add_rows(IncrementalFit& stream, RowSource& source, std::uint64_t seen, std::size_t block_rows,
              const RunOptions& run, ProgressBar& bar, const std::function<void()>& between = {});

}  // namespace mercer::cli
