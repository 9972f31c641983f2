#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace mercer {

/// Where a long call stands. `fraction` goes from 0 to 1 within a phase and is an estimate where
/// the number of steps is not known beforehand (iterative solvers).
struct Progress {
  std::string_view phase{};
  double fraction = 0;
  /// Rows of the data done in this phase, and how many there are (0: not known yet), where a phase
  /// is a pass over them.
  std::uint64_t rows_done = 0;
  std::uint64_t rows_total = 0;
};

/// How to run, as opposed to what to compute. Never changes a result, except through `seed` and,
/// where a method chooses its algorithm by what fits, `memory_limit_bytes`.
struct RunOptions {
  /// Worker threads; 0 means one for every processor the process may use. Results have the same
  /// bits for every value.
  std::size_t threads = 0;
  /// Start of every random stream. Same data, options and seed: same result.
  std::uint64_t seed = 0;
  /// Most bytes that the call may allocate for its work; 0 means half of the installed memory.
  std::size_t memory_limit_bytes = 0;
  /// Called now and then, always from the calling thread.
  std::function<void(const Progress&)> progress{};
  /// Polled from the calling thread many times a second; returning true makes the call throw
  /// `Cancelled`.
  std::function<bool()> cancelled{};
};

}  // namespace mercer
