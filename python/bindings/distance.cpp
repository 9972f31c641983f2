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

/// A distance by name; a kernel for "kernel", a function of two rows, which gives squared
/// distances, for "custom".
Distance make(const std::string& name, const std::map<std::string, double>& parameters,
              const std::optional<BoundKernel>& kernel, const py::object& function, bool is_squared,
              bool is_hilbertian) {
  if (name == "custom") {
    const BoundKernel row_function("function", {}, function);
    return CustomDistance{.squared = std::get<Custom>(row_function.kernel()).function,
                          .name = "function",
                          .hilbertian = is_hilbertian};
  }
  if (name == "precomputed") {
    return PrecomputedDistance{.squared = is_squared, .hilbertian = is_hilbertian};
  }
  Distance distance = make_distance(name, {parameters.begin(), parameters.end()});
  if (auto* of_kernel = std::get_if<KernelDistance>(&distance); of_kernel != nullptr && kernel) {
    of_kernel->kernel = kernel->kernel();
  }
  return distance;
}

RunSettings for_distance(RunSettings run, const SparseDistance& distances) {
  if (std::holds_alternative<CustomDistance>(distances.distance())) run.threads = 1;
  return run;
}

SparseDistance fit(const py::object& items, const std::string& metric,
                   const std::map<std::string, double>& parameters,
                   const std::optional<BoundKernel>& kernel, const py::object& function,
                   bool is_squared, bool is_hilbertian, const py::dict& given, RunSettings run) {
  Rows rows(items);
  const Distance distance = make(metric, parameters, kernel, function, is_squared, is_hilbertian);
  if (std::holds_alternative<CustomDistance>(distance)) run.threads = 1;
  const auto options = read_options<SparseDistanceOptions>(given, "sparse distance");
  Call call(run);
  return call([&](const RunOptions& run_options) {
    return fit_sparse_distance(distance, rows.doubles(), options, run_options).model;
  });
}

py::tuple estimate(const SparseDistance& distances, const py::object& queries,
                   const RunSettings& run) {
  Rows rows(queries);
  Call call(for_distance(run, distances));
  DistanceEstimates found =
      call([&](const RunOptions& options) { return distances.estimate(rows.doubles(), options); });
  return py::make_tuple(to_array(std::move(found.squared)),
                        copy_to_array(std::span<const double>(found.residuals)), found.negatives,
                        found.distance_evaluations);
}

py::tuple bounds(const SparseDistance& distances, const py::object& queries,
                 const RunSettings& run) {
  Rows rows(queries);
  Call call(for_distance(run, distances));
  DistanceBounds found =
      call([&](const RunOptions& options) { return distances.bounds(rows.doubles(), options); });
  return py::make_tuple(to_array(std::move(found.lower)), to_array(std::move(found.upper)));
}

py::tuple neighbors(const SparseDistance& distances, const py::object& queries, std::size_t count,
                    const std::optional<std::size_t>& rerank, const RunSettings& run) {
  Rows rows(queries);
  Call call(for_distance(run, distances));
  Neighbors found = call([&](const RunOptions& options) {
    return distances.neighbors(rows.doubles(), {.neighbors = count, .rerank = rerank}, options);
  });
  return py::make_tuple(to_array(std::move(found.squared)), to_array(std::move(found.items)),
                        found.distance_evaluations);
}

}  // namespace

void bind_distance(py::module_& module) {
  py::class_<SparseDistance>(module, "Distances", "Distances of queries to many items.")
      .def_static("fit", &fit, py::arg("items"), py::arg("metric"),
                  py::arg("parameters") = std::map<std::string, double>{},
                  py::arg("kernel") = py::none(), py::arg("function") = py::none(),
                  py::arg("squared") = false, py::arg("hilbertian") = false,
                  py::arg("options") = py::dict(), py::arg("run") = RunSettings{})
      .def("estimate", &estimate, py::arg("queries"), py::arg("run") = RunSettings{})
      .def("bounds", &bounds, py::arg("queries"), py::arg("run") = RunSettings{})
      .def("neighbors", &neighbors, py::arg("queries"), py::arg("count"),
           py::arg("rerank") = py::none(), py::arg("run") = RunSettings{})
      .def_property_readonly("items", &SparseDistance::items)
      .def_property_readonly("hilbertian", &SparseDistance::hilbertian)
      .def_property_readonly("landmarks",
                             [](const SparseDistance& distances) {
                               const auto places = distances.landmarks();
                               return std::vector<std::size_t>(places.begin(), places.end());
                             })
      .def_property_readonly(
          "sigma", [](const SparseDistance& distances) { return copy_to_array(distances.sigma()); })
      .def_property_readonly("summary",
                             [](const SparseDistance& distances) {
                               const DistanceSummary& summary = distances.summary();
                               return py::make_tuple(summary.json(), summary.brief(),
                                                     summary.full());
                             })
      .def(
          "save",
          [](const SparseDistance& distances, const std::filesystem::path& path) {
            distances.save(path);
          },
          py::arg("path"))
      .def_static(
          "load", [](const std::filesystem::path& path) { return SparseDistance::load(path); },
          py::arg("path"))
      .def(py::pickle([](const SparseDistance& distances) { return to_bytes(distances); },
                      [](const py::bytes& bytes) {
                        return from_bytes(bytes, [](const std::filesystem::path& path) {
                          return SparseDistance::load(path);
                        });
                      }));
}

}  // namespace mercer::python
