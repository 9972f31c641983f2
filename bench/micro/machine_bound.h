#pragma once

#include <algorithm>
#include <ctime>

#include "engine/tile.h"

namespace mercer::bench {

/// Time that the calling thread has run: unlike wall time it does not grow while other processes
/// have the processor.
inline double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// What one core does at best, measured beside the work that is compared with it: clocks change
/// from second to second, so a peak measured earlier proves nothing.
template <class T>
class MachineBound {
 public:
  /// Takes about a millisecond; the best measurement counts.
  void measure() {
    constexpr std::size_t kFmaRepeats = 50'000;
    constexpr std::size_t kExpRepeats = 2'000;
    fma_seconds_ = std::min(fma_seconds_, seconds_each(engine::run_fma_peak<T>, kFmaRepeats));
    exp_seconds_ = std::min(exp_seconds_, seconds_each(engine::run_exp_peak<T>, kExpRepeats));
  }

  double flops_per_second() const { return 1 / fma_seconds_; }
  double exps_per_second() const { return 1 / exp_seconds_; }

  /// Least time for this much work. Multiply-adds and exponentials use the same ports, so their
  /// times add up.
  double seconds(double flops, double exps) const {
    return flops * fma_seconds_ + exps * exp_seconds_;
  }

 private:
  static double seconds_each(engine::PeakWork (*run)(std::size_t), std::size_t repeats) {
    const double begin = thread_seconds();
    const engine::PeakWork work = run(repeats);
    const double elapsed = thread_seconds() - begin;
    // NOLINTNEXTLINE(clang-analyzer-deadcode.DeadStores): a use, so that the work is done
    [[maybe_unused]] volatile const double sink = work.sink;
    return elapsed / work.flops;
  }

  double fma_seconds_ = 1;
  double exp_seconds_ = 1;
};

}  // namespace mercer::bench
