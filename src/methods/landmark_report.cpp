#include "methods/landmark_report.h"

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace mercer::methods {

namespace {

std::vector<std::string> tolerances_asked(const LandmarkPlan& plan) {
  std::vector<std::string> asked;
  if (plan.tolerance) asked.push_back(fmt::format("residual {:g}", *plan.tolerance));
  if (plan.subspace_tolerance) {
    asked.push_back(
        fmt::format("angle {:g} on the top {}", *plan.subspace_tolerance, plan.components));
  }
  return asked;
}

std::string stop_reason(const LandmarkOptions& options, const LandmarkPlan& plan,
                        const LandmarkChoice& choice) {
  const std::string asked_for =
      plan.count ? fmt::format("{} asked", *plan.count)
                 : fmt::format("asked for {}", fmt::join(tolerances_asked(plan), " and "));
  switch (choice.stop) {
    case LandmarkStop::rank:
      return asked_for + "; the rows span no more directions";
    case LandmarkStop::proposals:
      return asked_for + "; one pass of the refinement found no more";
    case LandmarkStop::limit:
      return asked_for + "; stopped by the limit on landmarks";
    case LandmarkStop::tolerance:
    case LandmarkStop::subspace_tolerance:
      return asked_for + "; met on the sample";
    case LandmarkStop::count:
      break;
  }
  if (!plan.count) return asked_for + "; refined";
  return options.landmarks || !options.landmark_rows.empty()
             ? "asked for"
             : "default for this choice of landmarks";
}

}  // namespace

const char* selection_name(Selection selection) {
  switch (selection) {
    case Selection::automatic:
    case Selection::rpcholesky:
      return "rpcholesky";
    case Selection::uniform:
      return "uniform";
    case Selection::kmeans:
      return "kmeans";
    case Selection::leverage:
      return "leverage";
    case Selection::greedy:
      return "greedy";
    case Selection::farthest:
      return "farthest";
  }
  return "";
}

void report_choice(FitRecord& record, const LandmarkOptions& options, const LandmarkPlan& plan,
                   const Samples& samples, const LandmarkChoice& choice,
                   const PassPrecision& precision) {
  const bool by_rows = !options.landmark_rows.empty();
  record.choice("selection", by_rows ? "given rows" : selection_name(plan.selection),
                samples.held_out.rows.empty() && samples.chosen.rows.size() == samples.rows
                    ? fmt::format("from all {} rows", samples.rows)
                    : fmt::format("from a sample of {} of {} rows", samples.chosen.rows.size(),
                                  samples.rows));
  if (options.polish == Polish::lloyd) {
    record.choice("polish", choice.polished ? "lloyd" : "none",
                  choice.polished ? "means of cells leave less of the rows held out"
                                  : "means of cells would leave more of the rows held out");
  }
  if (options.precision == Precision::float32) {
    record.choice("precision",
                  precision.float_products ? "float"
                  : precision.float_values ? "float values, double products"
                                           : "double",
                  precision.reason);
  }
  record.choice("landmarks", std::to_string(choice.set.size()), stop_reason(options, plan, choice));
}

void check_tolerances(FitRecord& record, const LandmarkPlan& plan, const LandmarkSpectrum& spectrum,
                      const engine::EigenPairs& pairs) {
  Summary& summary = record.summary();
  const std::size_t m = spectrum.size();
  const double fraction = spectrum.residual_fraction(m);
  if (plan.subspace_tolerance && !pairs.values.empty()) {
    const double asked = *plan.subspace_tolerance;
    const bool certified = summary.subspace_error_estimate.has_value();
    const auto error =
        certified ? SubspaceError{.change = 1, .estimate = *summary.subspace_error_estimate}
                  : subspace_error(spectrum, pairs, record.seed(), record.workers());
    // An extrapolated estimate may be half of the truth.
    const double likely = certified ? error.estimate : 2 * error.estimate;
    summary.subspace_error_estimate = error.estimate;
    if (error.change > asked && likely > asked) {
      summary.termination = {
          TerminationReason::tolerance_missed,
          fmt::format("with {} landmarks the angle of {} components is about {:.2g}{}, {:g} was "
                      "asked for; {}",
                      m, pairs.values.size(), error.estimate,
                      certified ? "" : " and may be twice that", asked, plan.remedy)};
    }
  }
  if (!plan.tolerance || fraction <= *plan.tolerance) return;
  // Residuals fall like a power of the number of landmarks over a doubling or two.
  const double half = spectrum.residual_fraction(m / 2);
  const double power = half > fraction ? std::log2(half / fraction) : 0;
  const double needed =
      power > 0 ? static_cast<double>(m) * std::pow(fraction / *plan.tolerance, 1 / power) : 0;
  summary.termination = {
      TerminationReason::tolerance_missed,
      fmt::format("{} landmarks leave {:.3g} of the trace, more than {:g}{}", m, fraction,
                  *plan.tolerance,
                  needed > 0 ? fmt::format("; it needs about {:.0f} (extrapolated)", needed) : "")};
}

}  // namespace mercer::methods
