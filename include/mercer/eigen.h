#pragma once

// For users of Eigen: matrices seen from the other side, without a copy. Not part of mercer.h and
// of no use to the library itself; needs Eigen 3.4.

#include <cstddef>
#include <type_traits>

#include <Eigen/Core>

#include <mercer/matrix.h>

namespace mercer {

/// An Eigen matrix whose rows lie one after another, as everywhere in mercer.
template <class T>
using EigenRowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// What `as_eigen` returns: an ordinary Eigen object over foreign memory.
template <class T>
using EigenMap =
    Eigen::Map<std::conditional_t<std::is_const_v<T>, const EigenRowMajor<std::remove_const_t<T>>,
                                  EigenRowMajor<T>>,
               Eigen::Unaligned, Eigen::OuterStride<>>;

namespace detail {

template <class Derived>
auto matrix_view_of(Derived& matrix) {
  using Plain = std::remove_const_t<Derived>;
  // Eigen insists that a column is "column-major"; each of its elements is one row here.
  constexpr bool kIsColumn = Plain::ColsAtCompileTime == 1;
  static_assert((static_cast<unsigned>(Plain::Flags) & Eigen::DirectAccessBit) != 0,
                "mercer::as_matrix_view: this Eigen expression has no memory of its own; evaluate "
                "it into a row-major matrix first");
  static_assert(kIsColumn || Plain::IsRowMajor,
                "mercer::as_matrix_view: this Eigen matrix is column-major (Eigen's default), but "
                "mercer's rows lie one after another; store it as mercer::EigenRowMajor<double>");
  static_assert(kIsColumn || !Plain::IsRowMajor || Plain::InnerStrideAtCompileTime == 1,
                "mercer::as_matrix_view: the elements of a row must be neighbours in memory");
  using Element = std::remove_pointer_t<decltype(matrix.data())>;
  const auto stride = kIsColumn ? matrix.innerStride() : matrix.outerStride();
  return MatrixView<Element>(matrix.data(), static_cast<std::size_t>(matrix.rows()),
                             static_cast<std::size_t>(matrix.cols()),
                             static_cast<std::size_t>(stride));
}

}  // namespace detail

/// A view of a row-major Eigen matrix, map, block of rows or columns, or of any column vector. It
/// points into the matrix, which must stay where it is as long as the view is used.
template <class Derived>
auto as_matrix_view(const Eigen::DenseBase<Derived>& matrix) {
  return detail::matrix_view_of(matrix.derived());
}
template <class Derived>
auto as_matrix_view(Eigen::DenseBase<Derived>& matrix) {
  return detail::matrix_view_of(matrix.derived());
}

/// The numbers of a view as an Eigen object; they must stay as long as it is used.
template <class T>
EigenMap<T> as_eigen(MatrixView<T> view) {
  return EigenMap<T>(view.data(), static_cast<Eigen::Index>(view.rows()),
                     static_cast<Eigen::Index>(view.cols()),
                     Eigen::OuterStride<>(static_cast<Eigen::Index>(view.stride())));
}
template <class T>
EigenMap<T> as_eigen(Matrix<T>& matrix) {
  return as_eigen(matrix.view());
}
template <class T>
EigenMap<const T> as_eigen(const Matrix<T>& matrix) {
  return as_eigen(matrix.view());
}
/// A map of a temporary would outlive its numbers: give the matrix a name first.
template <class T>
void as_eigen(const Matrix<T>&& matrix) = delete;

}  // namespace mercer
