#include "bindings/errors.h"

#include <mercer/error.h>

namespace py = pybind11;

namespace mercer::python {

void bind_errors(py::module_& module) {
  // Those registered last are tried first: the special ones come after the general.
  py::register_exception<Error>(module, "Error", PyExc_RuntimeError);
  py::register_exception<InvalidArgument>(module, "InvalidArgument", PyExc_ValueError);
  py::register_exception<DataError>(module, "DataError", PyExc_ValueError);
  py::register_exception<FileError>(module, "FileError", PyExc_OSError);
  const auto& numerical =
      py::register_exception<NumericalError>(module, "NumericalError", PyExc_ValueError);
  py::register_exception<NoVariation>(module, "NoVariation", numerical);
  py::register_exception<MemoryLimitError>(module, "MemoryLimitError", PyExc_MemoryError);
}

}  // namespace mercer::python
