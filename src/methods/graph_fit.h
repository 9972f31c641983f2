#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <mercer/exact.h>
#include <mercer/kernel.h>
#include <mercer/manifold.h>
#include <mercer/matrix.h>
#include <mercer/model.h>
#include <mercer/reduction.h>

#include "engine/gram.h"
#include "methods/fit_record.h"
#include "methods/gram_eigenpairs.h"
#include "methods/graph_laplacian.h"

namespace mercer::methods {

/// The nodes of a graph: all rows, or centres that stand for them.
struct GraphNodes {
  Kernel kernel;  ///< every parameter set
  MatrixView<const double> points;
  std::vector<double> weights;  ///< one for each
  std::size_t rows = 0;         ///< how many rows they stand for
};

/// The centres of a set, checked; open parameters of the kernel are found from them. The set must
/// stay.
GraphNodes graph_nodes(const WeightedSet& set, const Kernel& kernel, FitRecord& record);

/// The same for a set that the caller gave, whose kernel is checked too. Throws InvalidArgument
/// unless `weights` is empty and `reduction` none: the set has both behind it.
GraphNodes checked_nodes(const WeightedSet& set, const Kernel& kernel,
                         const std::vector<double>& weights, const ReductionOptions& reduction,
                         FitRecord& record);

/// What all manifold methods do around their own matrix: kernel values, eigenpairs, the model.
class GraphFit {
 public:
  GraphFit(const GraphNodes& nodes, std::size_t components, const GraphSolverOptions& solver,
           FitRecord& record);

  std::span<const double> weights() const { return nodes_.weights; }
  /// k(c_j, c_j).
  std::span<const double> loops() const { return gram_->diagonal(); }
  /// Degrees in the graph whose nodes have these weights.
  std::vector<double> degrees(std::span<const double> weights);

  /// The largest eigenpairs, those at or below `least` left out. Throws NumericalError when none
  /// remains.
  TopEigenpairs solve(GraphMatrixParts matrix, double least);

  /// The fit of a model with these coefficients (signs are fixed here) that divides by the degree.
  Fit finish(Matrix<double> coefficients, std::vector<double> eigenvalues,
             std::vector<double> degree_weights, std::vector<double> degree_shift);

 private:
  void report(const TopEigenpairs& pairs, double residual);

  const GraphNodes& nodes_;
  std::size_t components_;
  FitRecord& record_;
  ExactOptions solver_;
  EigenPlan plan_;
  std::unique_ptr<engine::GramOperator> gram_;
};

/// Eigenvalues of a random walk at or below this are rounding: components are divided by them. The
/// largest is 1.
double random_walk_noise(std::size_t nodes);

/// The methods on given nodes.
Fit laplacian_eigenmaps(const GraphNodes& nodes, const LaplacianEigenmapOptions& options,
                        FitRecord& record);
Fit diffusion_maps(const GraphNodes& nodes, const DiffusionMapOptions& options, FitRecord& record);
NormalizedCut normalized_cut(const GraphNodes& nodes, const NormalizedCutOptions& options,
                             FitRecord& record);

}  // namespace mercer::methods
