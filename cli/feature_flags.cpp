#include "cli/feature_flags.h"

#include <fmt/format.h>

#include "cli/named_values.h"

namespace mercer::cli {
namespace {

constexpr Names<FeatureRule, 3> kRules{
    {{"akfa", FeatureRule::akfa}, {"ackfa", FeatureRule::ackfa}, {"skfa", FeatureRule::skfa}}};
constexpr Names<MeanProjection, 2> kProjections{
    {{"exact", MeanProjection::exact}, {"sparse_mean", MeanProjection::sparse_mean}}};

void require_no_eigenvalues(const ComponentFlags& components, const std::string& method) {
  const char* wrong = components.retain           ? "--retain"
                      : components.min_eigenvalue ? "--min-eigenvalue"
                                                  : nullptr;
  if (wrong != nullptr)
    throw UsageError(fmt::format(
        "{} does not go with the method {}: features have no eigenvalues; give --features or "
        "--stop-error",
        wrong, method));
}

}  // namespace

void FeatureFlags::add(Arguments& arguments) {
  arguments.group("Kernel features (akfa, ackfa, skfa)");
  arguments.option("--features", "L", features,
                   "At most L features (default 10; as many as --stop-error needs, with it)");
  arguments.option("--stop-error", "E", stop_error,
                   "Enough when the mean squared feature-space distance of the rows from the "
                   "features is at most E");
  arguments.option("--delta", "D", delta,
                   "ackfa: rows whose squared distance from the features is below D are cut");
  arguments.flag("--delta-relative", delta_relative,
                 "D is a fraction of the largest squared distance from the mean");
  arguments
      .option("--projection", "HOW", projection,
              "The mean for new points: exact (default: keeps all rows), sparse_mean (keeps the "
              "chosen rows only, and says what that costs)")
      .one_of(all_names(kProjections));
  arguments.option("--terms", "M", terms,
                   "Compare rows by their products with M rows, drawn for each feature, instead of "
                   "all");
}

FeatureAnalysisOptions FeatureFlags::options(const std::string& method,
                                             const ComponentFlags& components,
                                             std::optional<std::size_t> candidates) const {
  require_no_eigenvalues(components, method);
  if (features && components.components)
    throw UsageError("--features and --components are the same number here; give one of them");
  FeatureAnalysisOptions options;
  assign_named(std::optional(method), kRules, options.rule);
  options.features = features ? features : components.components;
  options.stop_error = stop_error;
  options.delta = delta;
  options.delta_relative = delta_relative;
  options.center = !components.no_center;
  assign_named(projection, kProjections, options.projection);
  options.candidates = candidates;
  options.terms = terms;
  if (method == "ackfa" && !delta)
    throw UsageError("the method ackfa needs --delta, below which rows are cut");
  options.validate();
  return options;
}

std::vector<const char*> FeatureFlags::given() const {
  std::vector<const char*> names;
  if (features) names.push_back("--features");
  if (stop_error) names.push_back("--stop-error");
  if (projection) names.push_back("--projection");
  if (terms) names.push_back("--terms");
  return names;
}

std::vector<const char*> FeatureFlags::given_of_cuts() const {
  std::vector<const char*> names;
  if (delta) names.push_back("--delta");
  if (delta_relative) names.push_back("--delta-relative");
  return names;
}

}  // namespace mercer::cli
