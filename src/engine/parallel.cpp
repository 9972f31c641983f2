#include "engine/parallel.h"

#include <algorithm>
#include <system_error>

#include <mercer/error.h>

namespace mercer::engine {

std::size_t thread_count(std::size_t asked) {
  constexpr std::size_t kMostThreads = 1024;
  if (asked != 0) return std::min(asked, kMostThreads);
  return std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kMostThreads);
}

Workers::Workers(const RunOptions& run) : run_(run), threads_(thread_count(run.threads)) {}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
}

void Workers::start_threads() {
  pool_.reserve(threads_ - 1);
  try {
    while (pool_.size() + 1 < threads_) pool_.emplace_back([this] { worker_loop(); });
  } catch (const std::system_error&) {
    threads_ = pool_.size() + 1;  // the system gives no more; the work gets done all the same
  }
}

void Workers::worker_loop() {
  std::uint64_t seen = 0;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return stopping_ || generation_ != seen; });
      if (stopping_) return;
      seen = generation_;
    }
    run_tasks(/*is_caller=*/false);
    {
      const std::lock_guard lock(mutex_);
      --active_;
    }
    done_.notify_one();
  }
}

void Workers::run_tasks(bool is_caller) {
  try {
    for (;;) {
      const std::size_t i = next_.fetch_add(1, std::memory_order_relaxed);
      if (i >= count_) return;
      if (is_caller) {
        check_cancelled();
        report(static_cast<double>(i) / static_cast<double>(count_));
      }
      (*task_)(i);
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::current_exception();
    next_.store(count_, std::memory_order_relaxed);
    aborting_.store(true, std::memory_order_relaxed);
  }
}

void Workers::for_each(std::size_t count, const std::function<void(std::size_t)>& task) {
  if (count == 0) return;
  task_ = &task;
  count_ = count;
  next_.store(0, std::memory_order_relaxed);
  aborting_.store(false, std::memory_order_relaxed);
  error_ = nullptr;
  caller_ = std::this_thread::get_id();
  const bool shared = threads_ > 1 && count > 1;
  if (shared) {
    if (pool_.empty()) start_threads();
    {
      const std::lock_guard lock(mutex_);
      active_ = pool_.size();
      ++generation_;
    }
    wake_.notify_all();
  }
  run_tasks(/*is_caller=*/true);
  if (shared) {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&] { return active_ == 0; });
  }
  if (error_) std::rethrow_exception(error_);
}

void Workers::for_each_alone(std::size_t count,
                             const std::function<void(std::size_t, Workers&)>& task) {
  if (count == 1) return task(0, *this);
  for_each(count, [&](std::size_t i) {
    RunOptions alone;
    alone.threads = 1;
    alone.cancelled = [&] {
      poll();
      return false;
    };
    Workers inner(alone);
    task(i, inner);
  });
}

void Workers::begin_phase(std::string_view phase) {
  phase_ = phase;
  by_rows_ = false;
  phase_range(0, 1);
  check_cancelled();
  report(0);
}

void Workers::phase_range(double from, double to) {
  range_from_ = from;
  range_to_ = to;
}

void Workers::report(double fraction) {
  if (!run_.progress || phase_.empty() || by_rows_) return;
  run_.progress({.phase = phase_, .fraction = range_from_ + (range_to_ - range_from_) * fraction});
}

void Workers::report_rows(std::uint64_t done, std::optional<std::uint64_t> total) {
  by_rows_ = true;
  check_cancelled();
  if (!run_.progress || phase_.empty()) return;
  const double fraction =
      total && *total > 0 ? static_cast<double>(done) / static_cast<double>(*total) : 0;
  run_.progress(
      {.phase = phase_, .fraction = fraction, .rows_done = done, .rows_total = total.value_or(0)});
}

void Workers::check_cancelled() const {
  if (run_.cancelled && run_.cancelled()) throw Cancelled();
}

void Workers::poll() {
  if (std::this_thread::get_id() == caller_) {
    check_cancelled();
  } else if (aborting_.load(std::memory_order_relaxed)) {
    throw Cancelled();  // the error that stopped the loop was recorded before this one
  }
}

}  // namespace mercer::engine
