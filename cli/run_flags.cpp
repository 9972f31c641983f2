#include "cli/run_flags.h"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "cli/interrupt.h"

namespace mercer::cli {

std::size_t parse_bytes(const std::string& text) {
  const auto refuse = [&] {
    throw UsageError(
        fmt::format("'{}' is not an amount of memory; examples: 512M, 4G, 1.5G", text));
  };
  double amount = 0;
  const char* const last = text.data() + text.size();
  const auto [unit, error] = std::from_chars(text.data(), last, amount, std::chars_format::fixed);
  if (error != std::errc{} || !(amount > 0)) refuse();
  std::string_view suffix(unit, static_cast<std::size_t>(last - unit));
  if (!suffix.empty()) {
    constexpr std::string_view kUnits = "KMGT";
    const std::size_t power = kUnits.find(static_cast<char>(suffix[0] & ~0x20));
    suffix.remove_prefix(1);
    if (power == std::string_view::npos || !(suffix.empty() || suffix == "B" || suffix == "iB"))
      refuse();
    amount = std::ldexp(amount, 10 * (static_cast<int>(power) + 1));
  }
  if (amount < 1 || amount >= 0x1p63) refuse();
  return static_cast<std::size_t>(amount);
}

void RunFlags::add_threads_and_memory(Arguments& arguments) {
  arguments.option(
      "--threads", "T", threads,
      "Worker threads; 0 = one per processor (default). Any number gives the same bits");
  arguments.option("--memory-limit", "SIZE", memory_limit,
                   "Most memory to use, e.g. 4G (default: half of the installed memory)");
}

void RunFlags::add_seed(Arguments& arguments) {
  arguments.option("--seed", "S", seed, "Start of every random stream (default 0)");
}

void RunFlags::add_quiet(Arguments& arguments, const std::string& help) {
  arguments.flag("-q,--quiet", quiet, help);
}

std::size_t RunFlags::memory_limit_bytes() const {
  return memory_limit.empty() ? 0 : parse_bytes(memory_limit);
}

RunOptions RunFlags::options(ProgressBar& bar) const {
  RunOptions run;
  run.threads = threads;
  run.seed = seed;
  run.memory_limit_bytes = memory_limit_bytes();
  run.progress = [&bar](const Progress& progress) { bar.show(progress); };
  run.cancelled = interrupted;
  return run;
}

}  // namespace mercer::cli
