#include "cli/progress_bar.h"

#include <algorithm>
#include <cstdio>
#include <unistd.h>

#include <fmt/format.h>

namespace mercer::cli {
namespace {

// Calls that end sooner than the first show nothing: a flash is worse than none.
constexpr std::chrono::milliseconds kQuietStart{300};
constexpr std::chrono::milliseconds kRedraw{100};
constexpr std::size_t kWidth = 30;

}  // namespace

ProgressBar::ProgressBar(bool wanted)
    : enabled_(wanted && isatty(STDERR_FILENO) == 1), start_(std::chrono::steady_clock::now()) {}

ProgressBar::~ProgressBar() {
  clear();
}

void ProgressBar::show(const Progress& progress) {
  if (!enabled_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - start_ < kQuietStart || (phase_ == progress.phase && now - last_ < kRedraw)) return;
  last_ = now;
  phase_ = progress.phase;
  const double fraction = std::clamp(progress.fraction, 0.0, 1.0);
  const auto filled = static_cast<std::size_t>(fraction * kWidth);
  fmt::print(stderr, "\r\x1b[K{:<14} [{}{}] {:3.0f} %", phase_, std::string(filled, '#'),
             std::string(kWidth - filled, '.'), 100 * fraction);
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
