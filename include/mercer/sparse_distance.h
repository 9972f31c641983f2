#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <mercer/distance.h>
#include <mercer/input.h>
#include <mercer/matrix.h>
#include <mercer/run.h>
#include <mercer/summary.h>

// Distances of a query to n items from its distances to m of them, the landmarks, with guarantees:
// for distances that are dear to measure (docs/methods/sparse_distance.md).

namespace mercer {

/// How squared distances to the landmarks become squared distances to all items. Each is an affine
/// map, exact on the landmarks.
enum class DistanceMap {
  regression,  ///< least squares over the items (Epstein & Betke's subset projection, W = 0): the
               ///< smallest average error
  orthogonal,  ///< orthogonal projection on the span of the landmarks: never negative where the
               ///< distance is Hilbertian
  affine,      ///< ridge regression of the squares themselves, its strength by cross-validation:
               ///< better for up to 4 landmarks, worse from 8 on
};

/// The origin of the space that the items are embedded in: k(x, y) = g(x) - d^2(x, y)/2 + g(y).
enum class DistanceOrigin {
  automatic,   ///< constant for Hamming, cosine, Jaccard and unit-norm kernels; else base_point
  constant,    ///< g = c: items on a sphere of squared radius 2c. Not positive semi-definite for
               ///< others, and bounds then take another origin
  base_point,  ///< g(x) = d^2(x, r_1)/2: the first landmark
  centroid,    ///< the mean of the landmarks
};

/// How landmarks are chosen among the items; see docs/methods/sparse_distance.md for the quality.
enum class SubsetSelection {
  automatic,         ///< swap; greedy where an error decides the number
  greedy,            ///< one after another, the largest gain of Tr(P K) each time
  greedy_frobenius,  ///< the same for the error |K - P K|_F that regression makes
  swap,              ///< greedy, then landmarks change places with items while that gains
  enumerate,         ///< the best of all subsets by Tr(P K): at most 10^6 of them
  enumerate_l1,      ///< by the sum of the absolute errors
  uniform,           ///< any items
  kmeans,            ///< k-means++ seeds: far from each other
  pivoted_cholesky,  ///< the item farthest from the span so far: chases outliers
  rpcholesky,        ///< randomly pivoted Cholesky
};

/// What to do where the squared distances turn out not to be conditionally negative definite, so
/// that no Hilbert space has them. Bounds and exact neighbours are refused then in any case.
enum class IndefinitePolicy {
  error,   ///< throw DataError
  warn,    ///< say so in the summary
  clip,    ///< drop the negative part of the embedding of the items
  shift,   ///< add a constant to all squares of different items, and to those of queries
  ignore,  ///< do not even look
};

struct SparseDistanceOptions {
  /// Number of landmarks, m. Empty: as many as `error` needs, or 32.
  std::optional<std::size_t> landmarks{};
  /// Instead of a number: the mean relative error of squared distances that landmarks are added
  /// for, one after another (greedy), as estimated by leaving out one item at a time.
  std::optional<double> error{};
  /// Most landmarks that an error may ask for.
  std::size_t max_landmarks = 256;
  SubsetSelection selection = SubsetSelection::automatic;
  /// Items to use as landmarks, numbered from 0, instead of choosing.
  std::vector<std::size_t> landmark_items{};
  /// Items to choose among; empty: all.
  std::vector<std::size_t> candidates{};

  DistanceMap map = DistanceMap::regression;
  DistanceOrigin origin = DistanceOrigin::automatic;
  /// c of a constant origin; empty: what suits the distance.
  std::optional<double> constant{};
  /// Your own map T (n x m, for `landmark_items`) in the place of `map`: kernel values with the
  /// landmarks to those with the items. Its rows at the landmarks must be those of the identity.
  Matrix<double> own_map{};

  /// Fit from the distances to so many items (drawn uniformly, landmarks among them) instead of
  /// all: n s distances in the place of n^2 / 2. 0: all.
  std::size_t sample = 0;
  IndefinitePolicy indefinite = IndefinitePolicy::warn;
  /// Keep the rows of all items, which neighbours need; otherwise of the landmarks only.
  bool keep_items = true;

