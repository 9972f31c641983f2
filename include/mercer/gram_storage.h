#pragma once

namespace mercer {

/// What becomes of the n x n kernel matrix between products with it.
enum class GramStorage {
  automatic,    ///< stored when it fits in the memory limit, and pays
  stored,       ///< one triangle in memory, 4 n^2 bytes (2 n^2 in float32)
  matrix_free,  ///< recomputed in every product, O(n) memory
};

}  // namespace mercer
