#include "cli/method_flags.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <mercer/data.h>
#include <mercer/error.h>

#include "cli/named_values.h"

namespace mercer::cli {
namespace {

constexpr const char* kExact = "exact";
constexpr const char* kLandmarks = "landmarks";
constexpr const char* kRandomFeatures = "random_features";
constexpr const char* kKronecker = "kronecker";
constexpr const char* kRandomized = "randomized";
constexpr const char* kGreedy = "greedy";
constexpr const char* kPartitioned = "partitioned";
constexpr const char* kAkfa = "akfa";
constexpr const char* kAckfa = "ackfa";
constexpr const char* kSkfa = "skfa";
constexpr const char* kShadow = "shadow";
constexpr const char* kKmeans = "kmeans";
constexpr const char* kParing = "paring";
constexpr const char* kHerding = "herding";
constexpr const char* kEigenmaps = "laplacian_eigenmaps";
constexpr const char* kDiffusionMaps = "diffusion_maps";
constexpr const char* kNormalizedCut = "normalized_cut";

constexpr Names<Selection, 6> kSelections{{{"rpcholesky", Selection::rpcholesky},
                                           {"uniform", Selection::uniform},
                                           {"kmeans", Selection::kmeans},
                                           {"leverage", Selection::leverage},
                                           {"greedy", Selection::greedy},
                                           {"farthest", Selection::farthest}}};
constexpr Names<Evaluation, 4> kEvaluations{{{"orthogonal", Evaluation::orthogonal},
                                             {"nystrom", Evaluation::nystrom},
                                             {"density_weighted", Evaluation::density_weighted},
                                             {"subsample", Evaluation::subsample}}};
constexpr Names<Polish, 2> kPolishes{{{"none", Polish::none}, {"lloyd", Polish::lloyd}}};
constexpr Names<KroneckerOrder, 4> kKroneckerOrders{{{"bisection", KroneckerOrder::bisection},
                                                     {"principal", KroneckerOrder::principal},
                                                     {"file", KroneckerOrder::file},
                                                     {"random", KroneckerOrder::random}}};
constexpr Names<EigenSolver, 3> kSolvers{{{"auto", EigenSolver::automatic},
                                          {"dense", EigenSolver::dense},
                                          {"krylov", EigenSolver::block_krylov}}};
constexpr const char* kOrthogonalSolver = "orthogonal";
constexpr Names<GramStorage, 3> kStorages{{{"auto", GramStorage::automatic},
                                           {"stored", GramStorage::stored},
                                           {"matrix_free", GramStorage::matrix_free}}};

Precision precision_named(const std::string& name) {
  return name == "float" ? Precision::float32 : Precision::float64;
}

}  // namespace

std::vector<std::size_t> read_row_numbers(const std::string& path) {
  // Larger whole numbers are not all doubles.
  constexpr double kMost = 0x1p53;
  const Table table = read_table(path);
  if (table.points.cols() != 1)
    throw DataError(
        fmt::format("'{}' has {} columns; row numbers are one a line", path, table.points.cols()));
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < table.points.rows(); ++i) {
    const double number = table.points(i, 0);
    if (!(number >= 0 && number < kMost) || number != std::floor(number))
      throw DataError(fmt::format("'{}', number {}: {} is not a row number; rows count from 0",
                                  path, i + 1, number));
    rows.push_back(static_cast<std::size_t>(number));
  }
  if (rows.empty()) throw DataError(fmt::format("'{}' has no row numbers", path));
  return rows;
}

void MethodFlags::add_problem(Arguments& arguments) {
  arguments.group("What to compute");
  arguments
      .option("--method", "NAME", method,
              "auto (default): what suits the size of the table; exact: all pairs of rows; "
              "landmarks: some rows stand for all; shadow: weighted centres, the error bounded by "
              "their radius; kmeans, paring, herding: other centres; greedy: the fewest rows that "
              "represent the others; partitioned: the same block by block; akfa, ackfa, skfa: "
              "features found one by one, a row each; laplacian_eigenmaps, "
              "diffusion_maps, normalized_cut: eigenvectors of the graph of the rows; randomized: "
              "a kernel matrix with few entries, or one bit each; "
              "random_features, kronecker: for comparison. Without --method, options choose the "
              "first method that has them all")
      .one_of({"auto", kExact, kLandmarks, kShadow, kKmeans, kParing, kHerding, kGreedy,
               kPartitioned, kAkfa, kAckfa, kSkfa, kRandomized, kRandomFeatures, kKronecker,
               kEigenmaps, kDiffusionMaps, kNormalizedCut});
  components.add(arguments);
}

