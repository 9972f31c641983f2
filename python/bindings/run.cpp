#include "bindings/run.h"

#include <string>

namespace py = pybind11;

namespace mercer::python {

Call::Call(const RunSettings& settings) : progress_(settings.progress) {
  options_.threads = settings.threads;
  options_.seed = settings.seed;
  options_.memory_limit_bytes = settings.memory_limit_bytes;
  options_.cancelled = [this] { return interrupted(); };
  if (!progress_.is_none()) {
    options_.progress = [this](const Progress& progress) { report(progress); };
  }
}

bool Call::interrupted() {
  if (raised_) return true;
  const py::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() == 0) return false;
  raised_.emplace();
  return true;
}

void Call::report(const Progress& progress) {
  if (raised_) return;
  const py::gil_scoped_acquire lock;
  try {
    progress_(std::string(progress.phase), progress.fraction, progress.rows_done,
              progress.rows_total);
  } catch (const py::error_already_set& error) {
    raised_ = error;
  }
}

void bind_run(py::module_& module) {
  py::class_<RunSettings>(module, "Run")
      .def(py::init([](std::size_t threads, std::uint64_t seed, std::size_t memory_limit,
                       py::object progress) {
             return RunSettings{.threads = threads,
                                .seed = seed,
                                .memory_limit_bytes = memory_limit,
                                .progress = std::move(progress)};
           }),
           py::arg("threads") = 0, py::arg("seed") = 0, py::arg("memory_limit") = 0,
           py::arg("progress") = py::none());
}

}  // namespace mercer::python
