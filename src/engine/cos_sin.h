#pragma once

#include <cstddef>

namespace mercer::engine {

/// Cosines and sines of angles in turns (one turn is 2 pi). `turns` holds `rows` rows of w =
/// panel_width<double>() angles. Of each row, angle i becomes entries 2 i and 2 i + 1 of 2 w
/// numbers, `scale` times its cosine and its sine; the first w of them go to `first`, the others to
/// `second`, which have rows of w too.
///
/// Whole and quarter turns are taken off without rounding, so cosine and sine are right to 2 units
/// in the last place for every finite angle: callers divide by 2 pi once instead of every angle
/// being reduced by a multiple of it.
void cos_sin_panel(const double* turns, std::size_t rows, double scale, double* first,
                   double* second);

}  // namespace mercer::engine
