#include "cli/manifold_flags.h"

#include <fmt/format.h>

#include "cli/named_values.h"

namespace mercer::cli {
namespace {

constexpr Names<GraphLaplacian, 2> kLaplacians{
    {{"random_walk", GraphLaplacian::random_walk}, {"unnormalized", GraphLaplacian::unnormalized}}};

}  // namespace

void ManifoldFlags::add(Arguments& arguments) {
  arguments.group("Graphs");
  arguments
      .option("--reduce", "HOW", reduce,
              "Nodes: none (all rows), or centres by shadow, kmeans, paring, herding, with the "
              "options of reduced sets (default: none; shadow with --ell or --radius, kmeans with "
              "--centers)")
      .one_of(reduction_names());
  arguments
      .option("--laplacian", "NAME", laplacian,
              "random_walk (default: normalised by the degrees), unnormalized")
      .one_of(all_names(kLaplacians));
  arguments.flag("--no-self-loops", no_self_loops, "No edge from a node to itself");
  arguments.option("--diffusion-alpha", "A", diffusion_alpha,
                   "How much of the density is divided out: 0 to 1 (default 1)");
  arguments.option("--diffusion-time", "T", diffusion_time, "Steps of the walk (default 1)");
  arguments.option("--clusters", "C", clusters, "How many clusters the cut makes (default 2)");
  arguments.option("--labels-out", "FILE", labels_out,
                   "Where to write the cluster of every row: a number from 0 a line, -1 for none");
}

/// A radius or a number of centres that is given without --reduce means a shadow cover or k-means.
ReductionOptions ManifoldFlags::reduction_options(const ReductionFlags& reduction) const {
  const bool by_radius = reduction.ell || reduction.radius || reduction.shuffle;
  const char* meant = reduction.centers ? "kmeans" : by_radius ? "shadow" : "none";
  return reduction.options(*reduction_named(reduce.value_or(meant)));
}

LaplacianEigenmapOptions ManifoldFlags::eigenmap_options(const ComponentFlags& components,
                                                         const ReductionFlags& reduction) const {
  components.require_count_only("laplacian_eigenmaps");
  LaplacianEigenmapOptions options;
  if (components.components) options.components = *components.components;
  assign_named(laplacian, kLaplacians, options.laplacian);
  options.self_loops = !no_self_loops;
  options.reduction = reduction_options(reduction);
  options.validate();
  return options;
}

DiffusionMapOptions ManifoldFlags::diffusion_options(const ComponentFlags& components,
                                                     const ReductionFlags& reduction) const {
  components.require_count_only("diffusion_maps");
  if (diffusion_alpha && !(*diffusion_alpha >= 0 && *diffusion_alpha <= 1))
    throw UsageError(
        fmt::format("--diffusion-alpha is {:g}: it must lie between 0 and 1", *diffusion_alpha));
  if (diffusion_time && *diffusion_time < 0)
    throw UsageError(
        fmt::format("--diffusion-time is {:g}: it must not be negative", *diffusion_time));
  DiffusionMapOptions options;
  if (components.components) options.components = *components.components;
  if (diffusion_alpha) options.alpha = *diffusion_alpha;
  if (diffusion_time) options.time = *diffusion_time;
  options.reduction = reduction_options(reduction);
  options.validate();
  return options;
}

NormalizedCutOptions ManifoldFlags::cut_options(const ComponentFlags& components,
                                                const ReductionFlags& reduction) const {
  components.require_count_only("normalized_cut");
  NormalizedCutOptions options;
  options.components = components.components;
  if (clusters) options.clusters = *clusters;
  options.self_loops = !no_self_loops;
  options.reduction = reduction_options(reduction);
  options.validate();
  return options;
}

}  // namespace mercer::cli