void MethodFlags::add_landmarks(Arguments& arguments) {
  arguments.group("Landmarks");
  const Argument count =
      arguments.option("--landmarks", "M", landmarks,
                       "How many rows stand for all (default: as many as the tolerances need)");
  const Argument how =
      arguments
          .option(
              "--selection", "NAME", selection,
              "How they are chosen: rpcholesky (default: by what the others leave out), uniform "
              "(cheapest), kmeans, leverage, greedy, farthest")
          .one_of(all_names(kSelections));
  const Argument rows = arguments.option("--landmark-rows", "FILE", landmark_rows_file,
                                         "These rows, numbered from 0: one a line, or npy");
  rows.excludes(count).excludes(how);
  arguments
      .option("--evaluation", "NAME", evaluation,
              "orthogonal (default: exact for the approximation, error known), nystrom, "
              "density_weighted (both keep all rows, in memory), subsample")
      .one_of(all_names(kEvaluations));
  arguments
      .option("--subspace-tolerance", "E", subspace_tolerance,
              "Largest angle to the exact components, estimated, as a sine (default 0.02)")
      .excludes(count)
      .excludes(rows);
  arguments
      .option("--tolerance", "T", tolerance,
              "Largest part of the kernel matrix's trace that may be left out, e.g. 0.01")
      .excludes(count)
      .excludes(rows);
  arguments
      .option("--max-landmarks", "M", max_landmarks,
              "Most landmarks that the tolerances may ask for (default 4000)")
      .excludes(count)
      .excludes(rows);
  arguments
      .option("--polish", "HOW", polish,
              "none (default), lloyd (with --landmarks: moved to the means of their cells where "
              "that leaves out less)")
      .one_of(all_names(kPolishes));
  arguments.flag("--certify", certify,
                 "Also estimate the error of the kernel matrix in spectral and Frobenius norm; "
                 "of randomized, measure its spectral norm");
}

void MethodFlags::add_reduced_sets(Arguments& arguments) {
  reduction.add(arguments);
  arguments.flag("--verify", verify,
                 "Also measure what the bounds bound: all pairs of rows, in memory");
}

void MethodFlags::add_random_features(Arguments& arguments) {
  arguments.group("Random features");
  arguments.option("--frequencies", "D", frequencies,
                   "How many features: a cosine and a sine for each frequency (default 2048)");
  arguments.flag("--orthogonal", orthogonal, "Frequencies at right angles to each other");
}

void MethodFlags::add_kronecker(Arguments& arguments) {
  arguments.group("Kronecker product");
  arguments
      .option("--kronecker-order", "NAME", kronecker_order,
              "How rows are put in groups that repeat one pattern: bisection (default: halves by "
              "the first principal component, again and again), principal (along it), file (as "
              "they are: exact for a full grid), random")
      .one_of(all_names(kKroneckerOrders));
  arguments.option("--kronecker-groups", "N", kronecker_groups,
                   "How many groups (default: the square root of the number of rows; for a grid, "
                   "the size of its slowest axis)");
}

void MethodFlags::add_precision(Arguments& arguments) {
  arguments
      .option("--precision", "TYPE", precision,
              "Arithmetic of the kernel values: double (default), float (faster, about 1e-5; "
              "exact and landmarks)")
      .one_of({"double", "float"});
}

void MethodFlags::add_solver(Arguments& arguments) {
  arguments.group("Exact method");
  std::vector<std::string> solvers = all_names(kSolvers);
  solvers.emplace_back(kOrthogonalSolver);
  arguments
      .option("--solver", "NAME", solver,
              "auto (default), dense (all eigenvalues, n^3), krylov (the largest only); "
              "randomized has krylov (default) and orthogonal (iteration, slower)")
      .one_of(solvers);
  arguments.option("--solver-tolerance", "T", solver_tolerance,
                   "Largest residual, relative to the first eigenvalue (default 1e-12; 1e-8 of "
                   "randomized)");
  arguments
      .option(
          "--storage", "HOW", storage,
          "Kernel matrix (also of kernel features): auto (default), stored, matrix_free (computed "
          "again when needed)")
      .one_of(all_names(kStorages));
}

