#pragma once

#include <chrono>
#include <string>
#include <vector>

#include <mercer/summary.h>

namespace mercer::engine {

/// Wall time of a call, cut into named phases one after another.
class Stopwatch {
 public:
  void begin(const std::string& phase) {
    end();
    name_ = phase;
    phase_start_ = Clock::now();
  }
  void end() {
    if (name_.empty()) return;
    phases_.push_back({name_, seconds_since(phase_start_)});
    name_.clear();
  }
  double seconds() const { return seconds_since(start_); }
  const std::vector<Phase>& phases() const { return phases_; }

 private:
  using Clock = std::chrono::steady_clock;
  static double seconds_since(Clock::time_point then) {
    return std::chrono::duration<double>(Clock::now() - then).count();
  }

  Clock::time_point start_ = Clock::now();
  Clock::time_point phase_start_ = start_;
  std::string name_;
  std::vector<Phase> phases_;
};

}  // namespace mercer::engine
