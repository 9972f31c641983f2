#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/text_encoding.h"

namespace mercer::data {

/// Numbers different texts in the order in which they first appear. Texts are kept as UTF-8.
class Categories {
 public:
  /// The number of `text`, a new one when it was not there before.
  std::size_t add(std::string_view text) {
    if (const auto known = find(text)) return *known;
    names_.push_back(to_utf8(text));
    codes_.emplace(names_.back(), names_.size() - 1);
    return names_.size() - 1;
  }

  std::optional<std::size_t> find(std::string_view text) const {
    auto it = codes_.find(text);
    if (it == codes_.end() && !is_ascii(text)) it = codes_.find(to_utf8(text));
    if (it == codes_.end()) return std::nullopt;
    return it->second;
  }

  const std::vector<std::string>& names() const { return names_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };

  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> codes_;
  std::vector<std::string> names_;
};

}  // namespace mercer::data
