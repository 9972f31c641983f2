#pragma once

#include <string>
#include <string_view>

namespace mercer::data {

/// Text from a file, fit to stand in a message: in quotes, shortened, control characters escaped.
std::string in_quotes(std::string_view text);

}  // namespace mercer::data
