#pragma once

#include <string>
#include <vector>

namespace mercer::engine {

/// The instruction set that dispatched code runs on now, e.g. "AVX2".
std::string simd_target();

/// Every instruction set that was compiled in and that this CPU has, best first.
std::vector<std::string> simd_targets();

/// Runs dispatched code on one given instruction set while it lives: for tests and benchmarks.
/// Throws InvalidArgument when that set is not among `simd_targets()`. Not for use beside running
/// work.
class ForcedSimdTarget {
 public:
  explicit ForcedSimdTarget(const std::string& name);
  ~ForcedSimdTarget();
  ForcedSimdTarget(const ForcedSimdTarget&) = delete;
  ForcedSimdTarget& operator=(const ForcedSimdTarget&) = delete;
};

}  // namespace mercer::engine
