#pragma once

#include <pybind11/pybind11.h>

namespace mercer::python {

/// fit(method, points, kernel, options, weights, run) -> Model
void bind_fits(pybind11::module_& module);

}  // namespace mercer::python
