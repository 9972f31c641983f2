#include "methods/landmark_choice.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include <mercer/error.h>

#include "density/kmeans.h"
#include "engine/greedy_pivots.h"
#include "engine/kernel_value.h"
#include "engine/pivoted_cholesky.h"
#include "engine/random_pivots.h"
#include "methods/factor_moments.h"
#include "methods/farthest_point.h"
#include "methods/landmark_spectrum.h"
#include "methods/leverage_scores.h"
#include "system/memory.h"

namespace mercer::methods {

namespace {

// Purposes of random streams.
constexpr std::uint64_t kChoiceStream = 0x63686f696365;

/// Moments, scatter, eigenvectors and a few more m x m matrices at the end.
double landmark_bytes(std::size_t m) {
  return 6.0 * sizeof(double) * static_cast<double>(m) * static_cast<double>(m);
}

std::size_t most_landmarks(const LandmarkOptions& options, double memory_limit_bytes) {
  const double affordable = std::sqrt(memory_limit_bytes / landmark_bytes(1));
  return std::clamp<std::size_t>(static_cast<std::size_t>(affordable), 1, options.max_landmarks);
}

/// Enough for ten to some dozen components of most data sets.
std::size_t landmark_guess(std::size_t components) {
  return std::max<std::size_t>(256, 16 * components);
}

/// Where doubling begins.
std::size_t first_stage(std::size_t components) {
  return (std::max<std::size_t>(64, 4 * components) + 15) / 16 * 16;
}

/// Landmarks that are appended one after another, each a row of the sample: they may be grown until
/// they suffice.
class GrowingChoice {
 public:
  GrowingChoice(const Kernel& kernel, const RowSample& sample, const LandmarkPlan& plan,
                std::size_t capacity, const engine::RandomStream& stream, engine::Workers& workers)
      : sample_(sample),
        workers_(workers),
        factor_(kernel, sample.points, capacity, workers),
        random_(factor_, sample.weights, stream) {
    const std::size_t n = sample.points.rows();
    if (plan.selection == Selection::rpcholesky) {
      grow_ = [this](std::size_t rank) { return random_.grow(rank); };
    } else if (plan.selection == Selection::greedy) {
      grow_ = [this](std::size_t rank) { return engine::grow_greedily(factor_, rank); };
    } else {
      order_ = plan.selection == Selection::farthest
                   ? farthest_points(sample.points, capacity, stream, workers)
                   : engine::sample_without_replacement(n, capacity, stream);
      grow_ = [this](std::size_t rank) { return grow_in_order(rank); };
    }
  }

  /// False when there are no more directions.
  bool grow(std::size_t rank) { return grow_(rank); }
  /// Rules that look at all rows, or have gone through all of them in order.
  bool used_all_rows() const { return order_.empty() || order_.size() == factor_.size(); }
  const engine::PartialCholesky& factor() const { return factor_; }
  double in_sample_fraction() const { return random_.residual_fraction(); }
  LandmarkSet landmarks() const {
    return {.points = pick_rows(sample_.points, factor_.pivots()), .lower = factor_.pivot_factor()};
  }

  /// Scatter of the sample in the coordinates of the landmarks.
  LandmarkSpectrum spectrum(bool center) const {
    double trace = 0;
    for (std::size_t i = 0; i < factor_.size(); ++i) {
      trace += (sample_.weights.empty() ? 1 : sample_.weights[i]) * factor_.diagonal()[i];
    }
    return {factor_moments(factor_.factor(), sample_.weights, workers_), trace, center};
  }

 private:
  bool grow_in_order(std::size_t rank) {
    constexpr std::size_t kBatch = 128;
    while (factor_.rank() < rank) {
      const std::size_t left = std::min(kBatch, order_.size() - next_);
      if (left == 0) return false;
      const std::size_t wanted = std::min(left, rank - factor_.rank());
      factor_.append(std::span(order_).subspan(next_, wanted), wanted);
      next_ += wanted;
    }
    return true;
  }

