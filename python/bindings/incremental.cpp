#include "bindings/incremental.h"

#include <string>
#include <utility>

#include <pybind11/stl/filesystem.h>

#include <mercer/incremental.h>

#include "bindings/model.h"
#include "bindings/options.h"
#include "bindings/rows.h"
#include "bindings/run.h"
#include "bindings/temporary_file.h"

namespace py = pybind11;

namespace mercer::python {

void bind_incremental(py::module_& module) {
  py::class_<IncrementalFit>(module, "Stream", "Kernel PCA of rows that arrive block by block.")
      .def(py::init([](const BoundKernel& kernel, const py::dict& options) {
             return IncrementalFit(kernel.kernel(),
                                   read_options<IncrementalOptions>(options, "incremental"));
           }),
           py::arg("kernel"), py::arg("options") = py::dict())
      .def(
          "partial_fit",
          [](IncrementalFit& stream, const py::object& points, const py::object& weights,
             const RunSettings& run) {
            Rows rows(points);
            const std::vector<double> of_rows = read_weights(weights);
            Call call(run);
            call([&](const RunOptions& options) {
              stream.partial_fit(rows.doubles(), of_rows, options);
            });
          },
          py::arg("points"), py::arg("weights") = py::none(), py::arg("run") = RunSettings{})
      .def(
          "finish",
          [](const IncrementalFit& stream, const py::dict& given, const RunSettings& run) {
            const auto options = read_options<BlockFitOptions>(given, "incremental");
            Call call(run);
            return BoundModel{.model = call([&](const RunOptions& run_options) {
                                return stream.finish(options, run_options).model;
                              })};
          },
          py::arg("options") = py::dict(), py::arg("run") = RunSettings{})
      .def_property_readonly("rows", &IncrementalFit::rows)
      .def_property_readonly("blocks", &IncrementalFit::blocks)
      .def(
          "save",
          [](const IncrementalFit& stream, const std::filesystem::path& path) {
            stream.save(path);
          },
          py::arg("path"))
      .def_static("load", &IncrementalFit::load, py::arg("path"))
      .def(py::pickle(
          [](const IncrementalFit& stream) { return to_bytes(stream); },
          [](const py::bytes& bytes) { return from_bytes(bytes, &IncrementalFit::load); }));
}

}  // namespace mercer::python
