// Reading delimited text.

#include <filesystem>
#include <string>
#include <unistd.h>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <mercer/data.h>

#include "bench/micro/best_time.h"
#include "bench/micro/random_points.h"

namespace mercer::bench {
namespace {

/// A CSV file of normal points with all their digits, gone at the end.
class TextFile {
 public:
  TextFile()
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("mercer_bench_{}.csv", getpid())) {
    RowWriter writer(path_, 16);
    writer.write(normal_points(20'000, 16).view());
    writer.finish();
  }
  ~TextFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

void read_csv(benchmark::State& state) {
  const TextFile file;
  MachineBound<double> bound;
  const double seconds =
      best_time(state, bound, [&] { benchmark::DoNotOptimize(read_table(file.path())); });
  state.counters["megabytes_per_second"] =
      static_cast<double>(std::filesystem::file_size(file.path())) / seconds * 1e-6;
}

BENCHMARK(read_csv)->UseManualTime();

}  // namespace
}  // namespace mercer::bench
