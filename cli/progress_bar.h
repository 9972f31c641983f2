#pragma once

#include <chrono>
#include <string>

#include <mercer/run.h>

namespace mercer::cli {

/// One line on standard error that shows where a long call stands, and is gone when it ends.
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
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace mercer::cli
