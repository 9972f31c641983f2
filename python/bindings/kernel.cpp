#include "bindings/kernel.h"

#include <cmath>
#include <memory>
#include <span>
#include <utility>

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <mercer/error.h>

namespace py = pybind11;

namespace mercer::python {

namespace {

/// The library copies kernels where no interpreter lock is held, so the function itself is counted
/// by a pointer that takes the lock before it lets go.
std::shared_ptr<const py::object> shared_function(const py::object& function) {
  return {new py::object(function), [](const py::object* f) {
            const py::gil_scoped_acquire lock;
            delete f;
          }};
}

Custom python_function(const py::object& function) {
  return {
      .function =
          [f = shared_function(function)](std::span<const double> x, std::span<const double> y) {
            const py::gil_scoped_acquire lock;
            const auto row = [](std::span<const double> values) {
              return py::array_t<double>(static_cast<py::ssize_t>(values.size()), values.data());
            };
            return py::float_((*f)(row(x), row(y))).cast<double>();
          },
      .name = "function"};
}

double parameter(const std::map<std::string, double>& parameters, const char* name) {
  const auto found = parameters.find(name);
  if (found == parameters.end()) throw InvalidArgument(std::string(name) + " is missing");
  return found->second;
}

Custom real_polynomial(const std::map<std::string, double>& parameters) {
  return {.function =
              [gamma = parameter(parameters, "gamma"), coef0 = parameter(parameters, "coef0"),
               degree = parameter(parameters, "degree")](std::span<const double> x,
                                                         std::span<const double> y) {
                double product = 0;
                for (std::size_t j = 0; j < x.size(); ++j) product += x[j] * y[j];
                return std::pow(gamma * product + coef0, degree);
              },
          .name = "real_polynomial"};
}

Custom negative_chi2() {
  return {.function =
              [](std::span<const double> x, std::span<const double> y) {
                double sum = 0;
                for (std::size_t j = 0; j < x.size(); ++j) {
                  const double total = x[j] + y[j];
                  if (total != 0) sum -= (x[j] - y[j]) * (x[j] - y[j]) / total;
                }
                return sum;
              },
          .name = "negative_chi2"};
}

Kernel make(const std::string& name, const std::map<std::string, double>& parameters,
            const py::object& function) {
  if (name == "function") return python_function(function);
  if (name == "real_polynomial") return real_polynomial(parameters);
  if (name == "negative_chi2") return negative_chi2();
  return make_kernel(name, {parameters.begin(), parameters.end()});
}

}  // namespace

BoundKernel::BoundKernel(std::string name, std::map<std::string, double> parameters,
                         py::object function)
    : name_(std::move(name)),
      parameters_(std::move(parameters)),
      function_(std::move(function)),
      kernel_(make(name_, parameters_, function_)) {}

void bind_kernel(py::module_& module) {
  py::class_<BoundKernel>(module, "Kernel")
      .def(py::init<std::string, std::map<std::string, double>, py::object>(), py::arg("name"),
           py::arg("parameters") = std::map<std::string, double>{},
           py::arg("function") = py::none())
      .def_property_readonly("name", &BoundKernel::name)
      .def_property_readonly("parameters", &BoundKernel::parameters)
      .def_property_readonly("function", &BoundKernel::function)
      .def(py::pickle(
          [](const BoundKernel& kernel) {
            return py::make_tuple(kernel.name(), kernel.parameters(), kernel.function());
          },
          [](const py::tuple& state) {
            return BoundKernel(state[0].cast<std::string>(),
                               state[1].cast<std::map<std::string, double>>(),
                               state[2].cast<py::object>());
          }));
}

}  // namespace mercer::python
