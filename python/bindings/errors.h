#pragma once

#include <pybind11/pybind11.h>

namespace mercer::python {

/// The library's errors as Python's own kinds: bad arguments and data are ValueErrors, files
/// OSErrors, a limit of memory a MemoryError.
void bind_errors(pybind11::module_& module);

}  // namespace mercer::python
