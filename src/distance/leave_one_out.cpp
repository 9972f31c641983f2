#include "distance/leave_one_out.h"

#include <algorithm>
#include <cmath>

#include "engine/tile.h"

namespace mercer::distance {

namespace {

constexpr std::size_t kChunk = 64;
/// Items that the map reproduces whatever it is fitted to say nothing of its errors.
constexpr double kLeastFreedom = 1e-9;

struct Sums {
  double relative = 0;
  double square = 0;
  std::size_t relative_pairs = 0;
  std::size_t pairs = 0;
};

}  // namespace

LeaveOneOut leave_one_out(const TrainingSquares& training, const AffineMap& map,
                          engine::Workers& workers) {
  const std::size_t n = training.items();
  const std::size_t s = training.sample.size();
  const std::size_t m = training.landmarks.size();
  const std::size_t width = engine::padded_columns(s);
  // The squared distances of the sample to the landmarks, m x s.
  Matrix<double> to_landmarks(m, width);
  for (std::size_t k = 0; k < m; ++k) {
    const auto row = training.squares.row(training.sample[training.landmarks[k]]);
    std::ranges::copy(row, to_landmarks.row(k).begin());
  }
  std::vector<double> factors(s, 0.0);  // 0: not left out
  for (std::size_t j = 0; j < s; ++j) {
    const double freedom = 1 - map.leverages[j];
    if (freedom > kLeastFreedom) factors[j] = 1 / freedom;
  }
  for (const std::size_t column : training.landmarks) factors[column] = 0;

  LeaveOneOut result{.sigma = std::vector<double>(n, 0.0)};
  const std::size_t chunks = (n + kChunk - 1) / kChunk;
  std::vector<Sums> sums(chunks);
  workers.for_each(chunks, [&](std::size_t chunk) {
    const std::size_t first = chunk * kChunk;
    const std::size_t count = std::min(kChunk, n - first);
    Matrix<double> estimates(count, width);
    engine::multiply_add({.m = count,
                          .n = width,
                          .k = m,
                          .a = map.weights.row(first).data(),
                          .a_row_stride = m,
                          .a_col_stride = 1,
                          .b = to_landmarks.data(),
                          .b_stride = width,
                          .c = estimates.data(),
                          .c_stride = width});
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t item = first + i;
      const auto truth = training.squares.row(item);
      double square = 0;
      std::size_t pairs = 0;
      for (std::size_t j = 0; j < s; ++j) {
        if (factors[j] == 0 || training.sample[j] == item) continue;
        const double error = std::abs(estimates(i, j) + map.offset[item] - truth[j]) * factors[j];
        square += error * error;
        ++pairs;
        if (truth[j] > 0) {
          sums[chunk].relative += error / truth[j];
          ++sums[chunk].relative_pairs;
        }
      }
      sums[chunk].square += square;
      sums[chunk].pairs += pairs;
      if (pairs > 0) result.sigma[item] = std::sqrt(square / static_cast<double>(pairs));
    }
  });
  Sums all;
  for (const Sums& part : sums) {
    all.relative += part.relative;
    all.square += part.square;
    all.relative_pairs += part.relative_pairs;
    all.pairs += part.pairs;
  }
  if (all.pairs == 0) result.sigma.clear();
  if (all.pairs > 0) result.mean_square = all.square / static_cast<double>(all.pairs);
  if (all.relative_pairs > 0) {
    result.relative_error = all.relative / static_cast<double>(all.relative_pairs);
  }
  return result;
}

}  // namespace mercer::distance
