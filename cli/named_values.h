#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mercer::cli {

/// The words of an option and what they mean.
template <class Value, std::size_t N>
using Names = std::array<std::pair<const char*, Value>, N>;

template <class Value, std::size_t N>
std::vector<std::string> all_names(const Names<Value, N>& names) {
  std::vector<std::string> list;
  for (const auto& [name, value] : names) list.emplace_back(name);
  return list;
}

/// Names that are none of these were refused when the command line was parsed.
template <class Value, std::size_t N>
void assign_named(const std::optional<std::string>& text, const Names<Value, N>& names,
                  Value& target) {
  for (const auto& [name, value] : names)
    if (text == name) target = value;
}

}  // namespace mercer::cli
