#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace mercer {

/// "major.minor.patch" of the library that was linked.
const char* version();

/// The instruction set that the kernels run on, chosen when the program starts, e.g. "AVX2".
std::string simd_name();

/// What the BLAS library calls the processor it runs on, e.g. "Zen"; "unknown" when it does not
/// say.
std::string blas_core();

/// OpenBLAS releases take processors newer than themselves for very old ones and then run several
/// times slower. When that has happened, the value of the environment variable OPENBLAS_CORETYPE
/// that repairs it; OpenBLAS reads it only when a process starts.
std::optional<std::string> suggested_blas_core();

/// What a memory limit of 0 stands for: half of the installed memory, or of what the control group
/// of the process may use.
std::uint64_t default_memory_limit_bytes();

}  // namespace mercer
