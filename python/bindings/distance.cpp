#include "bindings/distance.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <mercer/sparse_distance.h>

#include "bindings/arrays.h"
#include "bindings/kernel.h"
#include "bindings/options.h"
#include "bindings/rows.h"
#include "bindings/run.h"
#include "bindings/temporary_file.h"

namespace py = pybind11;

namespace mercer::python {

namespace {

/// Distances, and the Python function that measures them where there is one.
struct BoundDistances {
  SparseDistance distances;
  py::object function = py::none();
};

CustomDistance python_distance(const py::object& function, bool is_hilbertian) {
  const BoundKernel of_rows("function", {}, function);
  return {.squared = std::get<Custom>(of_rows.kernel()).function,
          .name = "function",
          .hilbertian = is_hilbertian};
}

/// A distance by name; a kernel for "kernel", a function of two rows, which gives squared
/// distances, for "custom".
Distance make(const std::string& name, const std::map<std::string, double>& parameters,
              const std::optional<BoundKernel>& kernel, const py::object& function, bool is_squared,
              bool is_hilbertian) {
  if (name == "custom") return python_distance(function, is_hilbertian);
  if (name == "precomputed") {
    return PrecomputedDistance{.squared = is_squared, .hilbertian = is_hilbertian};
  }
  Distance distance = make_distance(name, {parameters.begin(), parameters.end()});
  if (auto* of_kernel = std::get_if<KernelDistance>(&distance); of_kernel != nullptr && kernel) {
    of_kernel->kernel = kernel->kernel();
  }
  return distance;
}

RunSettings for_distance(RunSettings run, const BoundDistances& bound) {
  if (!bound.function.is_none()) run.threads = 1;
  return run;
}

BoundDistances fit(const py::object& items, const std::string& metric,
                   const std::map<std::string, double>& parameters,
                   const std::optional<BoundKernel>& kernel, const py::object& function,
                   bool is_squared, bool is_hilbertian, const py::dict& given, RunSettings run) {
  Rows rows(items);
  const Distance distance = make(metric, parameters, kernel, function, is_squared, is_hilbertian);
  if (!function.is_none()) run.threads = 1;
  const auto options = read_options<SparseDistanceOptions>(given, "sparse distance");
  Call call(run);
  SparseDistance distances = call([&](const RunOptions& run_options) {
    return fit_sparse_distance(distance, rows.doubles(), options, run_options).model;
  });
  return {.distances = std::move(distances), .function = function};
}

py::tuple estimate(const BoundDistances& bound, const py::object& queries, const RunSettings& run) {
  Rows rows(queries);
  Call call(for_distance(run, bound));
  DistanceEstimates found = call(
      [&](const RunOptions& options) { return bound.distances.estimate(rows.doubles(), options); });
  return py::make_tuple(to_array(std::move(found.squared)),
                        copy_to_array(std::span<const double>(found.residuals)), found.negatives,
                        found.distance_evaluations);
}

py::tuple bounds(const BoundDistances& bound, const py::object& queries, const RunSettings& run) {
  Rows rows(queries);
  Call call(for_distance(run, bound));
  DistanceBounds found = call(
      [&](const RunOptions& options) { return bound.distances.bounds(rows.doubles(), options); });
  return py::make_tuple(to_array(std::move(found.lower)), to_array(std::move(found.upper)));
}

py::tuple neighbors(const BoundDistances& bound, const py::object& queries, std::size_t count,
                    const std::optional<std::size_t>& rerank, const RunSettings& run) {
  Rows rows(queries);
  Call call(for_distance(run, bound));
  Neighbors found = call([&](const RunOptions& options) {
    return bound.distances.neighbors(rows.doubles(), {.neighbors = count, .rerank = rerank},
                                     options);
  });
  return py::make_tuple(to_array(std::move(found.squared)), to_array(std::move(found.items)),
                        found.distance_evaluations);
}

BoundDistances load(const std::filesystem::path& path, const py::object& function,
                    bool is_hilbertian) {
  if (function.is_none()) return {.distances = SparseDistance::load(path)};
  return {.distances = SparseDistance::load(path, python_distance(function, is_hilbertian)),
          .function = function};
}

py::tuple pickled(const BoundDistances& bound) {
  return py::make_tuple(to_bytes(bound.distances), bound.function, bound.distances.hilbertian());
}

BoundDistances unpickled(const py::tuple& state) {
  return from_bytes(state[0].cast<py::bytes>(), [&](const std::filesystem::path& path) {
    return load(path, state[1], state[2].cast<bool>());
  });
}

}  // namespace

void bind_distance(py::module_& module) {
  using Bound = BoundDistances;
  py::class_<Bound>(module, "Distances", "Distances of queries to many items.")
      .def_static("fit", &fit, py::arg("items"), py::arg("metric"),
                  py::arg("parameters") = std::map<std::string, double>{},
                  py::arg("kernel") = py::none(), py::arg("function") = py::none(),
                  py::arg("squared") = false, py::arg("hilbertian") = false,
                  py::arg("options") = py::dict(), py::arg("run") = RunSettings{})
      .def("estimate", &estimate, py::arg("queries"), py::arg("run") = RunSettings{})
      .def("bounds", &bounds, py::arg("queries"), py::arg("run") = RunSettings{})
      .def("neighbors", &neighbors, py::arg("queries"), py::arg("count"),
           py::arg("rerank") = py::none(), py::arg("run") = RunSettings{})
      .def_property_readonly("items", [](const Bound& bound) { return bound.distances.items(); })
      .def_property_readonly("hilbertian",
                             [](const Bound& bound) { return bound.distances.hilbertian(); })
      .def_property_readonly("landmarks",
                             [](const Bound& bound) {
                               const auto places = bound.distances.landmarks();
                               return std::vector<std::size_t>(places.begin(), places.end());
                             })
      .def_property_readonly(
          "sigma", [](const Bound& bound) { return copy_to_array(bound.distances.sigma()); })
      .def_property_readonly("summary",
                             [](const Bound& bound) {
                               const DistanceSummary& summary = bound.distances.summary();
                               return py::make_tuple(summary.json(), summary.brief(),
                                                     summary.full());
                             })
      .def(
          "save",
          [](const Bound& bound, const std::filesystem::path& path) { bound.distances.save(path); },
          py::arg("path"))
      .def_static("load", &load, py::arg("path"), py::arg("function") = py::none(),
                  py::arg("hilbertian") = false)
      .def(py::pickle(&pickled, &unpickled));
}

}  // namespace mercer::python
