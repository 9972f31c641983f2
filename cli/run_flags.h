#pragma once

#include <cstddef>
#include <string>

#include <mercer/run.h>

#include "cli/program.h"
#include "cli/progress_bar.h"

namespace mercer::cli {

/// "4G", "512M", "1.5GiB", "100000": bytes, with K, M, G, T as powers of 1024. Throws UsageError.
std::size_t parse_bytes(const std::string& text);

/// The options that say how to run, as opposed to what to compute.
struct RunFlags {
  std::size_t threads = 0;
  std::size_t seed = 0;
  std::string memory_limit;
  bool quiet = false;

  void add_threads_and_memory(Arguments& arguments);
  void add_seed(Arguments& arguments);
  void add_quiet(Arguments& arguments, const std::string& help);

  std::size_t memory_limit_bytes() const;
  /// Progress goes to `bar`, which must outlive the options; Ctrl-C cancels.
  RunOptions options(ProgressBar& bar) const;
};

}  // namespace mercer::cli