std::vector<MethodFlags::Given> MethodFlags::given() const {
  const std::vector<std::string> reduced{kShadow, kKmeans, kParing, kHerding};
  const std::vector<std::string> graphs{kEigenmaps, kDiffusionMaps, kNormalizedCut};
  const std::vector<std::string> features_of{kAkfa, kAckfa, kSkfa};
  const auto or_graphs = [&](std::vector<std::string> methods) {
    methods.insert(methods.end(), graphs.begin(), graphs.end());
    return methods;
  };
  std::vector<Given> list;
  const auto add = [&](bool is_given, const char* option, std::vector<std::string> owners) {
    if (is_given) list.push_back({option, std::move(owners)});
  };
  add(landmarks.has_value(), "--landmarks", {kLandmarks});
  add(selection.has_value(), "--selection", {kLandmarks});
  add(landmark_rows_file.has_value(), "--landmark-rows", {kLandmarks});
  add(evaluation.has_value(), "--evaluation", {kLandmarks});
  add(subspace_tolerance.has_value(), "--subspace-tolerance", {kLandmarks});
  add(tolerance.has_value(), "--tolerance", {kLandmarks});
  add(max_landmarks.has_value(), "--max-landmarks", {kLandmarks});
  add(polish.has_value(), "--polish", {kLandmarks});
  add(certify, "--certify", {kLandmarks, kRandomized});
  add(frequencies.has_value(), "--frequencies", {kRandomFeatures});
  add(orthogonal, "--orthogonal", {kRandomFeatures});
  add(kronecker_order.has_value(), "--kronecker-order", {kKronecker});
  add(kronecker_groups.has_value(), "--kronecker-groups", {kKronecker});
  for (const char* option : randomized.given()) add(true, option, {kRandomized});
  const bool krylov = solver == "krylov";
  if (solver == kOrthogonalSolver) {
    add(true, "--solver orthogonal", {kRandomized});
  } else {
    add(solver.has_value(), "--solver",
        krylov ? std::vector<std::string>{kExact, kRandomized} : std::vector<std::string>{kExact});
  }
  add(solver_tolerance.has_value(), "--solver-tolerance", {kExact, kRandomized});
  add(storage.has_value(), "--storage", {kExact, kAkfa, kAckfa, kSkfa});
  add(reduction.ell.has_value(), "--ell", or_graphs(reduced));
  add(reduction.radius.has_value(), "--radius", or_graphs(reduced));
  add(reduction.centers.has_value(), "--centers", or_graphs({kKmeans, kParing, kHerding}));
  add(reduction.center_weights.has_value(), "--center-weights", or_graphs(reduced));
  add(reduction.shuffle, "--shuffle", or_graphs({kShadow}));
  add(verify, "--verify", reduced);
  for (const char* option : features.given_of_cuts()) add(true, option, {kAckfa});
  for (const char* option : features.given()) add(true, option, features_of);
  for (const char* option : blocks.library.given()) {
    const bool shared = std::string_view(option) == "--candidates";
    add(true, option,
        shared ? std::vector<std::string>{kGreedy, kPartitioned, kAkfa, kAckfa, kSkfa}
               : std::vector<std::string>{kGreedy, kPartitioned});
  }
  for (const char* option : blocks.given()) add(true, option, {kPartitioned});
  add(manifold.reduce.has_value(), "--reduce", graphs);
  add(manifold.laplacian.has_value(), "--laplacian", {kEigenmaps});
  add(manifold.no_self_loops, "--no-self-loops", {kEigenmaps, kNormalizedCut});
  add(manifold.diffusion_alpha.has_value(), "--diffusion-alpha", {kDiffusionMaps});
  add(manifold.diffusion_time.has_value(), "--diffusion-time", {kDiffusionMaps});
  add(manifold.clusters.has_value(), "--clusters", {kNormalizedCut});
  add(!manifold.labels_out.empty(), "--labels-out", {kNormalizedCut});
  return list;
}

