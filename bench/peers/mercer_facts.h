#pragma once

#include <string>
#include <utility>
#include <vector>

#include <mercer/platform.h>

#include "bench/peers/adapter.h"

namespace mercer::bench {

/// What bench/run wants to know of mercer and of the machine it runs on.
inline std::vector<std::pair<std::string, std::string>> mercer_facts() {
  const auto better_core = suggested_blas_core();
  return {{"library", json_text(fmt::format("mercer {}", version()))},
          {"simd", json_text(simd_name())},
          {"compiler", json_text(fmt::format("g++ {}", __VERSION__))},
          {"blas_core", json_text(blas_core())},
          {"suggested_blas_core", better_core ? json_text(*better_core) : "null"}};
}

}  // namespace mercer::bench
