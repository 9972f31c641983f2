#include "engine/parallel.h"

#include <atomic>
#include <stdexcept>

#include <gtest/gtest.h>

#include <mercer/error.h>

namespace mercer::engine {
namespace {

TEST(Workers, RunEveryTaskOnceForAnyNumberOfThreads) {
  for (const std::size_t threads : {1U, 2U, 4U, 7U}) {
    RunOptions run;
    run.threads = threads;
    Workers workers(run);
    for (const std::size_t count : {0U, 1U, 3U, 1000U}) {
      std::vector<std::atomic<int>> runs(count);
      workers.for_each(count, [&](std::size_t i) { ++runs[i]; });
      for (const auto& r : runs) EXPECT_EQ(r, 1);
    }
  }
}

TEST(Workers, PassOnTheFirstErrorAndStayUsable) {
  RunOptions run;
  run.threads = 4;
  Workers workers(run);
  EXPECT_THROW(workers.for_each(100,
                                [](std::size_t i) {
                                  if (i == 17) throw DataError("row 17");
                                }),
               DataError);
  std::atomic<int> runs = 0;
  workers.for_each(10, [&](std::size_t) { ++runs; });
  EXPECT_EQ(runs, 10);
}

TEST(Workers, LongTasksEndSoonAfterAnErrorElsewhere) {
  RunOptions run;
  run.threads = 4;
  Workers workers(run);
  EXPECT_THROW(workers.for_each(4,
                                [&](std::size_t i) {
                                  if (i == 0) throw DataError("stop");
                                  for (int spin = 0; spin < 1000000; ++spin) {
                                    std::this_thread::yield();
                                    workers.poll();
                                  }
                                }),
               DataError);
}

TEST(Workers, CancelFromTheCallingThreadOnly) {
  RunOptions run;
  run.threads = 3;
  const auto caller = std::this_thread::get_id();
  int polls = 0;
  bool elsewhere = false;
  run.cancelled = [&] {
    elsewhere |= std::this_thread::get_id() != caller;
    return ++polls > 5;
  };
  Workers workers(run);
  EXPECT_THROW(workers.for_each(1000000, [&](std::size_t) { workers.poll(); }), Cancelled);
  EXPECT_FALSE(elsewhere);
  EXPECT_GT(polls, 5);
}

TEST(Workers, ReportProgressWithinTheRangeOfThePhase) {
  RunOptions run;
  run.threads = 1;  // only the caller reports, and of two threads the other may do all the work
  std::vector<double> fractions;
  run.progress = [&](const Progress& progress) {
    EXPECT_EQ(progress.phase, "work");
    fractions.push_back(progress.fraction);
  };
  Workers workers(run);
  workers.begin_phase("work");
  workers.phase_range(0.25, 0.75);
  workers.for_each(200, [](std::size_t) {});
  ASSERT_EQ(fractions.size(), 201U);
  for (std::size_t i = 1; i < fractions.size(); ++i) {
    EXPECT_GE(fractions[i], 0.25);
    EXPECT_LE(fractions[i], 0.75);
    if (i > 1) {
      EXPECT_GT(fractions[i], fractions[i - 1]);
    }
  }
}

TEST(ThreadCount, ZeroMeansTheProcessors) {
  EXPECT_GE(thread_count(0), 1U);
  EXPECT_EQ(thread_count(3), 3U);
  EXPECT_LE(thread_count(1U << 30U), 1024U);
}

TEST(Workers, LargeTasksHaveAThreadToThemselves) {
  for (const std::size_t threads : {1U, 3U}) {
    Workers workers({.threads = threads});
    std::vector<std::size_t> inside(5);
    workers.for_each_alone(5, [&](std::size_t i, Workers& inner) {
      EXPECT_EQ(inner.threads(), 1U);
      std::size_t sum = 0;
      inner.for_each(10, [&](std::size_t j) { sum += i * j; });
      inside[i] = sum;
    });
    EXPECT_EQ(inside, (std::vector<std::size_t>{0, 45, 90, 135, 180}));
    workers.for_each_alone(
        1, [&](std::size_t, Workers& inner) { EXPECT_EQ(inner.threads(), threads); });
    const auto fail = [](std::size_t i, Workers&) {
      if (i == 2) throw DataError("no");
    };
    EXPECT_THROW(workers.for_each_alone(4, fail), DataError);
  }
}

TEST(Workers, LargeTasksCanBeCancelledFromTheirOwnLoops) {
  int polls = 0;
  RunOptions run;
  run.threads = 2;
  run.cancelled = [&] { return ++polls > 20; };
  Workers workers(run);
  const auto endless = [](std::size_t, Workers& inner) {
    for (;;) inner.for_each(4, [](std::size_t) {});
  };
  EXPECT_THROW(workers.for_each_alone(3, endless), Cancelled);
}

}  // namespace
}  // namespace mercer::engine
