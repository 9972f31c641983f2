#include "methods/union_library.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/greedy_pivots.h"
#include "engine/pivoted_cholesky.h"
#include "methods/block_algebra.h"
#include "methods/greedy_library.h"
#include "methods/landmark_pass.h"

namespace mercer::methods {

void UnionLibrary::pass(TrainingRows& data, bool center, FitRecord& record) {
  record.begin("pass");
  auto sums = landmark_sums(set_);
  add_rows(sums, kernel_, set_, data, {}, record.workers());
  evaluations_ += sums.kernel_evaluations;
  record.begin("components");
  spectrum_ = spectrum_of(sums, set_, center);
}

void UnionLibrary::take_all(TrainingRows& data, bool center, FitRecord& record) {
  record.begin("library");
  const std::size_t m = points_.rows();
  // The factor, then moments, scatter and eigenvectors.
  require_room(6 * engine::PartialCholesky::bytes(m, m), memory_limit_bytes_,
               "projecting on all libraries");
  set_ = independent_landmarks(kernel_, points_, record.workers());
  evaluations_ += static_cast<std::uint64_t>(m) * m;
  reason_ = "all that do not depend on others";
  pass(data, center, record);
}

void UnionLibrary::choose(const LibraryOptions& limits, TrainingRows& data, bool center,
                          const engine::RandomStream& stream, FitRecord& record) {
  // The points stand closer to each other than the rows to them: a little more than promised by
  // them saves the second pass most of the time.
  constexpr double kFirst = 0.8;
  constexpr int kMostRounds = 5;
  record.begin("library");
  LibraryOptions aim = limits;
  if (limits.mse) aim.mse = kFirst * *limits.mse;
  GreedyLibrary chosen(kernel_, points_, {}, 0, aim, stream, memory_limit_bytes_, record.workers());
  for (int round = 0;; ++round) {
    set_ = chosen.landmarks();
    reason_ = chosen.reason();
    require_room(6 * engine::PartialCholesky::bytes(set_.size(), set_.size()), memory_limit_bytes_,
                 "projecting on the library");
    pass(data, center, record);
    const double reached = spectrum_->residual_trace(set_.size()) / spectrum_->weight();
    if (limits.mse && reached <= *limits.mse) {
      cut(*limits.mse);
      reason_ = fmt::format("the mean square of all rows is at most {:g}", *limits.mse);
      break;
    }
    if (chosen.stop() != engine::PivotStop::mean_square || round == kMostRounds) break;
    record.begin("library");
    *aim.mse *= kFirst * *limits.mse / reached;
    chosen.grow(aim.mse);
  }
  evaluations_ += chosen.kernel_evaluations();
}

/// What each number of points leaves is known from the pass.
void UnionLibrary::cut(double mean_square) {
  const double most = mean_square * spectrum_->weight();
  std::size_t enough = set_.size();
  while (enough > 1 && spectrum_->residual_trace(enough - 1) <= most) --enough;
  if (enough == set_.size()) return;
  set_ = first_landmarks(set_, enough);
  spectrum_ = spectrum_->leading(enough);
}

}  // namespace mercer::methods
