#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

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
      if constexpr (std::is_void_v<decltype(work(options_))>) {
        without_lock(work);
        raise();
      } else {
        auto result = without_lock(work);
        raise();
        return result;
      }
    } catch (const Error&) {
      raise();
      throw;
    }
  }

 private:
  template <class Work>
  auto without_lock(Work& work) {
    const pybind11::gil_scoped_release unlock;
    return work(options_);
  }
  /// Throws what Python raised, if it did.
  void raise() {
    if (raised_) throw *raised_;  // NOLINT(misc-throw-by-value-catch-by-reference)
  }
  bool interrupted();
  void report(const Progress& progress);
  /// Whether the last look at Python is some time ago: each takes the interpreter's lock.
  bool is_time();

  pybind11::object progress_;
  std::optional<pybind11::error_already_set> raised_;
  std::chrono::steady_clock::time_point last_look_{};
  std::string last_phase_;
  RunOptions options_;
};

}  // namespace mercer::python
