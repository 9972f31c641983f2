#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <mercer/manifold.h>

#include "cli/component_flags.h"
#include "cli/program.h"
#include "cli/reduction_flags.h"

namespace mercer::cli {

/// Eigenvectors of the graph of the rows: Laplacian eigenmaps, diffusion maps, normalised cuts.
struct ManifoldFlags {
  std::optional<std::string> reduce;
  std::optional<std::string> laplacian;
  bool no_self_loops = false;
  std::optional<double> diffusion_alpha;
  std::optional<double> diffusion_time;
  std::optional<std::size_t> clusters;
  std::string labels_out;

  void add(Arguments& arguments);

  // What the methods are told, checked, without weights.
  LaplacianEigenmapOptions eigenmap_options(const ComponentFlags& components,
                                            const ReductionFlags& reduction) const;
  DiffusionMapOptions diffusion_options(const ComponentFlags& components,
                                        const ReductionFlags& reduction) const;
  NormalizedCutOptions cut_options(const ComponentFlags& components,
                                   const ReductionFlags& reduction) const;

 private:
  ReductionOptions reduction_options(const ReductionFlags& reduction) const;
};

}  // namespace mercer::cli
