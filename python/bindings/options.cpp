#include "bindings/options.h"

#include <algorithm>

namespace py = pybind11;

namespace mercer::python {

namespace {

/// What all kernel PCA is asked for.
template <class Options>
void read_components(OptionReader& reader, Options& options) {
  reader.take("components", options.components);
  reader.take("retain", options.retain);
  reader.take("min_eigenvalue", options.min_eigenvalue);
}

void read_precision(OptionReader& reader, Precision& precision) {
  reader.take_word("precision", precision,
                   {{"double", Precision::float64}, {"float", Precision::float32}});
}

void read_storage(OptionReader& reader, GramStorage& storage) {
  reader.take_word("storage", storage,
                   {{"auto", GramStorage::automatic},
                    {"stored", GramStorage::stored},
                    {"matrix_free", GramStorage::matrix_free}});
}

void read_library(OptionReader& reader, LibraryOptions& options) {
  reader.take_word("pivot_rule", options.rule,
                   {{"sampled_best", PivotRule::sampled_best},
                    {"best", PivotRule::best},
                    {"max_residual", PivotRule::max_residual},
                    {"random", PivotRule::random}});
  reader.take("candidates", options.candidates);
  reader.take("mse", options.mse);
  reader.take("max_error", options.max_error);
  reader.take("max_library", options.max_library);
}

void read_merge(OptionReader& reader, MergeOptions& options) {
  reader.take_word("merge_form", options.form,
                   {{"coefficients", MergeForm::coefficients}, {"cholesky", MergeForm::cholesky}});
  reader.take("deflate", options.keep);
  reader.take_word(
      "deflate_rule", options.rule,
      {{"relative", DeflationRule::relative}, {"cumulative", DeflationRule::cumulative}});
  reader.take("max_components", options.max_components);
}

void read_reduction(OptionReader& reader, const char* name, ReductionOptions& options) {
  reader.take_word(name, options.method,
                   {{"none", Reduction::none},
                    {"shadow", Reduction::shadow},
                    {"kmeans", Reduction::kmeans},
                    {"paring", Reduction::paring},
                    {"herding", Reduction::herding}});
  reader.take("ell", options.ell);
  reader.take("radius", options.radius);
  reader.take("centers", options.centers);
  reader.take_word("center_weights", options.weights,
                   {{"count", CenterWeights::count},
                    {"nearest", CenterWeights::nearest},
                    {"operator", CenterWeights::operator_optimal},
                    {"mmd", CenterWeights::mmd_optimal}});
  reader.take("shuffle", options.shuffle);
}

void read_graph_solver(OptionReader& reader, GraphSolverOptions& options) {
  reader.take("solver_tolerance", options.tolerance);
  reader.take("max_products", options.max_products);
}

}  // namespace

void OptionReader::finish(const std::string& method) const {
  for (const auto& [key, value] : given_) {
    const auto name = py::cast<std::string>(py::str(key));
    if (std::ranges::find(known_, name) != known_.end()) continue;
    std::string all;
    for (const std::string& known : known_) {
      if (!all.empty()) all += ", ";
      all += known;
    }
    throw InvalidArgument(method + " has no option '" + name + "'; it has " + all);
  }
}

void OptionReader::refuse(const char* name) const {
  throw py::type_error("option '" + std::string(name) + "' cannot be " +
                       py::cast<std::string>(py::repr(given_[name])));
}

void read(OptionReader& reader, AutoOptions& options) {
  read_components(reader, options);
  reader.take("center", options.center);
  read_precision(reader, options.precision);
}

void read(OptionReader& reader, ExactOptions& options) {
  read_components(reader, options);
  reader.take("center", options.center);
  read_precision(reader, options.precision);
  reader.take_word("solver", options.solver,
                   {{"auto", EigenSolver::automatic},
                    {"dense", EigenSolver::dense},
                    {"krylov", EigenSolver::block_krylov}});
  read_storage(reader, options.storage);
  reader.take("solver_tolerance", options.solver_tolerance);
  reader.take("max_products", options.max_products);
}

void read(OptionReader& reader, LandmarkOptions& options) {
  read_components(reader, options);
  reader.take("center", options.center);
  read_precision(reader, options.precision);
  reader.take("landmarks", options.landmarks);
  reader.take_word("selection", options.selection,
                   {{"auto", Selection::automatic},
                    {"rpcholesky", Selection::rpcholesky},
                    {"uniform", Selection::uniform},
                    {"kmeans", Selection::kmeans},
                    {"leverage", Selection::leverage},
                    {"greedy", Selection::greedy},
                    {"farthest", Selection::farthest}});
  reader.take("landmark_rows", options.landmark_rows);
  reader.take_word("evaluation", options.evaluation,
                   {{"orthogonal", Evaluation::orthogonal},
                    {"nystrom", Evaluation::nystrom},
                    {"density_weighted", Evaluation::density_weighted},
                    {"subsample", Evaluation::subsample}});
  reader.take_word("polish", options.polish, {{"none", Polish::none}, {"lloyd", Polish::lloyd}});
  reader.take("subspace_tolerance", options.subspace_tolerance);
  reader.take("tolerance", options.tolerance);
  reader.take("max_landmarks", options.max_landmarks);
  reader.take("certify", options.certify);
}

void read(OptionReader& reader, RandomFeatureOptions& options) {
  read_components(reader, options);
  reader.take("center", options.center);
  reader.take("frequencies", options.features);
  reader.take("orthogonal", options.orthogonal);
}

void read(OptionReader& reader, GreedyOptions& options) {
  read_components(reader, options);
  reader.take("center", options.center);
  read_library(reader, options.library);
}

void read(OptionReader& reader, PartitionedOptions& options) {
  read_components(reader, options);
  reader.take("center", options.center);
  reader.take("blocks", options.blocks);
  reader.take("block_size", options.block_size);
  reader.take_word("partition", options.partition,
                   {{"auto", Partition::automatic},
                    {"random", Partition::random},
                    {"order", Partition::in_order},
                    {"label", Partition::labels}});
  reader.take("labels", options.labels);
  reader.take_word("refine", options.refine,
                   {{"auto", Refine::automatic},
                    {"none", Refine::none},
                    {"reproject", Refine::reproject},
                    {"two_level", Refine::two_level}});
  read_library(reader, options.library);
  read_merge(reader, options.merge);
}

void read(OptionReader& reader, ReducedSetOptions& options) {
  read_components(reader, options);
  reader.take("center", options.center);
  read_reduction(reader, "reduce", options.reduction);
  reader.take("verify", options.verify);
}

void read(OptionReader& reader, FeatureAnalysisOptions& options) {
  reader.take_word(
      "rule", options.rule,
      {{"akfa", FeatureRule::akfa}, {"ackfa", FeatureRule::ackfa}, {"skfa", FeatureRule::skfa}});
  reader.take("features", options.features);
  reader.take("stop_error", options.stop_error);
  reader.take("delta", options.delta);
  reader.take("delta_relative", options.delta_relative);
  reader.take("center", options.center);
  reader.take_word(
      "projection", options.projection,
      {{"exact", MeanProjection::exact}, {"sparse_mean", MeanProjection::sparse_mean}});
  reader.take("candidates", options.candidates);
  reader.take("terms", options.terms);
  read_storage(reader, options.storage);
}

void read(OptionReader& reader, RandomizedOptions& options) {
  read_components(reader, options);
  reader.take("center", options.center);
  reader.take("sparsify", options.sparsify);
  reader.take_word("quantize", options.quantize,
                   {{"none", EntryLevels::none},
                    {"sign", EntryLevels::sign},
                    {"zero_one", EntryLevels::zero_one},
                    {"min_max", EntryLevels::min_max}});
  reader.take_word<std::optional<ControlVariate>>("control", options.control,
                                                  {{"none", ControlVariate::none},
                                                   {"mean", ControlVariate::mean},
                                                   {"rowcol", ControlVariate::row_columns},
                                                   {"nystrom", ControlVariate::nystrom}});
  reader.take("control_landmarks", options.control_landmarks);
  reader.take_word(
      "solver", options.solver,
      {{"krylov", RandomizedSolver::krylov}, {"orthogonal", RandomizedSolver::orthogonal}});
  reader.take("solver_tolerance", options.solver_tolerance);
  reader.take("max_products", options.max_products);
  reader.take("rayleigh", options.rayleigh);
  reader.take("certify", options.certify);
}

void read(OptionReader& reader, KroneckerOptions& options) {
  read_components(reader, options);
  reader.take("center", options.center);
  reader.take_word("order", options.order,
                   {{"bisection", KroneckerOrder::bisection},
                    {"principal", KroneckerOrder::principal},
                    {"file", KroneckerOrder::file},
                    {"random", KroneckerOrder::random}});
  reader.take("groups", options.groups);
  reader.take("sweep_tolerance", options.sweep_tolerance);
  reader.take("max_sweeps", options.max_sweeps);
}

void read(OptionReader& reader, LaplacianEigenmapOptions& options) {
  reader.take("components", options.components);
  reader.take_word("laplacian", options.laplacian,
                   {{"random_walk", GraphLaplacian::random_walk},
                    {"unnormalized", GraphLaplacian::unnormalized}});
  reader.take("self_loops", options.self_loops);
  read_reduction(reader, "reduce", options.reduction);
  read_graph_solver(reader, options.solver);
}

void read(OptionReader& reader, DiffusionMapOptions& options) {
  reader.take("components", options.components);
  reader.take("alpha", options.alpha);
  reader.take("time", options.time);
  read_reduction(reader, "reduce", options.reduction);
  read_graph_solver(reader, options.solver);
}

void read(OptionReader& reader, IncrementalOptions& options) {
  reader.take("center", options.center);
  read_library(reader, options.library);
  read_merge(reader, options.merge);
  reader.take("seeded", options.seeded);
  reader.take("library_limit", options.library_limit);
  reader.take("library_target", options.library_target);
  reader.take("seed", options.seed);
}

void read(OptionReader& reader, BlockFitOptions& options) {
  read_components(reader, options);
}

void read(OptionReader& reader, SparseDistanceOptions& options) {
  reader.take("landmarks", options.landmarks);
  reader.take("error", options.error);
  reader.take("max_landmarks", options.max_landmarks);
  reader.take_word("selection", options.selection,
                   {{"auto", SubsetSelection::automatic},
                    {"greedy", SubsetSelection::greedy},
                    {"greedy_frobenius", SubsetSelection::greedy_frobenius},
                    {"swap", SubsetSelection::swap},
                    {"enumerate", SubsetSelection::enumerate},
                    {"enumerate_l1", SubsetSelection::enumerate_l1},
                    {"uniform", SubsetSelection::uniform},
                    {"kmeans", SubsetSelection::kmeans},
                    {"pivoted_cholesky", SubsetSelection::pivoted_cholesky},
                    {"rpcholesky", SubsetSelection::rpcholesky}});
  reader.take("landmark_items", options.landmark_items);
  reader.take("candidates", options.candidates);
  reader.take_word("map", options.map,
                   {{"regression", DistanceMap::regression},
                    {"orthogonal", DistanceMap::orthogonal},
                    {"affine", DistanceMap::affine}});
  reader.take_word("origin", options.origin,
                   {{"auto", DistanceOrigin::automatic},
                    {"constant", DistanceOrigin::constant},
                    {"base_point", DistanceOrigin::base_point},
                    {"centroid", DistanceOrigin::centroid}});
  reader.take("constant", options.constant);
  reader.take("sample", options.sample);
  reader.take_word("indefinite", options.indefinite,
                   {{"error", IndefinitePolicy::error},
                    {"warn", IndefinitePolicy::warn},
                    {"clip", IndefinitePolicy::clip},
                    {"shift", IndefinitePolicy::shift},
                    {"ignore", IndefinitePolicy::ignore}});
  reader.take("keep_items", options.keep_items);
}

void read(OptionReader& reader, PreimageOptions& options) {
  reader.take_word("method", options.method,
                   {{"mika", Preimage::mika},
                    {"one_step", Preimage::one_step},
                    {"kwok_tsang", Preimage::kwok_tsang},
                    {"ridge", Preimage::ridge}});
  reader.take("tolerance", options.tolerance);
  reader.take("max_iterations", options.max_iterations);
  reader.take("neighbors", options.neighbors);
  reader.take("cutoff", options.cutoff);
}

}  // namespace mercer::python