  const RowSample& sample_;
  engine::Workers& workers_;
  engine::PartialCholesky factor_;
  engine::RandomPivots random_;
  std::vector<std::size_t> order_;
  std::size_t next_ = 0;
  std::function<bool(std::size_t)> grow_;
};

/// Residual over rows that had no part in the choice; where all rows had, over all.
double judged_fraction(const Kernel& kernel, const LandmarkSet& set, const Samples& samples,
                       engine::Workers& workers) {
  const RowSample& rows = samples.held_out.rows.empty() ? samples.chosen : samples.held_out;
  return residual_fraction(kernel, set, rows.points, rows.weights, workers);
}

/// What the factor knows of the rows chosen from, and the residual over those held out.
void measure(LandmarkChoice& choice, const GrowingChoice& growing, const Kernel& kernel,
             const Samples& samples, engine::Workers& workers) {
  choice.in_sample_fraction = growing.in_sample_fraction();
  choice.held_out_fraction = samples.held_out.rows.empty()
                                 ? choice.in_sample_fraction
                                 : judged_fraction(kernel, choice.set, samples, workers);
}

/// Doubles the landmarks until the tolerances hold: the spaces of the top components with m and
/// with 2m landmarks differ by about the error of m.
class ToleranceSearch {
 public:
  ToleranceSearch(const Kernel& kernel, const Samples& samples, const LandmarkPlan& plan,
                  bool center, std::uint64_t seed, engine::Workers& workers)
      : kernel_(kernel),
        samples_(samples),
        plan_(plan),
        center_(center),
        seed_(seed),
        workers_(workers),
        growing_(kernel, samples.chosen, plan, plan.most,
                 engine::RandomStream(seed).substream(kChoiceStream), workers) {}

  LandmarkChoice run() {
    LandmarkChoice choice;
    std::size_t m = std::min(first_stage(plan_.components), plan_.most);
    for (;; m = std::min(2 * m, plan_.most)) {
      const bool grown = growing_.grow(m);
      choice.set = growing_.landmarks();
      measure(choice, growing_, kernel_, samples_, workers_);
      if (!grown) {
        choice.stop = growing_.used_all_rows() ? LandmarkStop::rank : LandmarkStop::limit;
        break;
      }
      if (met(choice.held_out_fraction)) {
        choice.stop = plan_.tolerance ? LandmarkStop::tolerance : LandmarkStop::subspace_tolerance;
        break;
      }
      if (m == plan_.most) {
        choice.stop = LandmarkStop::limit;
        break;
      }
    }
    choice.points = choice.set.points;
    choice.kernel_evaluations = growing_.factor().kernel_evaluations();
    return choice;
  }

 private:
  bool met(double fraction) {
    bool holds = !plan_.tolerance || fraction <= *plan_.tolerance;
    if (plan_.subspace_tolerance) holds = subspace_met() && holds;
    return holds;
  }

  bool subspace_met() {
    const LandmarkSpectrum spectrum = growing_.spectrum(center_);
    auto now = spectrum.eigenpairs(spectrum.size(), plan_.components, seed_, workers_);
    const double before = change_;
    change_ =
        previous_.values.empty() ? 1 : spectrum.change(previous_, now, plan_.components, workers_);
    previous_ = std::move(now);
    if (change_ <= *plan_.subspace_tolerance) return true;
    // The error of this stage by extrapolation; a factor 2 covers most of its scatter.
    return before < 1 && 2 * change_ * change_ / before <= *plan_.subspace_tolerance;
  }