  /// Throws InvalidArgument naming the field.
  void validate() const;
};

/// Distances that were measured.
struct DistanceEvaluations {
  std::uint64_t offline = 0;  ///< to fit
  std::uint64_t online = 0;   ///< for each query
};

/// What a fit did, how well, at what cost. `json()` follows docs/distance.schema.json.
struct DistanceSummary {
  std::string metric;
  std::vector<std::pair<std::string, double>> metric_parameters;
  std::size_t n = 0;
  std::size_t d = 0;  ///< columns of an item; 0 where items are no rows
  std::vector<std::size_t> landmarks;
  std::string map;
  std::string origin;
  std::string selection;
  std::size_t sample = 0;  ///< items that the map was fitted to
  std::size_t rank = 0;    ///< of the landmarks: fewer than their number where they are dependent
  /// What each landmark added to Tr(P K), for greedy choices, in their order.
  std::vector<double> gains;
  /// 1 - Tr(P K) / Tr K over the items chosen from: what the landmarks leave unexplained.
  std::optional<double> residual_trace_fraction;
  /// Mean of |estimate - truth| / truth of squared distances, each item estimated without itself.
  std::optional<double> relative_error;
  /// Root mean square over the items of the error of the coefficients, |beta^ - beta|_K.
  std::optional<double> coefficient_error;
  bool hilbertian = false;  ///< known to be; bounds hold
  /// Share of negative eigenvalues of the embedding, sum |l < 0| / sum |l|, where it was measured,
  /// and over how many items.
  std::optional<double> negative_share;
  std::size_t checked_items = 0;
  DistanceEvaluations distance_evaluations;
  double seconds = 0;
  std::vector<Phase> phases;
  std::uint64_t peak_memory_bytes = 0;
  Termination termination;
  std::vector<std::string> warnings;
  std::vector<Choice> choices;
  std::size_t threads = 0;
  std::string simd;
  std::uint64_t seed = 0;

  std::string brief() const;  ///< one line
  std::string full() const;   ///< several lines for people
  std::string json() const;
  /// The inverse of `json()`. Throws FileError when the text is not such a summary.
  static DistanceSummary from_json(const std::string& text);
};

/// What a run of queries did. `json()` follows docs/distance_query.schema.json.
struct DistanceQuerySummary {
  std::string metric;
  std::size_t n = 0;
  std::size_t landmarks = 0;
  std::uint64_t queries = 0;
  std::size_t neighbors = 0;  ///< 0: distances to all items
  std::optional<std::size_t> rerank{};
  std::uint64_t negatives = 0;  ///< estimates that were set to 0
  /// Offline: of the fit. Online: of all queries together.
  DistanceEvaluations distance_evaluations{};
  double seconds = 0;

  std::string json() const;
};

struct DistanceEstimates {
  Matrix<double> squared{};  ///< queries x items, not negative; measured ones at the landmarks
  /// Estimates that came out below 0 and were set to 0.
  std::uint64_t negatives = 0;
  /// Distance rho of each query from the span of the landmarks: large where estimates are poor.
  /// Empty unless the distance is Hilbertian.
  std::vector<double> residuals{};
  std::uint64_t distance_evaluations = 0;
};

struct DistanceBounds {
  Matrix<double> lower{};  ///< squares, queries x items
  Matrix<double> upper{};
  std::uint64_t distance_evaluations = 0;
};

struct NeighborOptions {
  std::size_t neighbors = 1;  ///< K
  /// Measure only so many items, those with the smallest estimates, beside the landmarks. Empty:
  /// exact neighbours, by bounds.
  std::optional<std::size_t> rerank{};
};

struct Neighbors {
  Matrix<std::int64_t> items{};  ///< queries x K, nearest first, the lower number on ties
  Matrix<double> squared{};      ///< their squared distances, measured
  std::uint64_t distance_evaluations = 0;
};

/// Immutable, cheap to copy (copies share their numbers), and safe to use from several threads.
///
/// Queries are rows of numbers as the items were (before the input maps), or, by an
/// IndexedDistance, anything. For precomputed distances a query is the row of its distances to all
/// items or, where only the landmarks are measured, to the landmarks in their order.
class SparseDistance final {
 public:
  ~SparseDistance();
  SparseDistance(const SparseDistance&);
  SparseDistance(SparseDistance&&) noexcept;
  SparseDistance& operator=(const SparseDistance&);
  SparseDistance& operator=(SparseDistance&&) noexcept;

  /// Squared distances to all items from those to the landmarks: m distances and n m multiply-adds
  /// for each query.
  DistanceEstimates estimate(MatrixView<const double> queries, const RunOptions& run = {}) const;
  DistanceEstimates estimate(const IndexedDistance& queries, const RunOptions& run = {}) const;
  /// The same from squared distances to the landmarks, queries x m, that were measured elsewhere.
  DistanceEstimates estimate_from_landmarks(MatrixView<const double> squared,
                                            const RunOptions& run = {}) const;

