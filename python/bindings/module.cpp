#include <pybind11/pybind11.h>
#include <pybind11/stl/filesystem.h>

#include <mercer/files.h>
#include <mercer/platform.h>

#include "bindings/distance.h"
#include "bindings/errors.h"
#include "bindings/fits.h"
#include "bindings/incremental.h"
#include "bindings/kernel.h"
#include "bindings/model.h"
#include "bindings/run.h"

namespace py = pybind11;

namespace {

const char* kind_name(const std::filesystem::path& path) {
  using mercer::FileKind;
  switch (mercer::file_kind(path)) {
    case FileKind::model:
      return "model";
    case FileKind::landmark_part:
      return "landmark_part";
    case FileKind::cover:
      return "cover";
    case FileKind::block:
      return "block";
    case FileKind::distance:
      return "distance";
    case FileKind::stream:
      return "stream";
  }
  return "";
}

}  // namespace

PYBIND11_MODULE(_native, module) {
  module.doc() = "The C++ library behind the package mercer.";
  mercer::python::bind_errors(module);
  mercer::python::bind_run(module);
  mercer::python::bind_kernel(module);
  mercer::python::bind_model(module);
  mercer::python::bind_fits(module);
  mercer::python::bind_incremental(module);
  mercer::python::bind_distance(module);
  module.def("version", &mercer::version);
  module.def("file_kind", &kind_name, py::arg("path"));
}
