#pragma once

#include <pybind11/pybind11.h>

namespace mercer::python {

/// Stream: kernel PCA of rows that arrive block by block.
void bind_incremental(pybind11::module_& module);

}  // namespace mercer::python
