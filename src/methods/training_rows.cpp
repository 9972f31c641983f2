#include "methods/training_rows.h"

#include <algorithm>
#include <limits>
#include <queue>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include <mercer/error.h>

#include "engine/kernel_value.h"

namespace mercer::methods {

TrainingRows::TrainingRows(MatrixView<const double> points, std::span<const double> weights)
    : memory_(points), memory_weights_(weights), rows_(points.rows()) {}

TrainingRows::TrainingRows(RowSource& source) : source_(&source), rows_(source.rows()) {}

std::size_t TrainingRows::cols() const {
  return memory_ ? memory_->cols() : source_->cols();
}

void TrainingRows::for_each_chunk(std::size_t chunk_rows,
                                  const std::function<void(const Chunk&)>& use,
                                  engine::Workers& workers) {
  for_each_chunk([=](std::size_t) { return chunk_rows; }, use, workers);
}

void TrainingRows::for_each_chunk(
    const std::function<std::size_t(std::size_t first_row)>& rows_from,
    const std::function<void(const Chunk&)>& use, engine::Workers& workers) {
  if (memory_) {
    std::size_t count = 0;
    for (std::size_t first = 0; first < memory_->rows(); first += count) {
      count = std::min(rows_from(first), memory_->rows() - first);
      workers.report_rows(first, memory_->rows());
      use({.first_row = first,
           .points = memory_->rows_from(first, count),
           .weights =
               memory_weights_.empty() ? memory_weights_ : memory_weights_.subspan(first, count)});
    }
    return;
  }
  source_->rewind();
  std::size_t first = 0;
  while (auto block = source_->next(rows_from(first))) {
    workers.report_rows(first, rows_);
    const std::vector<double> weights = std::move(block->weights);
    const Matrix<double> points = std::move(*block).dense();
    use({.first_row = first, .points = points, .weights = weights});
    first += points.rows();
  }
  rows_ = first;
}

namespace {

/// Rows on their way into a sample, in slots of one matrix that grows up to its capacity. Rows that
/// stay where they are, in memory as a whole, are not copied before the end.
class SampleRows {
 public:
  SampleRows(std::size_t capacity, const TrainingRows& data)
      : capacity_(capacity), cols_(data.cols()), memory_(data.in_memory()) {}

  void offer(std::uint64_t key, std::uint64_t row, std::span<const double> point, double weight) {
    if (best_.size() < capacity_) {
      best_.push({.key = key, .row = row, .slot = best_.size()});
      if (!memory_) values_.insert(values_.end(), point.begin(), point.end());
      weights_.push_back(weight);
      return;
    }
    if (capacity_ == 0 || !(Entry{key, row, 0} < best_.top())) return;
    const std::size_t slot = best_.top().slot;
    best_.pop();
    best_.push({.key = key, .row = row, .slot = slot});
    if (!memory_) {
      std::ranges::copy(point, values_.begin() + static_cast<std::ptrdiff_t>(slot * cols_));
    }
    weights_[slot] = weight;
  }

  /// The `first` rows of smallest key, and those that follow.
  std::pair<RowSample, RowSample> split(std::size_t first, bool weighted) && {
    std::vector<Entry> entries;
    for (; !best_.empty(); best_.pop()) entries.push_back(best_.top());
    std::ranges::reverse(entries);
    first = std::min(first, entries.size());
    const auto middle = entries.begin() + static_cast<std::ptrdiff_t>(first);
    return {gather({entries.begin(), middle}, weighted), gather({middle, entries.end()}, weighted)};
  }

 private:
  struct Entry {
    std::uint64_t key = 0;
    std::uint64_t row = 0;
    std::size_t slot = 0;
    bool operator<(const Entry& other) const {
      return std::pair(key, row) < std::pair(other.key, other.row);
    }
  };

  RowSample gather(std::vector<Entry> entries, bool weighted) const {
    std::ranges::sort(entries, {}, &Entry::row);
    RowSample sample;
    sample.points = Matrix<double>::uninitialized(entries.size(), cols_);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const std::size_t slot = entries[i].slot;
      const double* point =
          memory_ ? memory_->row(entries[i].row).data() : values_.data() + slot * cols_;
      std::copy_n(point, cols_, sample.points.row(i).begin());
      if (weighted) sample.weights.push_back(weights_[slot]);
      sample.rows.push_back(entries[i].row);
    }
    return sample;
  }

