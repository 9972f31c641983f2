// Methods side by side on the same rows.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <mercer/bandwidth.h>
#include <mercer/compare.h>
#include <mercer/error.h>
#include <mercer/metrics.h>

#include "comparison/splits.h"
#include "engine/random.h"
#include "engine/tall.h"
#include "system/memory.h"

namespace mercer {

namespace {

using comparison::Split;

double seconds_of(const std::function<void()>& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::vector<std::size_t> pick(std::span<const std::size_t> values,
                              const std::vector<std::size_t>& rows) {
  std::vector<std::size_t> picked;
  if (values.empty()) return picked;
  for (const std::size_t row : rows) picked.push_back(values[row]);
  return picked;
}

/// Over the values that both have.
std::optional<double> eigenvalue_error(const Model& model, const Model& baseline) {
  const std::size_t count = std::min(model.eigenvalues().size(), baseline.eigenvalues().size());
  // Of a graph's matrix they are something else.
  if (count == 0 || !model.degree_weights().empty() || !baseline.degree_weights().empty()) {
    return std::nullopt;
  }
  double difference = 0;
  double values = 0;
  for (std::size_t i = 0; i < count; ++i) {
    difference += std::pow(model.eigenvalues()[i] - baseline.eigenvalues()[i], 2);
    values += std::pow(baseline.eigenvalues()[i], 2);
  }
  return std::sqrt(difference / values);
}

/// The rows of one split, and what is known of the baseline on them.
class SplitRun {
 public:
  SplitRun(MatrixView<const double> points, std::span<const std::size_t> labels, const Split& split,
           const Kernel& kernel, std::size_t neighbors, RunOptions run)
      : train_(engine::pick_rows(points, split.train)),
        test_(engine::pick_rows(points, split.test)),
        train_labels_(pick(labels, split.train)),
        test_labels_(pick(labels, split.test)),
        kernel_(kernel),
        neighbors_(neighbors),
        run_(std::move(run)) {
    run_.seed = split.seed;
    run_.progress = nullptr;
  }

  /// Test rows for pictures; none unless asked for.
  void keep_pictures_of(std::vector<std::size_t> test_rows) {
    picture_rows_ = std::move(test_rows);
  }
  /// Of the contender that was measured last.
  const Matrix<double>& picture() const { return picture_; }

  /// The first call is the baseline's. Throws what the fit throws.
  Measurement measure(const Contender& contender) {
    picture_ = {};
    Measurement measured;
    std::optional<Fit> fit;
    const system::MemoryMark mark;
    measured.fit_seconds = seconds_of([&] { fit = contender.fit(train_, kernel_, run_); });
    if (const auto growth = mark.growth_bytes()) {
      measured.memory_bytes = static_cast<double>(*growth);
    }
    const Model& model = fit->model;
    const Matrix<double> scores = timed_transform(model, measured.transform_seconds);
    measured.library_size = model.library_size();
    measured.retained =
        static_cast<double>(model.library_size()) / static_cast<double>(train_.rows());
    if (!baseline_) {
      baseline_ = Baseline{model, scores, measured.fit_seconds, measured.transform_seconds};
    }
    measured.fit_speedup = baseline_->fit_seconds / measured.fit_seconds;
    measured.transform_speedup = baseline_->transform_seconds / measured.transform_seconds;
    measured.embedding_error =
        scores.empty() ? 1 : align_least_squares(baseline_->scores, scores, run_).relative_error;
    measured.eigenvalue_error = eigenvalue_error(model, baseline_->model);
    if (!picture_rows_.empty() && !scores.empty()) picture_ = draw(scores);
    measured.residual_trace_fraction = fit->summary.residual_trace_fraction;
    if (!train_labels_.empty()) {
      measured.accuracy = knn_accuracy(model.transform(train_, run_), train_labels_, scores,
                                       test_labels_, neighbors_, run_);
    }
    return measured;
  }

 private:
  /// Two columns near the first two of the baseline; zeros where that has only one.
  Matrix<double> draw(MatrixView<const double> scores) const {
    const std::size_t shown = std::min<std::size_t>(2, baseline_->scores.cols());
    const auto map =
        align_least_squares(baseline_->scores.view().cols_from(0, shown), scores, run_).map;
    Matrix<double> drawn(picture_rows_.size(), 2);
    for (std::size_t i = 0; i < drawn.rows(); ++i) {
      for (std::size_t j = 0; j < scores.cols(); ++j) {
        for (std::size_t c = 0; c < shown; ++c) {
          drawn(i, c) += scores(picture_rows_[i], j) * map(j, c);
        }
      }
    }
    return drawn;
  }

  struct Baseline {
    Model model;
    Matrix<double> scores;
    double fit_seconds = 0;
    double transform_seconds = 0;
  };

  /// Short calls are repeated: a clock sees microseconds badly, and the first call packs the
  /// library.
  Matrix<double> timed_transform(const Model& model, double& seconds) const {
    constexpr double kLongEnough = 0.02;
    constexpr int kMost = 50;
    Matrix<double> scores = model.transform(test_, run_);
    seconds = seconds_of([&] { model.transform(test_, run_); });
    double total = seconds;
    for (int i = 0; i < kMost && total < kLongEnough; ++i) {
      const double again = seconds_of([&] { model.transform(test_, run_); });
      total += again;
      seconds = std::min(seconds, again);
    }
    return scores;
  }

  Matrix<double> train_;
  Matrix<double> test_;
  std::vector<std::size_t> train_labels_;
  std::vector<std::size_t> test_labels_;
  const Kernel& kernel_;
  std::size_t neighbors_;
  RunOptions run_;
  std::optional<Baseline> baseline_;
  std::vector<std::size_t> picture_rows_;
  Matrix<double> picture_;
};

void check(MatrixView<const double> points, std::span<const std::size_t> labels,
           const std::vector<Contender>& contenders, const CompareOptions& options) {
  options.validate();
  if (contenders.empty()) throw InvalidArgument("compare: there are no methods to compare");
  if (options.baseline >= contenders.size()) {
    throw InvalidArgument(fmt::format("compare: the baseline is number {} of {} methods",
                                      options.baseline, contenders.size()));
  }
  for (const Contender& contender : contenders) {
    if (!contender.fit) {
      throw InvalidArgument(fmt::format("compare: '{}' has no fit", contender.method));
    }
  }
  constexpr std::size_t kFewest = 4;
  if (points.rows() < std::max(kFewest, options.folds)) {
    throw DataError(
        fmt::format("{} rows are too few to be split into rows to fit on and rows to "
                    "test on",
                    points.rows()));
  }
  if (!labels.empty() && labels.size() != points.rows()) {
    throw DataError(fmt::format("{} labels for {} rows", labels.size(), points.rows()));
  }
}

Spread spread_of(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  Spread spread;
  for (const double value : values) spread.mean += value / n;
  if (values.size() < 2) return spread;
  double squares = 0;
  for (const double value : values) squares += std::pow(value - spread.mean, 2);
  spread.deviation = std::sqrt(squares / (n - 1));
  return spread;
}

/// Of the finished measurements of one contender.
class Spreads {
 public:
  explicit Spreads(std::vector<const Measurement*> finished) : finished_(std::move(finished)) {}

  template <class T>
  Spread of(T Measurement::* member) const {
    std::vector<double> values;
    for (const Measurement* one : finished_) values.push_back(static_cast<double>(one->*member));
    return values.empty() ? Spread{} : spread_of(values);
  }
  std::optional<Spread> of(std::optional<double> Measurement::* member) const {
    std::vector<double> values;
    for (const Measurement* one : finished_) {
      if (one->*member) values.push_back(*(one->*member));
    }
    return values.empty() ? std::nullopt : std::optional(spread_of(values));
  }

 private:
  std::vector<const Measurement*> finished_;
};

}  // namespace

void CompareOptions::validate() const {
  if (repeats == 0) throw InvalidArgument("compare: repeats must be at least 1");
  if (folds == 1) throw InvalidArgument("compare: folds must be 0 or at least 2");
  if (!(test_fraction > 0 && test_fraction < 1)) {
    throw InvalidArgument(
        fmt::format("compare: test_fraction must be between 0 and 1, it is {}", test_fraction));
  }
  if (neighbors == 0) throw InvalidArgument("compare: neighbors must be at least 1");
}

std::string Comparison::label(std::size_t contender) const {
  const Contender& one = contenders[contender];
  if (one.parameter.empty()) return one.method;
  return one.parameter == one.method
             ? fmt::format("{} {:g}", one.method, one.value)
             : fmt::format("{}, {} {:g}", one.method, one.parameter, one.value);
}

std::vector<ContenderSummary> Comparison::summaries() const {
  std::vector<ContenderSummary> all;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    ContenderSummary summary;
    summary.contender = i;
    std::vector<const Measurement*> finished;
    for (const Measurement& one : measurements) {
      if (one.contender != i) continue;
      if (one.failure.empty()) {
        finished.push_back(&one);
      } else if (summary.failure.empty()) {
        summary.failure = one.failure;
      }
    }
    summary.splits = finished.size();
    const Spreads spreads(std::move(finished));
    summary.fit_seconds = spreads.of(&Measurement::fit_seconds);
    summary.transform_seconds = spreads.of(&Measurement::transform_seconds);
    summary.fit_speedup = spreads.of(&Measurement::fit_speedup);
    summary.transform_speedup = spreads.of(&Measurement::transform_speedup);
    summary.library_size = spreads.of(&Measurement::library_size);
    summary.retained = spreads.of(&Measurement::retained);
    summary.embedding_error = spreads.of(&Measurement::embedding_error);
    summary.eigenvalue_error = spreads.of(&Measurement::eigenvalue_error);
    summary.residual_trace_fraction = spreads.of(&Measurement::residual_trace_fraction);
    summary.accuracy = spreads.of(&Measurement::accuracy);
    summary.memory_bytes = spreads.of(&Measurement::memory_bytes);
    all.push_back(std::move(summary));
  }
  return all;
}

Comparison compare(MatrixView<const double> points, std::span<const std::size_t> labels,
                   const Kernel& kernel, std::vector<Contender> contenders,
                   const CompareOptions& options, const RunOptions& run) {
  check(points, labels, contenders, options);
  Comparison result;
  result.contenders = std::move(contenders);
  result.baseline = options.baseline;
  result.kernel = resolve_bandwidth(kernel, points, {.seed = run.seed}).kernel;
  result.rows = points.rows();
  result.columns = points.cols();
  result.neighbors = options.neighbors;
  result.labelled = !labels.empty();
  const auto splits = comparison::make_splits(points.rows(), options, run.seed);
  result.splits = splits.size();
  std::vector<std::size_t> order{options.baseline};
  for (std::size_t i = 0; i < result.contenders.size(); ++i) {
    if (i != options.baseline) order.push_back(i);
  }
  const std::vector<std::size_t>& test = splits.front().test;
  constexpr std::size_t kMostPictured = 2000;
  constexpr std::uint64_t kPictureStream = 0x70696374757265;
  auto pictured =
      engine::sample_without_replacement(test.size(), std::min(kMostPictured, test.size()),
                                         engine::RandomStream(run.seed).substream(kPictureStream));
  result.picture_rows = pick(test, pictured);
  result.picture_rows_of = test.size();
  result.pictures.resize(result.contenders.size());
  std::size_t done = 0;
  for (std::size_t s = 0; s < splits.size(); ++s) {
    SplitRun split(points, labels, splits[s], result.kernel, options.neighbors, run);
    if (s == 0) split.keep_pictures_of(pictured);
    for (const std::size_t i : order) {
      if (run.progress) {
        run.progress({.phase = "compare",
                      .fraction = static_cast<double>(done++) /
                                  static_cast<double>(splits.size() * order.size())});
      }
      Measurement measured;
      try {
        measured = split.measure(result.contenders[i]);
        if (s == 0) result.pictures[i] = split.picture();
      } catch (const Cancelled&) {
        throw;
      } catch (const Error& e) {
        if (i == options.baseline) throw;
        measured.failure = e.what();
      }
      measured.contender = i;
      measured.split = s;
      result.measurements.push_back(std::move(measured));
    }
  }
  return result;
}

}  // namespace mercer
