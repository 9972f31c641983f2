#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <mercer/matrix.h>

namespace mercer::python {

/// The array owns the matrix: no number is copied.
template <class T>
pybind11::array_t<T> to_array(Matrix<T> matrix) {
  auto owner = std::make_unique<Matrix<T>>(std::move(matrix));
  Matrix<T>& numbers = *owner;
  const pybind11::capsule keep(owner.release(), [](void* p) { delete static_cast<Matrix<T>*>(p); });
  return pybind11::array_t<T>({numbers.rows(), numbers.cols()}, numbers.data(), keep);
}

/// A read-only array over numbers that `owner` keeps.
inline pybind11::array_t<double> look_at(MatrixView<const double> view, pybind11::handle owner) {
  constexpr auto kSize = static_cast<pybind11::ssize_t>(sizeof(double));
  pybind11::array_t<double> array(
      {static_cast<pybind11::ssize_t>(view.rows()), static_cast<pybind11::ssize_t>(view.cols())},
      {static_cast<pybind11::ssize_t>(view.stride()) * kSize, kSize}, view.data(), owner);
  array.attr("flags").attr("writeable") = false;
  return array;
}

template <class T>
pybind11::array_t<T> copy_to_array(std::span<const T> values) {
  return pybind11::array_t<T>(static_cast<pybind11::ssize_t>(values.size()), values.data());
}

}  // namespace mercer::python