  std::size_t capacity_;
  std::size_t cols_;
  std::optional<MatrixView<const double>> memory_;
  std::priority_queue<Entry> best_;  // largest key on top
  std::vector<double> values_;
  std::vector<double> weights_;
};

/// The rows asked for by number.
class RequestedRows {
 public:
  RequestedRows(std::span<const std::size_t> rows, std::size_t cols) {
    sample_.points = Matrix<double>::uninitialized(rows.size(), cols);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      sample_.rows.push_back(rows[i]);
      if (!places_.emplace(rows[i], i).second) {
        throw InvalidArgument(fmt::format("landmark row {} is given twice", rows[i]));
      }
    }
  }

  void look_at(const Chunk& chunk) {
    if (places_.empty()) return;
    for (std::size_t i = 0; i < chunk.points.rows(); ++i) {
      const auto place = places_.find(chunk.first_row + i);
      if (place == places_.end()) continue;
      std::ranges::copy(chunk.points.row(i), sample_.points.row(place->second).begin());
      if (!chunk.weights.empty()) {
        sample_.weights.resize(sample_.rows.size(), 1.0);
        sample_.weights[place->second] = chunk.weights[i];
      }
      ++found_;
    }
  }

  RowSample take(std::size_t rows) && {
    if (found_ < places_.size()) {
      const auto missing = *std::ranges::max_element(sample_.rows);
      throw InvalidArgument(fmt::format(
          "landmark row {} does not exist: the data have rows 0 to {}", missing, rows - 1));
    }
    return std::move(sample_);
  }

 private:
  RowSample sample_;
  std::unordered_map<std::size_t, std::size_t> places_;
  std::size_t found_ = 0;
};

}  // namespace

RowSample spread_rows(const RowSample& sample, std::size_t count) {
  const std::size_t all = sample.points.rows();
  if (all <= count) return sample;
  RowSample spread;
  spread.points = Matrix<double>::uninitialized(count, sample.points.cols());
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t row = i * all / count;
    std::ranges::copy(sample.points.row(row), spread.points.row(i).begin());
    if (!sample.weights.empty()) spread.weights.push_back(sample.weights[row]);
    spread.rows.push_back(sample.rows[row]);
  }
  return spread;
}

engine::RandomStream scale_stream(std::uint64_t seed) {
  constexpr std::uint64_t kScaleStream = 0x7363616c65;
  return engine::RandomStream(seed).substream(kScaleStream);
}

Samples sample_rows(TrainingRows& data, const Kernel& kernel, std::size_t chosen,
                    std::size_t held_out, std::span<const std::size_t> requested,
                    const engine::RandomStream& stream, engine::Workers& workers,
                    const std::optional<engine::RandomStream>& for_scale) {
  constexpr std::size_t kChunkRows = 4096;
  const std::size_t most = std::numeric_limits<std::size_t>::max();
  SampleRows sample(chosen + std::min(held_out, most - chosen), data);
  SampleRows scale(kScaleRows, data);
  RequestedRows by_number(requested, data.cols());
  bool weighted = false;
  std::size_t rows = 0;
  double total_weight = 0;
  data.for_each_chunk(
      kChunkRows,
      [&](const Chunk& chunk) {
        engine::check_new_points(kernel, chunk.points, chunk.first_row);
        weighted = weighted || !chunk.weights.empty();
        for (std::size_t i = 0; i < chunk.points.rows(); ++i) {
          const std::size_t row = chunk.first_row + i;
          const double weight = chunk.weights.empty() ? 1.0 : chunk.weights[i];
          sample.offer(stream.bits(row), row, chunk.points.row(i), weight);
          if (for_scale) scale.offer(for_scale->bits(row), row, chunk.points.row(i), weight);
          total_weight += weight;
        }
        by_number.look_at(chunk);
        rows += chunk.points.rows();
      },
      workers);
  if (rows == 0) throw DataError("there are no rows");
  auto [first, second] = std::move(sample).split(chosen, weighted);
  return {.chosen = std::move(first),
          .held_out = std::move(second),
          .requested = std::move(by_number).take(rows),
          .for_scale = std::move(scale).split(kScaleRows, weighted).first,
          .rows = rows,
          .total_weight = total_weight};
}

}  // namespace mercer::methods
