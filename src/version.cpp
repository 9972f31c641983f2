#include <mercer/platform.h>

namespace mercer {

const char* version() {
  return MERCER_VERSION;
}

}  // namespace mercer
