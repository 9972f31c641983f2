#pragma once

#include <cstddef>

namespace mercer::engine {

// The innermost loops. Plain declarations: the code behind them is compiled once per instruction
// set (tile-inl.h) and chosen at run time.
//
// Points are packed in panels: panel p holds points p*w .. p*w + w - 1 as [column of the
// data][point], so that one vector load gives the same coordinate of several points. w =
// panel_width<T>() depends on the instruction set. Blocks of kernel values come out in the same
// layout, [row panel][column][row in panel], which is the layout that products with them read
// fastest.

/// How packed points become a kernel value. With c = sum of the combined coordinates and
/// s = -(half_norm_x + half_norm_y), scaled when packing (packing.cpp):
enum class TileForm {
  linear,              ///< s + <x,y>
  gaussian,            ///< 2^(s + <x,y>)
  matern32,            ///< (1 + a) e^-a,           a = sqrt(-2 (s + <x,y>))
  matern52,            ///< (1 + a + a^2/3) e^-a,   a as above
  rational_quadratic,  ///< (1 - (s + <x,y>))^-alpha
  polynomial,          ///< (s + <x,y>)^degree
  sigmoid,             ///< tanh(s + <x,y>)
  laplacian,         ///< 2^-sqrt(sum (x-y)^2): differences, because a square root near 0 would turn
                     ///< the 1e-16 of cancelling norms into 1e-8
  laplacian_l1,      ///< 2^-sum |x-y|
  chi2,              ///< sum 2xy/(x+y)
  exponential_chi2,  ///< 2^-sum (x-y)^2/(x+y)
};

/// Every block of kernel values is at most this many rows and columns: a multiple of every panel
/// width, and small enough for a block of doubles (72 KiB) to stay in the second-level cache while
/// it is used twice, with the next one already arriving.
inline constexpr std::size_t kBlock = 96;

/// Points per panel on the running instruction set; divides kBlock.
template <class T>
std::size_t panel_width();

template <class T>
struct TileArgs {
  TileForm form = TileForm::linear;
  int degree = 1;
  double alpha = 1;
  std::size_t depth = 0;    ///< columns of the data
  const T* rows = nullptr;  ///< first panel of the row side
  const T* row_half_norms = nullptr;
  std::size_t row_panels = 0;
  const T* cols = nullptr;  ///< first panel of the column side
  const T* col_half_norms = nullptr;
  std::size_t col_count = 0;     ///< rounded up to whole register tiles: out must have the room
  T* out = nullptr;              ///< panel p, column j, row i: out[p * panel_stride + j * w + i]
  std::size_t panel_stride = 0;  ///< at least round_up(col_count, 8) * w
};

/// One block of kernel values. FMA-bound for many columns of data, bound by the pointwise function
/// for few: the two share the same ports, so the machine's limit is the sum of their times.
template <class T>
void kernel_tile(const TileArgs<T>& args);

/// C += A B with row-major C (m x n) and B (k x n) and A(i, k) = a[i * a_row_stride + k *
/// a_col_stride], so that A may be given transposed. n is a multiple of kProductColumns or a panel
/// width. Each element of C is summed in the order of k by fused multiply-adds, whatever m and n:
/// its bits do not depend on how a product is cut into parts by rows or columns.
struct ProductArgs {
  std::size_t m = 0;
  std::size_t n = 0;
  std::size_t k = 0;
  const double* a = nullptr;
  std::size_t a_row_stride = 0;
  std::size_t a_col_stride = 0;
  const double* b = nullptr;
  std::size_t b_stride = 0;
  double* c = nullptr;
  std::size_t c_stride = 0;
};
inline constexpr std::size_t kProductColumns = 8;
/// The next number of columns that products take.
constexpr std::size_t padded_columns(std::size_t columns) {
  return (columns + kProductColumns - 1) / kProductColumns * kProductColumns;
}
void multiply_add(const ProductArgs& args);

/// One pass over a block of a symmetric matrix, laid out as kernel_tile writes it, for both of its
/// halves:
///     row_sums[i] += sum_j f_ij col_weights[j]
///     col_sums[j] += sum_i f_ij row_weights[i]     unless col_sums is null
/// With f_ij = block(i, j) that is a product with one vector. When `squared`,
///     f_ij = (block(i, j) + <u_i, v_j>)^2
/// for the energies of what a matrix of low rank leaves. Sums are in double, whatever T.
template <class T>
struct BlockSumArgs {
  const T* block = nullptr;
  std::size_t width = 0;  ///< of its panels: a multiple of panel_width<double>()
  std::size_t rows = 0;
  std::size_t cols = 0;
  const double* row_weights = nullptr;  ///< read only with col_sums
  const double* col_weights = nullptr;
  double* row_sums = nullptr;
  double* col_sums = nullptr;
  bool squared = false;
  // Read only with it:
  std::size_t rank = 0;
  const double* row_factors = nullptr;  ///< entry l of u_i: row_factors[l * row_factor_stride + i]
  std::size_t row_factor_stride = 0;
  const double* col_factors = nullptr;  ///< entry l of v_j: col_factors[j * col_factor_stride + l]
  std::size_t col_factor_stride = 0;
};
template <class T>
void add_block_sums(const BlockSumArgs<T>& args);

/// Products of the columns of a tall matrix with each other. The matrix is kept in panels of
/// columns, [panel][row][column in panel], which is how kernel_tile writes the values of a library
/// (its panel side) with a block of rows: what follows the tile needs no packing.
template <class T>
struct ScatterArgs {
  const T* rows = nullptr;  ///< first panel that gives rows of the result
  std::size_t row_panels = 0;
  const T* cols = nullptr;       ///< first panel that gives columns of the result
  std::size_t col_count = 0;     ///< a multiple of the panel width
  std::size_t panel_stride = 0;  ///< elements from one panel to the next
  std::size_t depth = 0;         ///< rows of the tall matrix
  T* out = nullptr;              ///< out[p * out_stride + j * w + i] += sum_r rows(r, i) cols(r, j)
  std::size_t out_stride = 0;
};
template <class T>
void add_scatter(const ScatterArgs<T>& args);

/// Adds a kBlock x kBlock result of add_scatter<float> to one of add_scatter<double>, whose panels
/// have another width.
void add_promoted_block(const float* from, double* to);

/// For a panel of `rows` rows: f becomes (f - shift) * scale, shift by column and scale by row
/// (none when null), and sums (by column) += scale * f, in double whatever T is.
template <class T>
void center_panel(T* panel, std::size_t rows, const double* shift, const double* scale,
                  double* sums);

/// Converts single-precision kernel values for products in double.
void promote(const float* from, std::size_t count, double* to);

/// Measured limits of the machine, for benchmarks: fused multiply-adds and in-register exponentials
/// done by one call, which the caller times.
struct PeakWork {
  double flops = 0;
  double sink = 0;  ///< keeps the work from being removed
};
template <class T>
PeakWork run_fma_peak(std::size_t repeats);
template <class T>
PeakWork run_exp_peak(std::size_t repeats);

/// 2^t of an array, t <= 0; exposed so that its accuracy can be tested.
template <class T>
void exp2_array(const T* t, std::size_t count, T* out);

}  // namespace mercer::engine
