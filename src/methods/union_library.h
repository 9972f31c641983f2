#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <mercer/greedy.h>
#include <mercer/kernel.h>
#include <mercer/matrix.h>

#include "engine/random.h"
#include "methods/fit_record.h"
#include "methods/landmark_set.h"
#include "methods/landmark_spectrum.h"
#include "methods/training_rows.h"

namespace mercer::methods {

/// Points out of the libraries of all blocks, and all rows seen through them: one pass over the
/// rows for each attempt.
class UnionLibrary {
 public:
  /// `points` must stay.
  UnionLibrary(Kernel kernel, MatrixView<const double> points, double memory_limit_bytes)
      : kernel_(std::move(kernel)), points_(points), memory_limit_bytes_(memory_limit_bytes) {}

  /// All points but those that depend on the ones before. Throws MemoryLimitError.
  void take_all(TrainingRows& data, bool center, FitRecord& record);

  /// As many as a greedy choice among them needs for the limits. The mean square is that of the
  /// rows, which the pass finds out: where the points promised too much more are taken, and no more
  /// are kept than it needs.
  void choose(const LibraryOptions& limits, TrainingRows& data, bool center,
              const engine::RandomStream& stream, FitRecord& record);

  const LandmarkSet& set() const { return set_; }
  const LandmarkSpectrum& spectrum() const { return *spectrum_; }
  const std::string& reason() const { return reason_; }
  std::uint64_t kernel_evaluations() const { return evaluations_; }

 private:
  void pass(TrainingRows& data, bool center, FitRecord& record);
  void cut(double mean_square);
  std::size_t size_for(double mean_square) const;

  Kernel kernel_;
  MatrixView<const double> points_;
  double memory_limit_bytes_;
  LandmarkSet set_;
  std::optional<LandmarkSpectrum> spectrum_;
  std::string reason_;
  std::uint64_t evaluations_ = 0;
};

}  // namespace mercer::methods
