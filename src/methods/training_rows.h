#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <mercer/kernel.h>
#include <mercer/matrix.h>
#include <mercer/rows.h>

#include "engine/parallel.h"
#include "engine/random.h"

namespace mercer::methods {

/// Consecutive rows of the training data.
struct Chunk {
  std::size_t first_row = 0;
  MatrixView<const double> points;
  std::span<const double> weights;  ///< empty: 1 each
};

/// The rows of a fit, from memory or from a source, in chunks cut at fixed row numbers, as often as
/// needed.
class TrainingRows {
 public:
  /// Nothing is copied; points and weights must stay.
  TrainingRows(MatrixView<const double> points, std::span<const double> weights);
  explicit TrainingRows(RowSource& source);

  std::size_t cols() const;
  /// Known from the beginning, or after one pass.
  std::optional<std::size_t> rows() const { return rows_; }
  /// The points where they are in memory as a whole.
  const std::optional<MatrixView<const double>>& in_memory() const { return memory_; }
  std::span<const double> memory_weights() const { return memory_weights_; }

  /// Every chunk in order; the progress of the current phase follows the rows.
  void for_each_chunk(std::size_t chunk_rows, const std::function<void(const Chunk&)>& use,
                      engine::Workers& workers);
  /// The same with chunks of different sizes: `rows_from` is how many begin with this row.
  void for_each_chunk(const std::function<std::size_t(std::size_t first_row)>& rows_from,
                      const std::function<void(const Chunk&)>& use, engine::Workers& workers);

 private:
  std::optional<MatrixView<const double>> memory_;
  std::span<const double> memory_weights_;
  RowSource* source_ = nullptr;
  std::optional<std::size_t> rows_;
};

/// Some rows with their weights (empty: 1 each).
struct RowSample {
  Matrix<double> points;
  std::vector<double> weights;
  std::vector<std::uint64_t> rows;  ///< where they stand in the data; samples are ascending
};

/// At most `count` of the rows, evenly spread over them: a sample stands in the order of the data,
/// so that its beginning is a sample of the beginning only.
RowSample spread_rows(const RowSample& sample, std::size_t count);

/// Rows that a missing kernel parameter is found from, whatever the method.
inline constexpr std::size_t kScaleRows = 5000;
engine::RandomStream scale_stream(std::uint64_t seed);

struct Samples {
  RowSample chosen;
  RowSample held_out;   ///< disjoint from `chosen`; empty when that has all rows
  RowSample requested;  ///< rows asked for by number, in the order asked
  RowSample for_scale;  ///< kScaleRows rows that the seed alone decides; empty unless asked for
  std::size_t rows = 0;
  double total_weight = 0;
};

/// Two uniform samples without replacement, in one pass. A row belongs to them by the rank of a
/// random key that depends on the seed and its number alone, so neither the number of rows nor
/// their source need be known. Throws DataError on rows the kernel cannot take and when there are
/// none, InvalidArgument on a requested row that does not exist or is asked for twice.
Samples sample_rows(TrainingRows& data, const Kernel& kernel, std::size_t chosen,
                    std::size_t held_out, std::span<const std::size_t> requested,
                    const engine::RandomStream& stream, engine::Workers& workers,
                    const std::optional<engine::RandomStream>& for_scale = std::nullopt);

}  // namespace mercer::methods