  /// What the squared distances are certain to lie between, for Hilbertian distances; otherwise
  /// throws InvalidArgument. With coordinates y in the span of the landmarks and distances rho from
  /// it: |y_q - y_i|^2 + (rho_q -+ rho_i)^2 (the n-simplex projection). Rounding may exceed them by
  /// about 1e-11 of the largest squares.
  DistanceBounds bounds(MatrixView<const double> queries, const RunOptions& run = {}) const;
  DistanceBounds bounds(const IndexedDistance& queries, const RunOptions& run = {}) const;

  /// The nearest items. Exact: items are measured in the order of their lower bounds until these
  /// exceed the K-th distance found, for Hilbertian distances only. With `rerank`: any distance.
  Neighbors neighbors(MatrixView<const double> queries, const NeighborOptions& options = {},
                      const RunOptions& run = {}) const;
  Neighbors neighbors(const IndexedDistance& queries, const NeighborOptions& options = {},
                      const RunOptions& run = {}) const;

  /// Upper bound of the error |beta^ - beta|_K of the coefficients of each query, from its
  /// distances to the landmarks alone: with Phi beta^ and the projections on the landmarks and on
  /// all items, the error is at most |Phi beta^ - P_R phi| + rho. Hilbertian distances, maps other
  /// than affine and your own.
  std::vector<double> coefficient_error_bounds(MatrixView<const double> queries,
                                               const RunOptions& run = {}) const;
  std::vector<double> coefficient_error_bounds(const IndexedDistance& queries,
                                               const RunOptions& run = {}) const;

  std::size_t items() const;
  /// Columns that a query has; 0 where items are no rows.
  std::size_t input_columns() const;
  std::span<const std::size_t> landmarks() const;
  /// The affine map of squared distances: A (n x m) and b (n).
  MatrixView<const double> weights() const;
  std::span<const double> offset() const;
  /// Standard error of the squared distances to each item, by leaving out one item at a time; empty
  /// where no item was left to leave out.
  std::span<const double> sigma() const;
  /// Whether bounds hold.
  bool hilbertian() const;
  const Distance& distance() const;
  const InputMaps& input() const;
  const DistanceSummary& summary() const;

  /// The same behind other input maps, which the items went through.
  SparseDistance with_input(InputMaps input) const;

  /// A container file of kind "distance".
  void save(const std::filesystem::path& path) const;
  static SparseDistance load(const std::filesystem::path& path);
  /// For custom distances of rows, whose function no file can hold. The name must agree.
  static SparseDistance load(const std::filesystem::path& path, const CustomDistance& distance);

  struct State;
  explicit SparseDistance(std::shared_ptr<const State> state);

 private:
  std::shared_ptr<const State> state_;
};

struct SparseDistanceFit {
  SparseDistance model;
  DistanceSummary summary;
};

/// S. Epstein, M. Betke, "The kernel semi-least squares method for sparse distance approximation".
/// Cost: n(n-1)/2 distances (n s with a sample of s), n^3 flops for the greedy choices and n^2 m
/// for the map, 16 n^2 bytes.
SparseDistanceFit fit_sparse_distance(const Distance& distance, MatrixView<const double> items,
                                      const SparseDistanceOptions& options = {},
                                      const RunOptions& run = {});
SparseDistanceFit fit_sparse_distance(const IndexedDistance& distance,
                                      const SparseDistanceOptions& options = {},
                                      const RunOptions& run = {});

/// How the Nystroem method inverts its approximation of the kernel matrix.
enum class NystromInverse {
  printed,         ///< U S^+ U^T with the method's eigenvectors, which are not orthonormal: as the
                   ///< paper has it, and no pseudo-inverse
  pseudo_inverse,  ///< a true one
};

/// For comparison: squared distances (queries x n, unclamped) by the projection beta = G^+ k(q),
/// where G is the Nystroem approximation from the landmarks. Unlike SparseDistance it needs all n
/// distances of a query, `query_squares` (queries x n); `squares` are those of the items (n x n),
/// `constant` the origin g.
Matrix<double> nystrom_estimates(MatrixView<const double> squares,
                                 std::span<const std::size_t> landmarks,
                                 MatrixView<const double> query_squares, double constant,
                                 NystromInverse inverse, const RunOptions& run = {});

}  // namespace mercer
