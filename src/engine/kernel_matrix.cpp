#include "engine/kernel_matrix.h"

#include <algorithm>
#include <vector>

#include "engine/kernel_points.h"
#include "engine/tile.h"
#include "system/memory.h"

namespace mercer::engine {

Matrix<double> kernel_matrix(const Kernel& kernel, MatrixView<const double> a,
                             MatrixView<const double> b, Workers& workers) {
  const auto shift = distance_shift(kernel, b);
  const KernelPoints<double> from(kernel, a, shift);
  const KernelPoints<double> to(kernel, b, shift);
  const std::size_t width = panel_width<double>();
  auto k = Matrix<double>::uninitialized(a.rows(), b.rows());
  system::advise_huge_pages(k.data(), k.size() * sizeof(double));
  workers.for_each(from.blocks(), [&](std::size_t i) {
    std::vector<double> values(kBlock * kBlock);
    for (std::size_t j = 0; j < to.blocks(); ++j) {
      // With b on the panel side, runs of a panel are runs of a row of the result.
      to.block(j, from, i, values.data());
      for (std::size_t row = 0; row < from.block_size(i); ++row) {
        double* out = &k(i * kBlock + row, j * kBlock);
        for (std::size_t col = 0; col < to.block_size(j); col += width) {
          std::copy_n(values.data() + (col / width * kBlock + row) * width,
                      std::min(width, to.block_size(j) - col), out + col);
        }
      }
    }
  });
  return k;
}

}  // namespace mercer::engine
