#pragma once

#include <optional>

#include <pybind11/pybind11.h>

#include <mercer/model.h>

#include "bindings/kernel.h"

namespace mercer::python {

/// A model, and its kernel as Python knows it where that has a function, which no file can hold.
struct BoundModel {
  Model model;
  std::optional<BoundKernel> own_kernel{};
};

void bind_model(pybind11::module_& module);

}  // namespace mercer::python
