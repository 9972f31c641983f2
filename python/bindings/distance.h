#pragma once

#include <pybind11/pybind11.h>

namespace mercer::python {

/// Distances: sparse distances of queries to many items.
void bind_distance(pybind11::module_& module);

}  // namespace mercer::python
