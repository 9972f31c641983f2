#include "cli/progress_text.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include <fmt/format.h>

namespace mercer::cli {
namespace {

std::string short_count(double count) {
  constexpr std::array kUnits = {"k", "M", "G"};
  // 999.95 and more would be printed as 1000.0.
  if (count < 999.5) return fmt::format("{:.0f}", count);
  std::size_t unit = 0;
  count /= 1000;
  for (; count >= 999.95 && unit + 1 < kUnits.size(); ++unit) count /= 1000;
  return fmt::format("{:.1f}{}", count, kUnits[unit]);
}

std::string short_time(double seconds) {
  if (seconds < 99.5) return fmt::format("{:.0f} s", seconds);
  if (seconds < 99.5 * 60) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

std::string row_progress_text(const Progress& progress, double seconds) {
  const auto done = static_cast<double>(progress.rows_done);
  const auto total = static_cast<double>(progress.rows_total);
  std::string text = fmt::format("{} {}", progress.phase, short_count(done));
  if (progress.rows_total != 0) text += fmt::format(" of {}", short_count(total));
  text += " rows";
  if (progress.rows_done == 0 || !(seconds > 0)) return text;
  const double rate = done / seconds;
  text += fmt::format(", {} rows/s", short_count(rate));
  if (progress.rows_total != 0)
    text += fmt::format(", {} left", short_time(std::max(0.0, total - done) / rate));
  return text;
}

std::string bar_text(const Progress& progress) {
  constexpr std::size_t kWidth = 30;
  const double fraction = std::clamp(progress.fraction, 0.0, 1.0);
  const auto filled = static_cast<std::size_t>(fraction * kWidth);
  return fmt::format("{:<14} [{}{}] {:3.0f} %", progress.phase, std::string(filled, '#'),
                     std::string(kWidth - filled, '.'), 100 * fraction);
}

}  // namespace mercer::cli
