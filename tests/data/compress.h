#pragma once

#include <string>

namespace mercer::testing {

/// What the gzip tool would make of the text, in one member.
std::string gzip(const std::string& text);

}  // namespace mercer::testing
