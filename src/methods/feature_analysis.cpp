// Kernel feature analysis: sparse (SKFA), accelerated (AKFA) and accelerated with cuts (ACKFA).
//
//   X. Jiang, R. Snapp, Y. Motai, X. Zhu, "Accelerated kernel feature analysis", CVPR 2006
//   A. Smola, O. Mangasarian, B. Schoelkopf, "Sparse kernel feature analysis", Data Mining
//   Institute report 99-04, University of Wisconsin 1999
//   B. Schoelkopf, A. Smola, "Learning with kernels", MIT Press 2002, chapter 14 (the random
//   subsets)
//
//   symbol      paper            meaning
//   I           idx              the chosen rows, in their order
//   K           K^               centred kernel matrix
//   G           <Phi_t, v_i>     scores of the rows: partial Cholesky factor of K with pivots I
//   d_t         k^i_tt           what the features so far leave of row t, squared
//   r_j         sum_t (k^i_jt)^2 energy of what is left of column j of K
//   C           C                L^-T with L = G_I: feature i is sum_t C_ti Phi_I(t)
//   MErr        MErr             mean of d over all rows, also those that are cut
//
// Step 3.1 (the choice) is a pivot rule: r_j / d_j is (11) with the square that its right side
// lacks, SKFA's rule (8) after the l1 norm of (7). Steps 3.2, 3.3, (10), (12) and (13), are one
// column of the partial Cholesky factor, with the updated diagonal in (12) and the starting matrix
// in (13). The paper keeps the updated matrix; here energies are updated by one product with the
// starting matrix instead (ResidualEnergies), which also takes SKFA from O(l^2 n^2) to O(l n^2).
//
// The paper keeps l points for new data. That is so without centring only: the mean of k(x, x_t)
// over the rows is part of every score, and exact scores need all rows (MeanProjection).
//
// Cost: l + 1 products with K, n^2 d / 2 flops to make it once or in each, n l^2 flops. Memory: 4
// n^2 bytes stored, O(n l) otherwise. Prefer it to exact kernel PCA where features should depend on
// few rows; to greedy where those features themselves, not principal axes in their span, are
// wanted.

#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <mercer/error.h>
#include <mercer/feature_analysis.h>

#include "engine/kernel_value.h"
#include "methods/feature_model.h"
#include "methods/feature_search.h"
#include "methods/fit_record.h"

