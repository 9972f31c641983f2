#pragma once

#include <chrono>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mercer::bench {

/// Says on standard output that the adapter is ready, with facts about it (pairs of a name and a
/// JSON value). Then, for every line on standard input, runs `run` once and answers with its wall
/// time and with `values` of its result, which bench/run compares with those of the other
/// libraries. Only `run` is timed.
template <class Run, class Values>
void serve(const std::vector<std::pair<std::string, std::string>>& facts, const Run& run,
           const Values& values) {
  std::vector<std::string> members;
  for (const auto& [name, json] : facts) members.push_back(fmt::format("\"{}\": {}", name, json));
  std::cout << fmt::format("{{{}}}", fmt::join(members, ", ")) << '\n' << std::flush;
  for (std::string line; std::getline(std::cin, line);) {
    const auto begin = std::chrono::steady_clock::now();
    const auto result = run();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    std::cout << fmt::format("{{\"seconds\": {:.9f}, \"values\": [{:.17g}]}}", elapsed.count(),
                             fmt::join(values(result), ", "))
              << '\n'
              << std::flush;
  }
}

inline std::string json_text(const std::string& text) {
  return fmt::format("\"{}\"", text);
}

}  // namespace mercer::bench
