#include "cli/blas_core.h"

#include <cstdlib>
#include <unistd.h>

#include <mercer/platform.h>

namespace mercer::cli {
namespace {

constexpr const char* kCoreVariable = "OPENBLAS_CORETYPE";
/// Tells the second process that it is one, should OpenBLAS not follow the suggestion.
constexpr const char* kRestartedVariable = "MERCER_BLAS_CORE_SET";

}  // namespace

void restart_with_suggested_blas_core(char* const* argv) {
  if (std::getenv(kCoreVariable) != nullptr || std::getenv(kRestartedVariable) != nullptr) return;
  const auto core = suggested_blas_core();
  if (!core) return;
  setenv(kCoreVariable, core->c_str(), 1);
  setenv(kRestartedVariable, "1", 1);
  execv("/proc/self/exe", argv);
  // Still here: no /proc, for example. Slow is better than not at all.
  unsetenv(kCoreVariable);
}

}  // namespace mercer::cli
