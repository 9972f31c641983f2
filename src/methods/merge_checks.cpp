#include "methods/merge_checks.h"

#include <algorithm>

#include <mercer/error.h>

namespace mercer::methods {

namespace {

bool same_columns(const ColumnRules& a, const ColumnRules& b) {
  const auto same_categories = [](const ColumnRules::OneHot& x, const ColumnRules::OneHot& y) {
    return x.column == y.column && x.categories == y.categories;
  };
  return a.table_columns == b.table_columns && a.left_out == b.left_out &&
         std::ranges::equal(a.one_hot, b.one_hot, same_categories);
}

}  // namespace

bool same_numbers(const Matrix<double>& a, const Matrix<double>& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         std::equal(a.data(), a.data() + a.size(), b.data());
}

bool same_kernel(const Kernel& a, const Kernel& b) {
  return kernel_name(a) == kernel_name(b) && kernel_parameters(a) == kernel_parameters(b);
}

void require_same_kernel(const Kernel& a, const Kernel& b) {
  if (!same_kernel(a, b)) throw InvalidArgument("the parts were made with different kernels");
}

void require_same_input(const InputMaps& a, const InputMaps& b) {
  if (!same_columns(a.columns, b.columns)) {
    throw InvalidArgument("the parts were made of different columns of their tables");
  }
  if (!a.columns.names.empty() && !b.columns.names.empty() && a.columns.names != b.columns.names) {
    throw InvalidArgument("the columns of the parts have different names");
  }
  if (a.scaling.shift != b.scaling.shift || a.scaling.multiply != b.scaling.multiply) {
    throw InvalidArgument("the parts were made with different scalings of the columns");
  }
  if (!same_numbers(a.projection.matrix, b.projection.matrix)) {
    throw InvalidArgument(
        "the parts were made with different projections: the same map, dimensions and seed make "
        "the same");
  }
}

}  // namespace mercer::methods
