#pragma once

namespace mercer {

/// "major.minor.patch" of the library that was linked.
const char* version();

}  // namespace mercer