MethodChoice MethodFlags::choose() const {
  MethodChoice choice{.method = method, .why = {}};
  const std::vector<Given> options = given();
  const auto has = [](const Given& option, const std::string& name) {
    return std::ranges::find(option.methods, name) != option.methods.end();
  };
  if (method == "auto" && !options.empty()) {
    const Given& first = options.front();
    const auto takes_all = [&](const std::string& name) {
      return std::ranges::all_of(options, [&](const Given& o) { return has(o, name); });
    };
    const auto chosen = std::ranges::find_if(first.methods, takes_all);
    choice = {.method = chosen == first.methods.end() ? first.methods.front() : *chosen,
              .why = fmt::format("{} was given", first.option)};
  }
  for (const Given& option : options) {
    if (choice.method == "auto" || has(option, choice.method)) continue;
    const std::string owners = fmt::format("{}", fmt::join(option.methods, ", "));
    if (method == "auto")
      throw UsageError(fmt::format("{} is an option of the method {}, {} of {}; choose one",
                                   options.front().option, choice.method, option.option, owners));
    throw UsageError(fmt::format("{} is an option of the method {}, but --method {} was given",
                                 option.option, owners, method));
  }
  const bool has_float =
      choice.method == "auto" || choice.method == kExact || choice.method == kLandmarks;
  if (precision == "float" && !has_float)
    throw UsageError(
        fmt::format("--precision float does not go with the method {}{}", choice.method,
                    choice.method == kRandomFeatures ? ", whose phases need double" : ""));
  return choice;
}

AutoOptions MethodFlags::auto_options() const {
  AutoOptions options;
  components.apply(options);
  options.precision = precision_named(precision);
  options.validate();
  return options;
}

ExactOptions MethodFlags::exact_options() const {
  ExactOptions options;
  components.apply(options);
  options.precision = precision_named(precision);
  assign_named(solver, kSolvers, options.solver);
  assign_named(storage, kStorages, options.storage);
  if (solver_tolerance) options.solver_tolerance = *solver_tolerance;
  options.validate();
  return options;
}

LandmarkOptions MethodFlags::landmark_options() const {
  LandmarkOptions options;
  components.apply(options);
  options.precision = precision_named(precision);
  options.landmarks = landmarks;
  assign_named(selection, kSelections, options.selection);
  assign_named(evaluation, kEvaluations, options.evaluation);
  assign_named(polish, kPolishes, options.polish);
  options.subspace_tolerance = subspace_tolerance;
  options.tolerance = tolerance;
  if (max_landmarks) options.max_landmarks = *max_landmarks;
  options.certify = certify;
  if (landmark_rows_file) options.landmark_rows = read_row_numbers(*landmark_rows_file);
  options.validate();
  return options;
}

ReducedSetOptions MethodFlags::reduced_set_options(const std::string& of_method) const {
  ReducedSetOptions options;
  components.apply(options);
  options.reduction = reduction.options(*reduction_named(of_method));
  options.verify = verify;
  options.validate();
  return options;
}

FeatureAnalysisOptions MethodFlags::feature_options(const std::string& of_method) const {
  FeatureAnalysisOptions options =
      features.options(of_method, components, blocks.library.candidates);
  assign_named(storage, kStorages, options.storage);
  return options;
}

RandomFeatureOptions MethodFlags::random_feature_options() const {
  RandomFeatureOptions options;
  components.apply(options);
  if (frequencies) options.features = *frequencies;
  options.orthogonal = orthogonal;
  options.validate();
  return options;
}

RandomizedOptions MethodFlags::randomized_options() const {
  RandomizedOptions options = randomized.options(components);
  if (solver == kOrthogonalSolver) options.solver = RandomizedSolver::orthogonal;
  if (solver_tolerance) options.solver_tolerance = *solver_tolerance;
  options.certify = certify;
  options.validate();
  return options;
}

KroneckerOptions MethodFlags::kronecker_options() const {
  KroneckerOptions options;
  components.apply(options);
  assign_named(kronecker_order, kKroneckerOrders, options.order);
  options.groups = kronecker_groups;
  options.validate();
  return options;
}

}  // namespace mercer::cli
