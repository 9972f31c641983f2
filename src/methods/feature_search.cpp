#include "methods/feature_search.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <mercer/error.h>

#include "system/memory.h"

namespace mercer::methods {

namespace {

constexpr std::uint64_t kDrawStream = 0x66656174757265;
constexpr std::size_t kDefaultFeatures = 10;

/// In single precision, which chooses the same rows (ResidualEnergies), unless the kernel is a
/// function of doubles or a row is too large for it.
std::unique_ptr<engine::GramOperator> recomputed_gram(const Kernel& kernel,
                                                      MatrixView<const double> points,
                                                      engine::Workers& workers) {
  const bool single = !std::holds_alternative<Custom>(kernel);
  try {
    return engine::make_gram(kernel, points, {.single_precision = single, .stored = false},
                             workers);
  } catch (const NumericalError&) {
    return engine::make_gram(kernel, points, {.stored = false}, workers);
  }
}

}  // namespace

FeatureSearch::FeatureSearch(Kernel kernel, MatrixView<const double> points,
                             const FeatureAnalysisOptions& options, FitRecord& record)
    : kernel_(std::move(kernel)), points_(points), options_(options) {
  record.begin("gram");
  prepare(record);
  record.begin("features");
  search(record.workers());
}

std::size_t FeatureSearch::asked() const {
  return std::min(
      options_.features.value_or(options_.stop_error ? points_.rows() : kDefaultFeatures),
      points_.rows());
}

std::size_t FeatureSearch::capacity(double memory_limit_bytes) const {
  const std::size_t n = points_.rows();
  const std::size_t affordable = engine::PartialCholesky::capacity_within(n, memory_limit_bytes);
  if (affordable < std::min(asked(), options_.features.value_or(1))) {
    throw MemoryLimitError(fmt::format(
        "{} features of {} rows need {}, but the memory limit is {}; ask for fewer or raise it",
        asked(), n, system::format_bytes(engine::PartialCholesky::bytes(n, asked())),
        system::format_bytes(memory_limit_bytes)));
  }
  return std::min(asked(), affordable);
}

bool FeatureSearch::choose_storage(FitRecord& record) const {
  const std::size_t n = points_.rows();
  const double limit = record.memory_limit_bytes();
  // The features of an open number have to fit beside the matrix, too: room for a thousand.
  constexpr std::size_t kRoom = 1000;
  const double bytes = engine::GramOperator::stored_bytes(n, sizeof(double)) +
                       engine::PartialCholesky::bytes(n, std::min(asked(), kRoom));
  if (options_.storage == GramStorage::stored && bytes > limit) {
    throw MemoryLimitError(fmt::format(
        "a stored Gram matrix of {} points needs {}, but the memory limit is {}; use matrix_free "
        "storage or raise the limit",
        n, system::format_bytes(bytes), system::format_bytes(limit)));
  }
  const auto choose = [&](bool stored, const std::string& why) {
    record.choice("storage", stored ? "stored" : "matrix_free", why);
    return stored;
  };
  if (options_.storage != GramStorage::automatic) {
    return choose(options_.storage == GramStorage::stored, "asked for");
  }
  if (is_drawn()) return choose(false, "only the mean takes a product with it");
  if (bytes > limit) {
    return choose(false, fmt::format("storing it needs {} of the {} allowed",
                                     system::format_bytes(bytes), system::format_bytes(limit)));
  }
  const std::size_t products = asked() + 1;
  if (!engine::storing_pays(kernel_, points_.cols(), products)) {
    return choose(false, "computing it in every product costs less than storing it");
  }
  return choose(true, fmt::format("storing it needs {} of the {} allowed",
                                  system::format_bytes(bytes), system::format_bytes(limit)));
}

void FeatureSearch::prepare(FitRecord& record) {
  engine::Workers& workers = record.workers();
  const std::size_t most = capacity(record.memory_limit_bytes());
  const bool stored = choose_storage(record);
  if (options_.center || !is_drawn()) {
    gram_ = engine::make_gram(kernel_, points_, {.stored = stored}, workers);
  }
  std::vector<double> offsets;
  if (options_.center) {
    mean_ = engine::feature_mean(*gram_, options_.weights, workers);
    offsets = mean_.offsets();
  }
  factor_.emplace(kernel_, points_, most, workers, std::move(offsets));
  const double largest = *std::ranges::max_element(factor_->residuals());
  const engine::PivotOptions pivots{
      .criterion = options_.rule == FeatureRule::skfa ? engine::PivotCriterion::sparse
                                                      : engine::PivotCriterion::gain,
      .weights = options_.weights,
      .cut = options_.delta.value_or(0) * (options_.delta_relative ? largest : 1)};
  if (is_drawn()) {
    mean_evaluations_ = gram_ ? gram_->kernel_evaluations() : 0;
    gram_.reset();
    drawn_.emplace(*factor_, pivots, options_.candidates.value_or(points_.rows()),
                   options_.terms.value_or(points_.rows()),
                   engine::RandomStream(record.seed()).substream(kDrawStream), workers);
  } else {
    if (!stored) {
      mean_evaluations_ = gram_->kernel_evaluations();
      gram_ = recomputed_gram(kernel_, points_, workers);
    }
    best_.emplace(std::move(gram_), *factor_, pivots, workers);
  }
}

void FeatureSearch::search(engine::Workers& workers) {
  const auto note_error = [&] {
    error_curve_.push_back(
        {.size = factor_->rank(), .error = engine::mean_residual(*factor_, options_.weights)});
  };
  note_error();
  const auto grow = [&](std::size_t rank) {
    const double done = static_cast<double>(rank - 1) / static_cast<double>(factor_->capacity());
    workers.phase_range(done, done);
    if (!(best_ ? best_->grow(rank) : drawn_->grow(rank))) return false;
    note_error();
    return true;
  };
  switch (engine::grow_until(
      *factor_, options_.weights,
      {.count = factor_->capacity(), .mean_square = options_.stop_error.value_or(0)}, grow)) {
    case engine::PivotStop::mean_square:
      stop_ = FeatureStop::error;
      break;
    case engine::PivotStop::rank:
      stop_ =
          (best_ ? best_->all_cut() : drawn_->all_cut()) ? FeatureStop::all_cut : FeatureStop::rank;
      break;
    case engine::PivotStop::count:
    case engine::PivotStop::largest:
      stop_ = factor_->rank() < asked() ? FeatureStop::memory : FeatureStop::count;
      break;
  }
}

std::uint64_t FeatureSearch::kernel_evaluations() const {
  return mean_evaluations_ + factor_->kernel_evaluations() +
         (best_ ? best_->kernel_evaluations() : drawn_->kernel_evaluations());
}

}  // namespace mercer::methods
