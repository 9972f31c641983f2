#include "cli/progress_bar.h"

#include <cstdio>
#include <unistd.h>

#include <fmt/format.h>

#include "cli/progress_text.h"

namespace mercer::cli {
namespace {

// Calls that end sooner than the first show nothing: a flash is worse than none.
constexpr std::chrono::milliseconds kQuietStart{300};
constexpr std::chrono::milliseconds kRedraw{100};

}  // namespace

ProgressBar::ProgressBar(bool wanted)
    : enabled_(wanted && isatty(STDERR_FILENO) == 1), start_(std::chrono::steady_clock::now()) {}

ProgressBar::~ProgressBar() {
  clear();
}

void ProgressBar::show(const Progress& progress) {
  if (!enabled_) return;
  const auto now = std::chrono::steady_clock::now();
  const bool by_rows = progress.rows_done != 0 || progress.rows_total != 0;
  // A method may pass over the rows again under the same name.
  if (phase_ != progress.phase || progress.rows_done < rows_done_) {
    phase_ = progress.phase;
    phase_start_ = now;
    last_ = {};
  }
  rows_done_ = progress.rows_done;
  if (now - start_ < kQuietStart || now - last_ < kRedraw) return;
  last_ = now;
  const double seconds = std::chrono::duration<double>(now - phase_start_).count();
  fmt::print(stderr, "\r\x1b[K{}",
             by_rows ? row_progress_text(progress, seconds) : bar_text(progress));
  std::fflush(stderr);
  drawn_ = true;
}

void ProgressBar::clear() {
  if (!drawn_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace mercer::cli
