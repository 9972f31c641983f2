#include <algorithm>

#include "engine/kernel_value.h"
#include "engine/pivoted_cholesky.h"
#include "engine/weighted_draw.h"
#include "methods/landmark_choice.h"

namespace mercer::methods {

namespace {

/// Independent draws from the masses of a stream of rows whose total is known only at the end: each
/// slot is taken over by a row of the current chunk with the share of the chunk in the total so
/// far.
class ProposalReservoir {
 public:
  ProposalReservoir(std::size_t slots, std::size_t cols, const engine::RandomStream& stream)
      : points_(slots, cols), stream_(stream) {}

  void add(MatrixView<const double> points, std::span<const double> masses) {
    const engine::WeightedDraw draw(masses);
    if (!(draw.total() > 0)) return;
    total_ += draw.total();
    for (std::size_t slot = 0; slot < points_.rows(); ++slot) {
      const double lottery = stream_.uniform(position_++);
      const double within = stream_.uniform(position_++);
      if (lottery * total_ < draw.total()) {
        std::ranges::copy(points.row(draw.draw(within)), points_.row(slot).begin());
      }
    }
  }

  bool empty() const { return total_ == 0; }
  MatrixView<const double> points() const { return points_; }

 private:
  Matrix<double> points_;
  engine::RandomStream stream_;
  std::uint64_t position_ = 0;
  double total_ = 0;
};

Matrix<double> stacked(MatrixView<const double> above, MatrixView<const double> below) {
  auto all = Matrix<double>::uninitialized(above.rows() + below.rows(), above.cols());
  for (std::size_t i = 0; i < above.rows(); ++i) {
    std::ranges::copy(above.row(i), all.row(i).begin());
  }
  for (std::size_t i = 0; i < below.rows(); ++i) {
    std::ranges::copy(below.row(i), all.row(above.rows() + i).begin());
  }
  return all;
}

}  // namespace

LandmarkSet refine_landmarks(const Kernel& kernel, const LandmarkSet& set, std::size_t count,
                             TrainingRows& data, const engine::RandomStream& stream,
                             engine::Workers& workers) {
  constexpr std::size_t kChunkRows = 1920;
  // About half of the proposals survive the rejection.
  ProposalReservoir reservoir(2 * (count - set.size()), data.cols(), stream);
  data.for_each_chunk(
      kChunkRows,
      [&](const Chunk& chunk) {
        auto masses = landmark_residuals(kernel, set, chunk.points, workers);
        for (std::size_t i = 0; i < chunk.weights.size(); ++i) masses[i] *= chunk.weights[i];
        reservoir.add(chunk.points, masses);
      },
      workers);
  if (reservoir.empty()) return first_landmarks(set, set.size());

  // The landmarks so far and the proposals, as one small problem: rejection goes on from there.
  const Matrix<double> points = stacked(set.points, reservoir.points());
  engine::PartialCholesky factor(kernel, points, count, workers);
  std::vector<std::size_t> rows(points.rows());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i;
  constexpr std::size_t kBatch = 128;
  const auto in_batches = [&](std::size_t begin, std::size_t end,
                              const engine::PartialCholesky::Accept& accept) {
    for (; begin < end && factor.rank() < count; begin += kBatch) {
      const std::size_t size = std::min(kBatch, end - begin);
      factor.append(
          std::span(rows).subspan(begin, size), count - factor.rank(),
          accept ? engine::PartialCholesky::Accept([&, begin](std::size_t j, double now, double) {
            return accept(begin + j, now, 0);
          })
                 : accept);
    }
  };
  in_batches(0, set.size(), {});
  const std::vector<double> drawn_by(factor.residuals().begin(), factor.residuals().end());
  const engine::RandomStream chances = stream.substream(1);
  in_batches(set.size(), rows.size(), [&](std::size_t row, double now, double) {
    return chances.uniform(row) * drawn_by[row] < now;
  });
  return {.points = pick_rows(points, factor.pivots()), .lower = factor.pivot_factor()};
}

}  // namespace mercer::methods