  const Kernel& kernel_;
  const Samples& samples_;
  const LandmarkPlan& plan_;
  bool center_;
  std::uint64_t seed_;
  engine::Workers& workers_;
  GrowingChoice growing_;
  engine::EigenPairs previous_;
  double change_ = 1;
};

Matrix<double> kmeans_centres(const RowSample& sample, std::size_t m,
                              const engine::RandomStream& stream, engine::Workers& workers) {
  constexpr std::size_t kIterations = 10;
  const auto seeds = density::kmeans_seeds(sample.points, sample.weights, m, stream, workers);
  return density::lloyd(sample.points, sample.weights, pick_rows(sample.points, seeds), kIterations,
                        workers)
      .centres;
}

/// A choice by count from points that are known.
LandmarkChoice fixed_choice(const Kernel& kernel, Matrix<double> points, std::size_t asked,
                            engine::Workers& workers) {
  LandmarkChoice choice;
  choice.set = independent_landmarks(kernel, points, workers);
  choice.stop = choice.set.size() < asked ? LandmarkStop::rank : LandmarkStop::count;
  choice.kernel_evaluations = static_cast<std::uint64_t>(points.rows()) * points.rows();
  choice.points = std::move(points);
  return choice;
}

std::vector<double> pick_weights(const std::vector<double>& weights,
                                 std::span<const std::size_t> rows) {
  std::vector<double> picked;
  if (weights.empty()) return picked;
  for (const std::size_t row : rows) picked.push_back(weights[row]);
  return picked;
}

LandmarkChoice row_choice(const Kernel& kernel, const RowSample& sample,
                          const std::vector<std::size_t>& rows, std::size_t asked,
                          engine::Workers& workers) {
  auto choice = fixed_choice(kernel, pick_rows(sample.points, rows), asked, workers);
  choice.weights = pick_weights(sample.weights, rows);
  return choice;
}

/// One step of Lloyd's algorithm, kept if the residual of rows held out falls.
void polish(LandmarkChoice& choice, const Kernel& kernel, const Samples& samples,
            engine::Workers& workers) {
  auto moved =
      density::lloyd(samples.chosen.points, samples.chosen.weights, choice.set.points, 1, workers);
  LandmarkChoice polished =
      fixed_choice(kernel, std::move(moved.centres), choice.set.size(), workers);
  polished.stop = choice.stop;
  polished.kernel_evaluations += choice.kernel_evaluations;
  polished.held_out_fraction = judged_fraction(kernel, polished.set, samples, workers);
  if (polished.held_out_fraction >= judged_fraction(kernel, choice.set, samples, workers)) return;
  polished.polished = true;
  choice = std::move(polished);
}

}  // namespace

std::size_t landmark_sample_rows(const LandmarkOptions& options, std::size_t d,
                                 double memory_limit_bytes) {
  const std::size_t count = !options.landmark_rows.empty()
                                ? options.landmark_rows.size()
                                : options.landmarks.value_or(landmark_guess(options.components));
  const std::size_t most = options.landmarks || !options.landmark_rows.empty()
                               ? count
                               : most_landmarks(options, memory_limit_bytes);
  constexpr std::size_t kForBandwidth = 2000;
  const bool any_rows_will_do = options.polish == Polish::none &&
                                (!options.landmark_rows.empty() ||
                                 (options.landmarks && options.selection == Selection::uniform));
  if (any_rows_will_do) return std::max(count, kForBandwidth);
  const std::size_t wanted = std::max<std::size_t>(50 * count, 20000);
  // The factor of the sample takes n_s m numbers: a quarter of the memory at most.
  const double affordable = memory_limit_bytes / (32.0 * static_cast<double>(std::max(most, d)));
  return std::max(std::min(wanted, static_cast<std::size_t>(affordable)),
                  std::max(2 * count, kForBandwidth));
}

LandmarkPlan plan_landmarks(std::size_t n, const LandmarkOptions& options,
                            double memory_limit_bytes) {
  LandmarkPlan plan;
  plan.components = options.components;
  plan.selection = options.selection;
  if (plan.selection == Selection::automatic) {
    plan.selection = options.evaluation == Evaluation::density_weighted ? Selection::kmeans
                                                                        : Selection::rpcholesky;
  }
  if (!options.landmark_rows.empty()) {
    plan.count = options.landmark_rows.size();
  } else if (options.landmarks) {
    plan.count = std::min(*options.landmarks, n);
  } else if (plan.selection == Selection::kmeans || plan.selection == Selection::leverage ||
             options.evaluation != Evaluation::orthogonal) {
    // No nested sets to grow, or no error to judge by.
    plan.count = std::min({landmark_guess(options.components), options.max_landmarks, n});
  }
  if (plan.count) {
    plan.most = *plan.count;
    if (landmark_bytes(plan.most) > memory_limit_bytes) {
      throw MemoryLimitError(fmt::format(
          "{} landmarks need about {}, more than the limit of {}: ask for fewer or raise the limit",
          plan.most, system::format_bytes(landmark_bytes(plan.most)),
          system::format_bytes(memory_limit_bytes)));
    }
    return plan;
  }
  plan.tolerance = options.tolerance;
  if (options.subspace_tolerance || !options.tolerance) {
    plan.subspace_tolerance = options.subspace_tolerance.value_or(kDefaultSubspaceTolerance);
  }
  // With more than a third of the rows, exact kernel PCA is the cheaper way, unless it is cheap
  // either way.
  const std::size_t worth_it = std::max(n / 3, std::min(n, first_stage(options.components)));
  const std::size_t affordable = most_landmarks(options, memory_limit_bytes);
  plan.most = std::min(affordable, worth_it);
  if (plan.most < affordable) {
    plan.remedy = "use the exact method: more landmarks would cost as much";
  } else if (plan.most < options.max_landmarks) {
    plan.remedy = "raise the memory limit";
  }
  return plan;
}

LandmarkChoice choose_landmarks(const Kernel& kernel, const Samples& samples,
                                const LandmarkPlan& plan, const LandmarkOptions& options,
                                std::uint64_t seed, engine::Workers& workers) {
  const auto stream = engine::RandomStream(seed).substream(kChoiceStream);
  if (!plan.count) {
    return ToleranceSearch(kernel, samples, plan, options.center, seed, workers).run();
  }
  const RowSample& sample = samples.chosen;
  const std::size_t m = *plan.count;
  LandmarkChoice choice;
  if (!options.landmark_rows.empty()) {
    choice = fixed_choice(kernel, Matrix<double>(samples.requested.points), m, workers);
    choice.weights = samples.requested.weights;
  } else if (plan.selection == Selection::uniform) {
    choice =
        row_choice(kernel, sample,
                   engine::sample_without_replacement(sample.points.rows(), m, stream), m, workers);
  } else if (plan.selection == Selection::kmeans) {
    choice = fixed_choice(kernel, kmeans_centres(sample, m, stream, workers), m, workers);
  } else if (plan.selection == Selection::leverage) {
    choice = row_choice(
        kernel, sample,
        leverage_score_rows(kernel, sample.points, sample.weights, m, stream, workers), m, workers);
  } else if (plan.selection == Selection::farthest) {
    choice =
        row_choice(kernel, sample, farthest_points(sample.points, m, stream, workers), m, workers);
  } else {
    GrowingChoice growing(kernel, sample, plan, m, stream, workers);
    choice.stop = growing.grow(m) ? LandmarkStop::count : LandmarkStop::rank;
    choice.set = growing.landmarks();
    choice.points = choice.set.points;
    choice.weights = pick_weights(sample.weights, growing.factor().pivots());
    choice.kernel_evaluations = growing.factor().kernel_evaluations();
    if (options.evaluation == Evaluation::orthogonal) {
      measure(choice, growing, kernel, samples, workers);
    }
  }
  if (options.evaluation == Evaluation::orthogonal && options.polish == Polish::lloyd) {
    polish(choice, kernel, samples, workers);
  }
  return choice;
}

}  // namespace mercer::methods
