#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <pybind11/pybind11.h>

#include <mercer/error.h>
#include <mercer/run.h>

namespace mercer::python {

/// How to run, from Python's side: a function that is told of the progress, or None.
struct RunSettings {
  std::size_t threads = 0;
  std::uint64_t seed = 0;
  std::size_t memory_limit_bytes = 0;
  pybind11::object progress = pybind11::none();
};

void bind_run(pybind11::module_& module);

/// One call into the library: without the interpreter lock, but with an ear for Ctrl-C.
class Call {
 public:
  explicit Call(const RunSettings& settings);

  /// What `work` returns, called with the options of the run. What Python raised on the way
  /// (KeyboardInterrupt, an error in `progress`) is raised here.
  template <class Work>
  auto operator()(Work work) {
    try {
      const pybind11::gil_scoped_release unlock;
      return work(options_);
    } catch (const Cancelled&) {
      if (raised_) throw *raised_;  // NOLINT(misc-throw-by-value-catch-by-reference)
      throw;
    }
  }

 private:
  bool interrupted();
  void report(const Progress& progress);

  pybind11::object progress_;
  std::optional<pybind11::error_already_set> raised_;
  RunOptions options_;
};

}  // namespace mercer::python
