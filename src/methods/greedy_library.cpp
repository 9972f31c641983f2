#include "methods/greedy_library.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include <mercer/error.h>

#include "engine/gram.h"
#include "engine/kernel_value.h"
#include "engine/random_pivots.h"
#include "system/memory.h"

namespace mercer::methods {

namespace {

std::vector<double> all_weights(std::span<const double> weights, std::size_t n, std::size_t given) {
  if (given == 0) return {weights.begin(), weights.end()};
  std::vector<double> all(n, 1.0);
  std::fill_n(all.begin(), given, 0.0);
  std::ranges::copy(weights, all.begin() + static_cast<std::ptrdiff_t>(given));
  return all;
}

/// Pivots that the options allow, and as many as fit in memory.
std::size_t capacity(const LibraryOptions& options, std::size_t n, std::size_t given,
                     double memory_limit_bytes) {
  const std::size_t allowed =
      options.max_library ? std::min(n, given + std::min(n, *options.max_library)) : n;
  const std::size_t affordable = engine::PartialCholesky::capacity_within(n, memory_limit_bytes);
  if (affordable == 0) {
    throw MemoryLimitError(fmt::format(
        "a library for {} rows takes at least {}, more than the limit of {}: take smaller blocks",
        n, system::format_bytes(engine::PartialCholesky::bytes(n, 1)),
        system::format_bytes(memory_limit_bytes)));
  }
  return std::min(allowed, affordable);
}

}  // namespace

double mean_diagonal(const Kernel& kernel, MatrixView<const double> points,
                     std::span<const double> weights) {
  const auto diagonal = engine::kernel_diagonal(kernel, points);
  double sum = 0;
  double total = 0;
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    const double weight = weights.empty() ? 1 : weights[i];
    sum += weight * diagonal[i];
    total += weight;
  }
  return sum / total;
}

LibraryOptions with_target(const LibraryOptions& options, double mean_diagonal) {
  constexpr double kDefaultFraction = 1e-3;
  LibraryOptions filled = options;
  const bool limited = options.mse || options.max_error || options.max_library;
  // A kernel that is zero on all rows leaves no target, and the rank stops the choice.
  if (!limited && mean_diagonal > 0 && std::isfinite(mean_diagonal)) {
    filled.mse = kDefaultFraction * mean_diagonal;
  }
  return filled;
}

GreedyLibrary::GreedyLibrary(const Kernel& kernel, MatrixView<const double> points,
                             std::span<const double> weights, std::size_t given,
                             const LibraryOptions& options, const engine::RandomStream& stream,
                             double memory_limit_bytes, engine::Workers& workers)
    : points_(points),
      weights_(all_weights(weights, points.rows(), given)),
      factor_(kernel, points, capacity(options, points.rows(), given, memory_limit_bytes), workers),
      options_(options),
      most_(points.rows()) {
  for (std::size_t i = 0; i < points.rows(); ++i) {
    if (factor_.diagonal()[i] >= 0) continue;
    throw InvalidArgument(
        fmt::format("k(x, x) of row {} is {}: the kernel is not positive semi-definite", i + 1,
                    factor_.diagonal()[i]));
  }
  engine::append_first(factor_, given);
  most_ = options.max_library ? factor_.rank() + *options.max_library : factor_.size();
  make_rule(kernel, stream, memory_limit_bytes, workers);
  grow(most_, options.mse.value_or(0));
}

void GreedyLibrary::make_rule(const Kernel& kernel, const engine::RandomStream& stream,
                              double memory_limit_bytes, engine::Workers& workers) {
  switch (options_.rule) {
    case PivotRule::max_residual:
      rule_ = [this](std::size_t rank) { return engine::grow_greedily(factor_, rank); };
      break;
    case PivotRule::random:
      // One proposal at a time, which is never rejected: the mean square is looked at after each.
      rule_ = [random = std::make_shared<engine::RandomPivots>(factor_, weights_, stream, 1)](
                  std::size_t rank) { return random->grow(rank); };
      break;
    case PivotRule::best: {
      const bool stored =
          engine::GramOperator::stored_bytes(factor_.size(), sizeof(double)) +
              engine::PartialCholesky::bytes(factor_.size(), std::min<std::size_t>(1000, most_)) <=
          memory_limit_bytes;
      best_ = std::make_unique<engine::BestPivots>(
          engine::make_gram(kernel, points_, {.stored = stored}, workers), factor_,
          engine::PivotOptions{.weights = weights_}, workers);
      rule_ = [this](std::size_t rank) { return best_->grow(rank); };
      break;
    }
    case PivotRule::sampled_best:
      rule_ = [sampled = std::make_shared<engine::SampledBestPivots>(
                   factor_, weights_, options_.candidates, stream)](std::size_t rank) {
        return sampled->grow(rank);
      };
      break;
  }
}

void GreedyLibrary::grow(std::size_t size, double mse) {
  stop_ = engine::grow_until(factor_, weights_,
                             {.count = std::min(size, factor_.capacity()),
                              .mean_square = mse,
                              .largest = options_.max_error.value_or(0)},
                             rule_,
                             options_.rule == PivotRule::max_residual ? engine::PivotSteps::batches
                                                                      : engine::PivotSteps::single);
  limited_by_memory_ =
      stop_ == engine::PivotStop::count && factor_.rank() < std::min(size, factor_.size());
}

void GreedyLibrary::grow_to(std::size_t size) {
  grow(std::min(size, most_), 0);
}

std::uint64_t GreedyLibrary::kernel_evaluations() const {
  return factor_.kernel_evaluations() + (best_ ? best_->kernel_evaluations() : 0);
}

LandmarkSet GreedyLibrary::landmarks() const {
  return {.points = pick_rows(points_, factor_.pivots()), .lower = factor_.pivot_factor()};
}

double GreedyLibrary::sum(std::span<const double> values) const {
  double total = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    total += (weights_.empty() ? 1 : weights_[i]) * values[i];
  }
  return total;
}

double GreedyLibrary::residual() const {
  return sum(factor_.residuals());
}

double GreedyLibrary::trace() const {
  return sum(factor_.diagonal());
}

double GreedyLibrary::weight() const {
  if (weights_.empty()) return static_cast<double>(factor_.size());
  return std::accumulate(weights_.begin(), weights_.end(), 0.0);
}

std::string GreedyLibrary::reason() const {
  switch (stop_) {
    case engine::PivotStop::mean_square:
      return fmt::format("the mean square is at most {:g}", *options_.mse);
    case engine::PivotStop::largest:
      return fmt::format("no row is farther than {:g}, squared", *options_.max_error);
    case engine::PivotStop::rank:
      return "the rows span no more directions";
    case engine::PivotStop::count:
      break;
  }
  return limited_by_memory_ ? "more do not fit in the memory limit" : "asked for";
}

}  // namespace mercer::methods