namespace mercer {

namespace {

using methods::FeatureStop;

const char* method_name(FeatureRule rule) {
  switch (rule) {
    case FeatureRule::akfa:
      return "akfa";
    case FeatureRule::ackfa:
      return "ackfa";
    case FeatureRule::skfa:
      return "skfa";
  }
  return "";
}

std::string why_no_more(FeatureStop stop) {
  switch (stop) {
    case FeatureStop::count:
      return "asked for";
    case FeatureStop::error:
      return "the error is small enough";
    case FeatureStop::rank:
      return "the rows have no more directions";
    case FeatureStop::all_cut:
      return "all rows are nearer to them than delta";
    case FeatureStop::memory:
      return "more do not fit in the memory limit";
  }
  return "";
}

/// Feature i explains sum_t w_t G_ti^2 / N of the variance of the rows.
std::vector<double> gains(MatrixView<const double> scores, std::span<const double> weights,
                          double total_weight) {
  std::vector<double> gains(scores.cols(), 0.0);
  for (std::size_t t = 0; t < scores.rows(); ++t) {
    const double share = (weights.empty() ? 1 : weights[t]) / total_weight;
    for (std::size_t i = 0; i < gains.size(); ++i) gains[i] += share * scores(t, i) * scores(t, i);
  }
  return gains;
}

Termination termination(const methods::FeatureSearch& search,
                        const FeatureAnalysisOptions& options) {
  const std::size_t found = search.factor().rank();
  const double error = search.error_curve().back().error;
  const bool limited = search.stop() == FeatureStop::count || search.stop() == FeatureStop::memory;
  if (limited && options.stop_error && error > *options.stop_error) {
    return {TerminationReason::tolerance_missed,
            fmt::format("{} features leave an error of {:.3g} ({}): {}", found, error,
                        why_no_more(search.stop()),
                        search.stop() == FeatureStop::memory ? "raise the limit" : "ask for more")};
  }
  const bool missed = options.stop_error && error > *options.stop_error;
  if (search.stop() == FeatureStop::all_cut && (missed || found < options.features.value_or(10))) {
    return {TerminationReason::fewer_components,
            fmt::format("{} features: then {}; lower delta for more", found,
                        why_no_more(search.stop()))};
  }
  return {};
}

void report(methods::FitRecord& record, const methods::FeatureSearch& search,
            const methods::FeatureModel& model, const FeatureAnalysisOptions& options) {
  Summary& summary = record.summary();
  const double weight = model.parts.total_weight;
  const double variance = weight * search.error_curve().front().error;
  summary.kernel_evaluations = search.kernel_evaluations();
  summary.gains = gains(search.factor().factor(), options.weights, weight);
  summary.error_curve = search.error_curve();
  summary.reconstruction_error = search.error_curve().back().error;
  summary.total_variance = Interval{variance, variance};
  for (const double gain : summary.gains) {
    summary.explained_variance_ratio.push_back(gain * weight / variance);
  }
  record.choice("features", std::to_string(search.factor().rank()), why_no_more(search.stop()));
  if (model.mean_error) {
    summary.bounds.push_back(
        {.name = "squared_mean_error", .value = model.mean_error->squared, .rigorous = true});
    summary.bounds.push_back(
        {.name = "score_error_measured", .value = model.mean_error->of_scores, .rigorous = true});
  }
  summary.termination = termination(search, options);
}

}  // namespace

void FeatureAnalysisOptions::validate() const {
  const auto check_positive = [](const char* name, const std::optional<double>& value) {
    if (!value || (*value > 0 && std::isfinite(*value))) return;
    throw InvalidArgument(fmt::format("{} is {}: it must be positive and finite", name, *value));
  };
  const auto check_count = [](const char* name, const std::optional<std::size_t>& value) {
    if (value == std::size_t{0}) throw InvalidArgument(fmt::format("{} is 0: ask for one", name));
  };
  check_count("features", features);
  check_count("candidates", candidates);
  check_count("terms", terms);
  check_positive("stop_error", stop_error);
  check_positive("delta", delta);
  if (rule == FeatureRule::ackfa && !delta) {
    throw InvalidArgument("ackfa needs delta, below which rows are cut; akfa cuts none");
  }
  if (rule != FeatureRule::ackfa && delta) {
    throw InvalidArgument(fmt::format("delta is for ackfa: {} cuts no rows", method_name(rule)));
  }
  if (delta_relative && !delta) {
    throw InvalidArgument("delta_relative says what delta is a fraction of: give delta too");
  }
  if (delta_relative && *delta > 1) {
    throw InvalidArgument(fmt::format("delta is {}: as a fraction it is at most 1", *delta));
  }
  if (projection == MeanProjection::sparse_mean && !center) {
    throw InvalidArgument("sparse_mean is for centred features: there is no mean without centring");
  }
}

Fit fit_feature_analysis(MatrixView<const double> points, const Kernel& kernel,
                         const FeatureAnalysisOptions& options, const RunOptions& run) {
  options.validate();
  methods::check_weights(options.weights, points.rows());
  methods::check_kernel(kernel);
  methods::require_positive_semidefinite(kernel, "kernel features");
  engine::check_training_points(kernel, points);

  methods::FitRecord record(method_name(options.rule), run);
  record.begin("bandwidth");
  const Kernel resolved = record.resolve(kernel, points);
  const methods::FeatureSearch search(resolved, points, options, record);
  if (search.factor().rank() == 0) {
    if (search.stop() == FeatureStop::all_cut) {
      throw NumericalError("all rows are nearer to the mean than delta: lower it");
    }
    if (search.stop() == FeatureStop::error) {
      throw NumericalError("stop_error is met without any feature: lower it");
    }
  }
  record.begin("model");
  methods::FeatureModel model = methods::feature_model(
      search.factor(), search.mean(), options.weights, options.projection, record.workers());
  if (search.factor().rank() > 0) report(record, search, model, options);
  return record.finish(std::move(model.parts), points.rows(), points.cols(), std::nullopt,
                       options.features.value_or(options.stop_error ? 0 : 10));
}

}  // namespace mercer
