#include "bindings/model.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <mercer/error.h>
#include <mercer/preimage.h>

#include "bindings/arrays.h"
#include "bindings/options.h"
#include "bindings/rows.h"
#include "bindings/run.h"
#include "bindings/temporary_file.h"

namespace py = pybind11;

namespace mercer::python {

namespace {

Model load_model(const std::filesystem::path& path, const std::optional<BoundKernel>& kernel) {
  if (!kernel) return Model::load(path);
  const auto* custom = std::get_if<Custom>(&kernel->kernel());
  if (custom == nullptr) {
    throw InvalidArgument("only a kernel without a file format of its own is given when loading");
  }
  return Model::load(path, *custom);
}

RunSettings for_kernel(RunSettings run, const std::optional<BoundKernel>& own) {
  if (own && own->is_python()) run.threads = 1;
  return run;
}

/// Scores of sparse rows, of which only one block at a time is spread out.
Matrix<double> transform_blocks(const Model& model, RowSource& source, std::size_t rows,
                                const RunOptions& run) {
  constexpr std::size_t kBlockRows = 4096;
  auto scores = Matrix<double>::uninitialized(rows, model.components());
  std::size_t done = 0;
  while (auto block = source.next(kBlockRows)) {
    const Matrix<double> z = model.transform(std::move(*block).dense(), run);
    std::copy_n(z.data(), z.size(), scores.data() + done * scores.cols());
    done += z.rows();
  }
  return scores;
}

py::object transform(const BoundModel& bound, const py::object& points, const RunSettings& run) {
  Rows rows(points);
  Call call(for_kernel(run, bound.own_kernel));
  const Model& model = bound.model;
  if (rows.is_float()) {
    return to_array(
        call([&](const RunOptions& options) { return model.transform(rows.floats(), options); }));
  }
  return to_array(call([&](const RunOptions& options) {
    if (rows.is_double()) return model.transform(rows.doubles(), options);
    return transform_blocks(model, *rows.source({}), rows.count(), options);
  }));
}

py::array_t<double> residual(const BoundModel& bound, const py::object& points,
                             const RunSettings& run) {
  Rows rows(points);
  Call call(for_kernel(run, bound.own_kernel));
  const std::vector<double> residuals = call(
      [&](const RunOptions& options) { return bound.model.residual(rows.doubles(), options); });
  return copy_to_array(std::span<const double>(residuals));
}

py::tuple reconstruct(const BoundModel& bound, const py::object& points, const py::dict& given,
                      const RunSettings& run) {
  Rows rows(points);
  const auto preimage = read_options<PreimageOptions>(given, "reconstruct");
  Call call(for_kernel(run, bound.own_kernel));
  Reconstruction found = call([&](const RunOptions& options) {
    return bound.model.reconstruct(rows.doubles(), preimage, options);
  });
  return py::make_tuple(to_array(std::move(found.points)), found.report.warnings());
}

/// A linear model gives points by its axes; ridge regression shrinks component j by
/// lambda_j / (lambda_j + alpha).
ModelParts linear_inverse(const Model& model, double alpha) {
  const auto axes = model.coefficients();
  ModelParts parts;
  parts.kernel = Linear{};
  parts.coefficients = Matrix<double>(axes.cols(), axes.rows());
  for (std::size_t j = 0; j < axes.cols(); ++j) {
    const double kept = model.eigenvalues()[j] / (model.eigenvalues()[j] + alpha);
    for (std::size_t i = 0; i < axes.rows(); ++i) parts.coefficients(j, i) = kept * axes(i, j);
  }
  return parts;
}

ModelParts learned_inverse(const Model& model, double alpha, const RunOptions& run) {
  const Model learned = learn_preimage(model, alpha, run);
  ModelParts parts;
  parts.kernel = learned.kernel();
  parts.library = Matrix<double>(learned.preimage_scores());
  parts.coefficients = Matrix<double>(learned.preimage_coefficients());
  return parts;
}

/// The ridge regression of points on scores as a model that maps scores to points.
BoundModel inverse(const BoundModel& bound, double alpha, const RunSettings& run) {
  Call call(for_kernel(run, bound.own_kernel));
  return {.model = call([&](const RunOptions& options) {
            ModelParts parts = std::holds_alternative<Linear>(bound.model.kernel())
                                   ? linear_inverse(bound.model, alpha)
                                   : learned_inverse(bound.model, alpha, options);
            parts.offset.assign(parts.coefficients.cols(), 0.0);
            // Components of this map are columns of the points and belong to no eigenvalues.
            parts.total_weight = bound.model.total_weight();
            parts.centered = false;
            return Model(std::move(parts));
          }),
          .own_kernel = bound.own_kernel};
}

/// k_C(x)^T B for given points C and numbers B: a feature map that was found elsewhere.
BoundModel expansion(const BoundKernel& kernel, const py::object& library,
                     const py::object& coefficients) {
  Rows points(library);
  Rows numbers(coefficients);
  ModelParts parts;
  parts.kernel = kernel.kernel();
  if (!std::holds_alternative<Precomputed>(parts.kernel)) {
    parts.library = Matrix<double>(points.doubles());
  }
  parts.coefficients = Matrix<double>(numbers.doubles());
  parts.offset.assign(parts.coefficients.cols(), 0.0);
  parts.total_weight = static_cast<double>(points.count());
  parts.centered = false;
  BoundModel model{.model = Model(std::move(parts))};
  if (std::holds_alternative<Custom>(kernel.kernel())) model.own_kernel = kernel;
  return model;
}

using Summaries = std::tuple<std::string, std::string, std::string>;

}  // namespace

void bind_model(py::module_& module) {
  py::class_<BoundModel>(module, "Model", "A fitted feature extractor, as in a .mercer file.")
      .def("transform", &transform, py::arg("points"), py::arg("run") = RunSettings{})
      .def("residual", &residual, py::arg("points"), py::arg("run") = RunSettings{})
      .def("reconstruct", &reconstruct, py::arg("points"), py::arg("options") = py::dict(),
           py::arg("run") = RunSettings{})
      .def("inverse", &inverse, py::arg("alpha"), py::arg("run") = RunSettings{})
      .def_static("expansion", &expansion, py::arg("kernel"), py::arg("library"),
                  py::arg("coefficients"))
      .def(
          "save",
          [](const BoundModel& bound, const std::filesystem::path& path) {
            bound.model.save(path);
          },
          py::arg("path"))
      .def_static(
          "load",
          [](const std::filesystem::path& path, const std::optional<BoundKernel>& kernel) {
            return BoundModel{.model = load_model(path, kernel), .own_kernel = kernel};
          },
          py::arg("path"), py::arg("kernel") = py::none())
      .def_property_readonly("components",
                             [](const BoundModel& bound) { return bound.model.components(); })
      .def_property_readonly("input_columns",
                             [](const BoundModel& bound) { return bound.model.input_columns(); })
      .def_property_readonly("library_size",
                             [](const BoundModel& bound) { return bound.model.library_size(); })
      .def_property_readonly("centered",
                             [](const BoundModel& bound) { return bound.model.centered(); })
      .def_property_readonly("total_weight",
                             [](const BoundModel& bound) { return bound.model.total_weight(); })
      .def_property_readonly("kernel_name",
                             [](const BoundModel& bound) {
                               return bound.own_kernel ? bound.own_kernel->name()
                                                       : kernel_name(bound.model.kernel());
                             })
      .def_property_readonly("kernel_parameters",
                             [](const BoundModel& bound) {
                               const auto parameters = kernel_parameters(bound.model.kernel());
                               return std::map<std::string, double>(parameters.begin(),
                                                                    parameters.end());
                             })
      .def_property_readonly("library",
                             [](const py::object& self) {
                               return look_at(self.cast<const BoundModel&>().model.library(), self);
                             })
      .def_property_readonly("coefficients",
                             [](const py::object& self) {
                               return look_at(self.cast<const BoundModel&>().model.coefficients(),
                                              self);
                             })
      .def_property_readonly(
          "offset", [](const BoundModel& bound) { return copy_to_array(bound.model.offset()); })
      .def_property_readonly(
          "eigenvalues",
          [](const BoundModel& bound) { return copy_to_array(bound.model.eigenvalues()); })
      .def_property_readonly(
          "mean_coefficients",
          [](const BoundModel& bound) { return copy_to_array(bound.model.mean_coefficients()); })
      .def_property_readonly("summary",
                             [](const BoundModel& bound) {
                               const Summary& summary = bound.model.summary();
                               return Summaries(summary.json(), summary.brief(), summary.full());
                             })
      .def(py::pickle(
          [](const BoundModel& bound) {
            return py::make_tuple(to_bytes(bound.model), bound.own_kernel);
          },
          [](const py::tuple& state) {
            auto kernel = state[1].cast<std::optional<BoundKernel>>();
            Model model = from_bytes(state[0].cast<py::bytes>(),
                                     [&](const auto& path) { return load_model(path, kernel); });
            return BoundModel{.model = std::move(model), .own_kernel = std::move(kernel)};
          }));
}

}  // namespace mercer::python
