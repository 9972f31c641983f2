#include "distance/measured_items.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include <fmt/format.h>

#include <mercer/error.h>

#include "distance/conditional_definiteness.h"
#include "engine/random.h"
#include "system/memory.h"

namespace mercer::distance {

namespace {

constexpr std::uint64_t kSampleStream = 0x73616d706c65;
constexpr std::uint64_t kCheckStream = 0x636865636b;

void check_items(const SparseDistanceOptions& options, std::size_t n) {
  const auto check = [&](std::span<const std::size_t> items, const char* field) {
    for (const std::size_t item : items) {
      if (item < n) continue;
      throw InvalidArgument(
          fmt::format("{} has item {}, but items are numbered from 0 to {}", field, item, n - 1));
    }
  };
  check(options.landmark_items, "landmark_items");
  check(options.candidates, "candidates");
}

/// Ascending. Items that may become landmarks are taken before others.
std::vector<std::size_t> choose_sample(const SparseDistanceOptions& options, std::size_t n,
                                       std::uint64_t seed) {
  std::vector<std::size_t> sample(n);
  std::iota(sample.begin(), sample.end(), std::size_t{0});
  if (options.sample == 0 || options.sample >= n) return sample;
  const std::size_t least = std::max(options.landmark_items.size(), options.landmarks.value_or(1));
  if (options.sample < least) {
    throw InvalidArgument(
        fmt::format("sample is {}: it must hold the {} landmarks", options.sample, least));
  }
  const auto stream = engine::RandomStream(seed).substream(kSampleStream);
  const auto order = engine::sample_without_replacement(n, n, stream);
  std::vector<char> first(n, 0);
  for (const std::size_t item : options.landmark_items) first[item] = 1;
  for (const std::size_t item : options.candidates) first[item] = 1;
  sample.clear();
  for (const char wanted : {1, 0}) {
    std::ranges::copy_if(order, std::back_inserter(sample),
                         [&](std::size_t item) { return first[item] == wanted; });
  }
  sample.resize(options.sample);
  std::ranges::sort(sample);
  return sample;
}

void check_memory(std::size_t items, std::size_t sample, double limit) {
  const auto n = static_cast<double>(items);
  const auto s = static_cast<double>(sample);
  // Squares, the kernel matrix, its packed copy and a strip of its square.
  const double needed = sizeof(double) * (n * s + 2 * s * s + std::min(s, 512.0) * s);
  if (needed <= limit) return;
  throw MemoryLimitError(fmt::format(
      "the distances of {} items need {}, more than the limit of {}: fit to a sample of "
      "them, or raise the limit",
      items, system::format_bytes(needed), system::format_bytes(limit)));
}

bool repairs(IndefinitePolicy policy) {
  return policy == IndefinitePolicy::clip || policy == IndefinitePolicy::shift;
}

/// Squares of some items of the sample among each other.
Matrix<double> squares_among(const MeasuredItems& items, std::span<const std::size_t> columns) {
  Matrix<double> among(columns.size(), columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (std::size_t j = 0; j < columns.size(); ++j) {
      among(i, j) = items.squares(items.sample[columns[i]], columns[j]);
    }
  }
  return among;
}

void check_definiteness(MeasuredItems& items, IndefinitePolicy policy, methods::FitRecord& record) {
  constexpr std::size_t kMostChecked = 2000;
  constexpr std::size_t kSubset = 500;
  std::vector<std::size_t> columns(items.sample.size());
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  if (columns.size() > kMostChecked && !repairs(policy)) {
    const auto stream = engine::RandomStream(record.seed()).substream(kCheckStream);
    columns = engine::sample_without_replacement(items.sample.size(), kSubset, stream);
  }
  Matrix<double> among = squares_among(items, columns);
  const Definiteness found = measure_definiteness(among);
  items.negative_share = found.negative_share;
  items.checked_items = columns.size();
  items.indefinite = !found.holds;
  if (found.holds) return;
  const std::string text = fmt::format(
      "the squared distances are not conditionally negative definite (negative share {:.2g} over "
      "{} items): no Hilbert space has them, so estimates may be poor or negative and there are no "
      "bounds",
      found.negative_share, columns.size());
  if (policy == IndefinitePolicy::error) throw DataError(text);
  if (policy == IndefinitePolicy::clip) clip_negative_part(items.squares);
  if (policy == IndefinitePolicy::shift) {
    items.shift = -2 * found.smallest;
    shift_squares(items.squares, items.shift);
  }
  record.summary().warnings.push_back(text);
}

}  // namespace

MeasuredItems measure_items(const engine::PairDistances& pairs,
                            const SparseDistanceOptions& options, bool proven,
                            methods::FitRecord& record) {
  const std::size_t n = pairs.size();
  check_items(options, n);
  MeasuredItems items{.sample = choose_sample(options, n, record.seed())};
  check_memory(n, items.sample.size(), record.memory_limit_bytes());
  record.begin("distances");
  items.squares = engine::item_distances(pairs, items.sample, record.workers());
  items.distance_evaluations =
      static_cast<std::uint64_t>(engine::item_distance_count(n, items.sample.size()));
  if (!proven && options.indefinite != IndefinitePolicy::ignore) {
    record.begin("definiteness");
    check_definiteness(items, options.indefinite, record);
  }
  return items;
}

}  // namespace mercer::distance
