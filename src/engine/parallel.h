#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include <mercer/run.h>

namespace mercer::engine {

/// The threads of one fit or transform call, with its progress and cancellation. They start with
/// the first parallel loop that is worth it and wait between loops; BLAS stays on one thread
/// meanwhile.
///
/// Determinism: a loop hands out task numbers in order to whoever is free, so results must depend
/// on the task alone, never on the thread. Sums over tasks are made afterwards, in task order.
class Workers {
 public:
  explicit Workers(const RunOptions& run);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  std::size_t threads() const { return threads_; }

  /// Runs task(0) .. task(count - 1). The first exception thrown by a task reaches the caller after
  /// all threads have stopped; throws Cancelled when the run was cancelled.
  void for_each(std::size_t count, const std::function<void(std::size_t)>& task);

  /// The same for tasks that are large and bring loops of their own: each has one thread to itself,
  /// a single one has all.
  void for_each_alone(std::size_t count, const std::function<void(std::size_t, Workers&)>& task);

  /// Names what is going on; the progress of loops is then reported between `from` and `to`.
  void begin_phase(std::string_view phase);
  /// Sets the part of the phase that the following loops make up.
  void phase_range(double from, double to);
  /// For passes over rows that consist of many small loops: reports where the pass stands, and the
  /// loops report nothing until the next phase. Also looks for cancellation.
  void report_rows(std::uint64_t done, std::optional<std::uint64_t> total);
  /// Polls the cancel callback; throws Cancelled. Calling thread only.
  void check_cancelled() const;
  /// For long tasks: looks for cancellation on the calling thread, and on the others for the end of
  /// the loop by an error elsewhere.
  void poll();

 private:
  void start_threads();
  void worker_loop();
  void run_tasks(bool is_caller);
  void report(double fraction);

  RunOptions run_;
  std::size_t threads_;
  std::string_view phase_;
  double range_from_ = 0;
  double range_to_ = 1;
  bool by_rows_ = false;

  // State of the current loop, shared with the waiting threads.
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  std::uint64_t generation_ = 0;
  std::size_t active_ = 0;
  bool stopping_ = false;
  const std::function<void(std::size_t)>* task_ = nullptr;
  std::size_t count_ = 0;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> aborting_{false};
  std::thread::id caller_;
  std::exception_ptr error_;
  std::vector<std::jthread> pool_;
};

/// Number of threads for `asked`: itself, or one per processor the process may run on when 0.
std::size_t thread_count(std::size_t asked);

}  // namespace mercer::engine
