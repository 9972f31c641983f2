#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/tile.h"

namespace mercer::engine {

/// Kernel values of one point with points here and there. Tiles (tile.h) would compute all values
/// between; here the points are kept row by row, coordinates prepared as for tiles, and vectors run
/// along the coordinates.
struct RowValuesArgs {
  TileForm form = TileForm::linear;
  int degree = 1;
  double alpha = 1;
  std::size_t depth = 0;  ///< coordinates, padded with zeros to a multiple of kProductColumns
  const double* x = nullptr;
  double x_half_norm = 0;
  const double* rows = nullptr;  ///< `depth` numbers each
  const double* half_norms = nullptr;
  const std::uint16_t* columns = nullptr;  ///< which of the rows
  std::size_t count = 0;
  double* out = nullptr;
};

/// out[c] = k(x, rows[columns[c]]). The bits of a value do not depend on the others.
void row_values(const RowValuesArgs& args);

}  // namespace mercer::engine
