#pragma once

namespace mercer::cli {

/// OpenBLAS takes processors newer than itself for very old ones and runs several times slower.
/// When that has happened, starts the same command over with the core named in OPENBLAS_CORETYPE,
/// which OpenBLAS reads only at the start of a process. Does so once, and leaves a core that the
/// user has set alone.
void restart_with_suggested_blas_core(char* const* argv);

}  // namespace mercer::cli
