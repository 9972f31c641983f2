#pragma once

#include <map>
#include <string>

#include <pybind11/pybind11.h>

#include <mercer/kernel.h>

namespace mercer::python {

/// A kernel by its name in this library, with parameters by theirs. Besides, without a file format
/// of their own, "function" (a Python function of two rows), "real_polynomial" (a degree that is no
/// whole number) and "negative_chi2" (-sum (x - y)^2 / (x + y)).
class BoundKernel {
 public:
  BoundKernel(std::string name, std::map<std::string, double> parameters,
              pybind11::object function);

  const Kernel& kernel() const { return kernel_; }
  const std::string& name() const { return name_; }
  const std::map<std::string, double>& parameters() const { return parameters_; }
  const pybind11::object& function() const { return function_; }
  /// Python runs one thread at a time.
  bool is_python() const { return !function_.is_none(); }

 private:
  std::string name_;
  std::map<std::string, double> parameters_;
  pybind11::object function_;
  Kernel kernel_;
};

void bind_kernel(pybind11::module_& module);

}  // namespace mercer::python
