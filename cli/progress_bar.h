#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include <mercer/run.h>

namespace mercer::cli {

/// One line on standard error that shows where a long call stands, and is gone when it ends: a bar,
/// or rows, rate and time left where a phase is a pass over the rows.
/// Nothing is shown when standard error is not a terminal.
class ProgressBar {
 public:
  explicit ProgressBar(bool wanted);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(const Progress& progress);
  void clear();

 private:
  bool enabled_;
  bool drawn_ = false;
  std::string phase_;
  std::uint64_t rows_done_ = 0;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point phase_start_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace mercer::cli
