#include "bindings/fits.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <mercer/mercer.h>

#include "bindings/model.h"
#include "bindings/options.h"
#include "bindings/rows.h"
#include "bindings/run.h"

namespace py = pybind11;

namespace mercer::python {

namespace {

/// What every fit is given.
struct Task {
  Rows& rows;
  const Kernel& kernel;
  const py::dict& options;
  std::vector<double> weights;
  Call& call;
};

using Method = std::function<Fit(const std::string&, Task&)>;

/// Rows in memory as doubles; others are made that first.
template <class Options, auto function>
Fit in_memory(const std::string& name, Task& task, Options defaults = {}) {
  auto options = read_options<Options>(task.options, name, std::move(defaults));
  if constexpr (requires { options.weights; }) {
    options.weights = std::move(task.weights);
  } else if (!task.weights.empty()) {
    throw InvalidArgument(name + " has no weighted form: leave out the weights");
  }
  return task.call([&](const RunOptions& run) {
    return function(task.rows.doubles(), task.kernel, options, run);
  });
}

/// Doubles in memory are looked at where they stand; floats and sparse rows go in block by block.
template <class Options>
Fit in_blocks(const std::string& name, Task& task, const auto& fit, Options defaults = {}) {
  auto options = read_options<Options>(task.options, name, std::move(defaults));
  if (task.rows.is_double()) {
    options.weights = std::move(task.weights);
    return task.call(
        [&](const RunOptions& run) { return fit(task.rows.doubles(), task.kernel, options, run); });
  }
  return task.call([&](const RunOptions& run) {
    const auto source = task.rows.source(task.weights);
    return fit(*source, task.kernel, options, run);
  });
}

template <class Options>
using FitInMemory = Fit (*)(MatrixView<const double>, const Kernel&, const Options&,
                            const RunOptions&);

Fit fit_exact_here(MatrixView<const double> points, const Kernel& kernel,
                   const ExactOptions& options, const RunOptions& run) {
  return fit_exact(points, kernel, options, run);
}

/// A reduced set by the reduction that gives the method its name.
Fit reduced_set(Reduction reduction, const std::string& name, Task& task) {
  const bool streams = reduction == Reduction::shadow || reduction == Reduction::paring;
  ReducedSetOptions defaults;
  defaults.reduction.method = reduction;
  if (!streams) {
    return in_memory<ReducedSetOptions, static_cast<FitInMemory<ReducedSetOptions>>(
                                            fit_reduced_set)>(name, task, std::move(defaults));
  }
  return in_blocks<ReducedSetOptions>(
      name, task,
      [](auto&& rows, const Kernel& kernel, const ReducedSetOptions& options,
         const RunOptions& run) { return fit_reduced_set(rows, kernel, options, run); },
      std::move(defaults));
}

Fit feature_analysis(FeatureRule rule, const std::string& name, Task& task) {
  return in_memory<FeatureAnalysisOptions, fit_feature_analysis>(
      name, task, FeatureAnalysisOptions{.rule = rule});
}

const std::map<std::string, Method>& methods() {
  static const std::map<std::string, Method> all = {
      {"auto",
       [](const std::string& name, Task& task) {
         return in_blocks<AutoOptions>(
             name, task,
             [](auto&& rows, const Kernel& kernel, const auto& options, const auto& run) {
               return fit_auto(rows, kernel, options, run);
             });
       }},
      {"exact", [](const std::string& name,
                   Task& task) { return in_memory<ExactOptions, fit_exact_here>(name, task); }},
      {"landmarks",
       [](const std::string& name, Task& task) {
         return in_blocks<LandmarkOptions>(
             name, task,
             [](auto&& rows, const Kernel& kernel, const auto& options, const auto& run) {
               return fit_landmarks(rows, kernel, options, run);
             });
       }},
      {"random_features",
       [](const std::string& name, Task& task) {
         return in_blocks<RandomFeatureOptions>(
             name, task,
             [](auto&& rows, const Kernel& kernel, const auto& options, const auto& run) {
               return fit_random_features(rows, kernel, options, run);
             });
       }},
      {"greedy", [](const std::string& name,
                    Task& task) { return in_memory<GreedyOptions, fit_greedy>(name, task); }},
      {"partitioned",
       [](const std::string& name, Task& task) {
         return in_blocks<PartitionedOptions>(
             name, task,
             [](auto&& rows, const Kernel& kernel, const auto& options, const auto& run) {
               return fit_partitioned(rows, kernel, options, run);
             });
       }},
      {"shadow", std::bind_front(reduced_set, Reduction::shadow)},
      {"kmeans", std::bind_front(reduced_set, Reduction::kmeans)},
      {"paring", std::bind_front(reduced_set, Reduction::paring)},
      {"herding", std::bind_front(reduced_set, Reduction::herding)},
      {"akfa", std::bind_front(feature_analysis, FeatureRule::akfa)},
      {"ackfa", std::bind_front(feature_analysis, FeatureRule::ackfa)},
      {"skfa", std::bind_front(feature_analysis, FeatureRule::skfa)},
      {"randomized",
       [](const std::string& name, Task& task) {
         return in_memory<RandomizedOptions, fit_randomized>(name, task);
       }},
      {"kronecker",
       [](const std::string& name, Task& task) {
         return in_memory<KroneckerOptions, fit_kronecker>(name, task);
       }},
      {"laplacian_eigenmaps",
       [](const std::string& name, Task& task) {
         return in_memory<LaplacianEigenmapOptions,
                          static_cast<FitInMemory<LaplacianEigenmapOptions>>(
                              fit_laplacian_eigenmaps)>(name, task);
       }},
      {"diffusion_maps",
       [](const std::string& name, Task& task) {
         return in_memory<DiffusionMapOptions, static_cast<FitInMemory<DiffusionMapOptions>>(
                                                   fit_diffusion_maps)>(name, task);
       }},
  };
  return all;
}

BoundModel fit(const std::string& method, const py::object& points, const BoundKernel& kernel,
               const py::dict& options, const py::object& weights, RunSettings run) {
  const auto known = methods().find(method);
  if (known == methods().end()) {
    std::string all;
    for (const auto& [name, unused] : methods()) all += (all.empty() ? "" : ", ") + name;
    throw InvalidArgument("there is no method '" + method + "'; there are " + all);
  }
  if (kernel.is_python()) run.threads = 1;
  Rows rows(points);
  Call call(run);
  Task task{.rows = rows,
            .kernel = kernel.kernel(),
            .options = options,
            .weights = read_weights(weights),
            .call = call};
  BoundModel model{.model = known->second(method, task).model};
  if (std::holds_alternative<Custom>(kernel.kernel())) model.own_kernel = kernel;
  return model;
}

/// The kernel with the parameters that it left open found from the points.
BoundKernel resolve(const BoundKernel& kernel, const py::object& points) {
  Rows rows(points);
  const Kernel resolved = resolve_bandwidth(kernel.kernel(), rows.doubles()).kernel;
  const auto parameters = kernel_parameters(resolved);
  return {kernel.name(), {parameters.begin(), parameters.end()}, kernel.function()};
}

}  // namespace

void bind_fits(py::module_& module) {
  module.def("resolve", &resolve, py::arg("kernel"), py::arg("points"));
  module.def("fit", &fit, py::arg("method"), py::arg("points"), py::arg("kernel"),
             py::arg("options") = py::dict(), py::arg("weights") = py::none(),
             py::arg("run") = RunSettings{});
}

}  // namespace mercer::python
