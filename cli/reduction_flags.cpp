#include "cli/reduction_flags.h"

#include "cli/named_values.h"

namespace mercer::cli {
namespace {

constexpr Names<Reduction, 5> kReductions{{{"none", Reduction::none},
                                           {"shadow", Reduction::shadow},
                                           {"kmeans", Reduction::kmeans},
                                           {"paring", Reduction::paring},
                                           {"herding", Reduction::herding}}};
constexpr Names<CenterWeights, 4> kCenterWeights{{{"count", CenterWeights::count},
                                                  {"nearest", CenterWeights::nearest},
                                                  {"operator", CenterWeights::operator_optimal},
                                                  {"mmd", CenterWeights::mmd_optimal}}};

}  // namespace

void ReductionFlags::add_radius(Arguments& arguments) {
  const Argument in_scales = arguments.option(
      "--ell", "L", ell,
      "Radius of a centre: length scale of the kernel / L (default 4; the scale is "
      "1/sqrt(gamma) of a gaussian)");
  arguments.option("--radius", "R", radius, "The radius itself").excludes(in_scales);
}

void ReductionFlags::add(Arguments& arguments) {
  arguments.group("Reduced sets");
  add_radius(arguments);
  arguments.option("--centers", "M", centers,
                   "How many centres kmeans, paring and herding have (default: as many as a shadow "
                   "cover)");
  arguments
      .option(
          "--center-weights", "HOW", center_weights,
          "What a centre weighs: count (default: the rows it stands for), nearest (rows nearest "
          "to it), operator, mmd (best fit of the covariance, of the mean)")
      .one_of(all_names(kCenterWeights));
  arguments.flag("--shuffle", shuffle,
                 "Take the rows in a random order: a cover depends on it (in memory)");
}

ReductionOptions ReductionFlags::options(Reduction method) const {
  ReductionOptions options;
  options.method = method;
  options.ell = ell;
  options.radius = radius;
  options.centers = centers;
  assign_named(center_weights, kCenterWeights, options.weights);
  options.shuffle = shuffle;
  options.validate();
  return options;
}

std::vector<std::string> reduction_names() {
  return all_names(kReductions);
}

std::optional<Reduction> reduction_named(const std::string& name) {
  for (const auto& [known, value] : kReductions)
    if (name == known) return value;
  return std::nullopt;
}

}  // namespace mercer::cli
