#pragma once

#include <string_view>

namespace mercer::model {

/// Files hold their texts as JSON, which is UTF-8 only.
bool is_utf8(std::string_view text);

}  // namespace mercer::model
