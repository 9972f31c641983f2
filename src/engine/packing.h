#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include <mercer/kernel.h>

#include "engine/tile.h"

namespace mercer::engine {

/// How packing prepares coordinates for a tile form (tile.h): every coordinate is multiplied by
/// `scale`, and the sum starts from -(half_norm_x + half_norm_y).
struct Packing {
  TileForm form = TileForm::linear;
  double scale = 1;
  bool shifted = false;    // depends on x - y only: a common shift may be taken off first
  bool by_norms = false;   // half_norm = |x|^2 / 2, so that the sum becomes -r^2 / 2
  bool unit_rows = false;  // rows are divided by their norm first
  double bias = 0;         // half_norm = -bias / 2: the sum starts at bias
  int degree = 1;
  double alpha = 1;
};

/// Nothing for kernels without a tile form. Throws InvalidArgument when a parameter is still open.
std::optional<Packing> packing_of(const Kernel& kernel);

/// What the coordinates of a row are multiplied by. `Input` is double or float.
template <class Input>
double row_scale(const Packing& packing, std::span<const Input> x);

/// For rows (numbered from 0) whose squared norm is not a finite number of the precision.
[[noreturn]] void throw_row_too_large(const Kernel& kernel, std::size_t row, bool single_precision);

}  // namespace mercer::engine
