#include "methods/union_library.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

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
  spectrum_ = spectrum_of(sums, set_, center, record.workers());
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
  // What the choice leaves of the points is only a hint at what it leaves of the rows: a little
  // more saves the second pass most of the time.
  constexpr double kFirst = 0.8;
  record.begin("library");
  LibraryOptions aim = limits;
  if (limits.mse) aim.mse = kFirst * *limits.mse;
  GreedyLibrary chosen(kernel_, points_, {}, 0, aim, stream, memory_limit_bytes_, record.workers());
  for (;;) {
    set_ = chosen.landmarks();
    reason_ = chosen.reason();
    require_room(6 * engine::PartialCholesky::bytes(set_.size(), set_.size()), memory_limit_bytes_,
                 "projecting on the library");
    pass(data, center, record);
    if (!limits.mse) break;
    if (spectrum_->residual_trace(set_.size()) <= *limits.mse * spectrum_->weight()) {
      cut(*limits.mse);
      reason_ = fmt::format("the mean square of all rows is at most {:g}", *limits.mse);
      break;
    }
    record.begin("library");
    chosen.grow_to(size_for(*limits.mse));
    if (chosen.size() == set_.size()) break;
  }
  evaluations_ += chosen.kernel_evaluations();
}

/// Residuals fall like a power of the number of points over a doubling or two; the last quarter
/// tells which, and a tenth more makes up for its change. An eighth more at least and twice as many
/// at most: rounds are few, and points beyond what is needed are cut.
std::size_t UnionLibrary::size_for(double mean_square) const {
  const std::size_t m = set_.size();
  const std::size_t fewer = m - m / 4;
  const auto size = static_cast<double>(m);
  const double now = spectrum_->residual_trace(m);
  const double before = spectrum_->residual_trace(fewer);
  const double power =
      before > now ? std::log(before / now) / std::log(size / static_cast<double>(fewer)) : 0;
  const double ratio = now / (mean_square * spectrum_->weight());
  const double needed = power > 0 ? 1.1 * size * std::pow(ratio, 1 / power) : 2 * size;
  return static_cast<std::size_t>(std::clamp(needed, 1.125 * size + 1, 2 * size + 1));
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
