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

bool Call::is_time() {
  constexpr std::chrono::milliseconds kBetweenLooks{20};
  const auto now = std::chrono::steady_clock::now();
  if (now - last_look_ < kBetweenLooks) return false;
  last_look_ = now;
  return true;
}

bool Call::interrupted() {
  if (raised_) return true;
  if (!is_time()) return false;
  const py::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() == 0) return false;
  raised_.emplace();
  return true;
}

void Call::report(const Progress& progress) {
  const bool is_new = progress.phase != last_phase_ || progress.fraction >= 1;
  if (raised_ || !(is_new || is_time())) return;
  last_phase_ = progress.phase;
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
