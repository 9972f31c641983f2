#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <mercer/kernel.h>
#include <mercer/matrix.h>
#include <mercer/model.h>
#include <mercer/precision.h>
#include <mercer/rows.h>
#include <mercer/run.h>

namespace mercer {

/// How landmarks are chosen among the rows.
enum class Selection {
  automatic,   ///< rpcholesky; k-means for the density-weighted evaluation
  rpcholesky,  ///< randomly pivoted Cholesky: P(row) ~ its squared distance from the span so far.
               ///< Never fails; sees outliers, clusters and copies alike
  uniform,     ///< every row alike: cheapest, misses outliers
  kmeans,      ///< means of k-means cells: best for d >= 10 and few landmarks; not rows
  leverage,    ///< recursive ridge leverage scores (Musco & Musco 2017)
  greedy,      ///< the farthest row in feature space each time: chases outliers
  farthest,    ///< the farthest row in the space of the points each time: chases outliers
};

/// What is computed from the landmarks.
enum class Evaluation {
  orthogonal,  ///< exact eigenpairs of the approximation K_nm K_mm^-1 K_mn; m kernel values a
               ///< new point
  nystrom,     ///< Williams & Seeger 2001: eigenvectors of the landmarks extended to all rows;
               ///< the model keeps all of them
  density_weighted,  ///< Zhang & Kwok 2010: as nystrom, landmarks weighted by their cells
  subsample,         ///< plain kernel PCA of the landmarks
};

enum class Polish {
  none,
  lloyd,  ///< landmarks move to the mean of their cells, kept only if that lowers the residual of
          ///< rows held out; worth 1.7 to 2 times more landmarks for d >= 10
};

inline constexpr double kDefaultSubspaceTolerance = 0.02;

/// Kernel PCA through m landmark points: n m instead of n^2 kernel values, one or two passes over
/// the rows, m^2 memory.
struct LandmarkOptions {
  std::size_t components = 10;
  /// Instead of a count: as many as explain this fraction (0, 1] of the total variance (of its
  /// upper end, so at least this fraction is explained).
  std::optional<double> retain{};
  /// Instead of a count: all with an eigenvalue of at least this.
  std::optional<double> min_eigenvalue{};
  bool center = true;
  /// One positive weight per row, or empty. Sources of rows bring their own.
  std::vector<double> weights{};
  Precision precision = Precision::float64;

  /// A fixed number of landmarks; only the rank of the data stops it earlier. Empty: as many as the
  /// tolerances need.
  std::optional<std::size_t> landmarks{};
  Selection selection = Selection::automatic;
  /// Rows to use as landmarks, numbered from 0, instead of choosing. Rows that depend on those
  /// before them are dropped.
  std::vector<std::size_t> landmark_rows{};
  Evaluation evaluation = Evaluation::orthogonal;
  Polish polish = Polish::none;

  /// Largest sine of an angle between the spaces that the components span over the rows, with the
  /// landmarks and with all rows in their place, as estimated from doubling the landmarks. Right
  /// for scores. Empty: 0.02, or no matter when `tolerance` is given; given both, both must hold.
  std::optional<double> subspace_tolerance{};
  /// Largest tr(K - K') / tr K. Right for reconstruction.
  std::optional<double> tolerance{};
  /// Most landmarks that the tolerances may ask for.
  std::size_t max_landmarks = 4000;

  /// Also estimate the spectral and Frobenius norm of K - K', with their confidence.
  bool certify = false;

  /// Throws InvalidArgument naming the field.
  void validate() const;
};

/// Cost: n m (d + m) flops and n m kernel values for the pass, memory 4 m^2 bytes and a sample of
/// the rows for the choice. Throws InvalidArgument for kernels that are not positive semi-definite
/// and for precomputed ones.
Fit fit_landmarks(MatrixView<const double> points, const Kernel& kernel,
                  const LandmarkOptions& options = {}, const RunOptions& run = {});

/// Reads the rows two or three times (sample, an optional refinement of the landmarks, sums); never
/// more than a sample and one block of them is in memory. The same bits as from memory. Evaluations
/// that keep all rows are refused.
Fit fit_landmarks(RowSource& rows, const Kernel& kernel, const LandmarkOptions& options = {},
                  const RunOptions& run = {});

/// What landmark kernel PCA needs to know of a part of the data: sums that add up. Parts of one
/// data set may be summarised at different times or on different machines, with the landmarks of
/// one model, and merged exactly.
class LandmarkPart {
 public:
  /// No rows yet; landmarks, kernel and input maps are those of the model, which must have come
  /// from the orthogonal evaluation or another one with m kernel values a point.
  explicit LandmarkPart(const Model& landmarks);
  ~LandmarkPart();
  LandmarkPart(const LandmarkPart&);
  LandmarkPart(LandmarkPart&&) noexcept;
  LandmarkPart& operator=(const LandmarkPart&);
  LandmarkPart& operator=(LandmarkPart&&) noexcept;

  /// Rows as they come from a file: the input maps of the model are applied to them.
  void add(MatrixView<const double> points, std::span<const double> weights = {},
           const RunOptions& run = {});
  void add(RowSource& rows, const RunOptions& run = {});
  /// Throws InvalidArgument, saying what differs, when the other part has other landmarks.
  void merge(const LandmarkPart& other);

  std::size_t rows() const;
  double total_weight() const;
  std::size_t landmarks() const;
  /// The landmarks themselves, after the input maps.
  MatrixView<const double> library() const;
  const Kernel& kernel() const;
  const InputMaps& input() const;

  /// The model of all rows added so far; `components`, `retain`, `min_eigenvalue` and `center` of
  /// the options count.
  Fit finish(const LandmarkOptions& options = {}, const RunOptions& run = {}) const;

  /// A container file of kind "accumulator".
  void save(const std::filesystem::path& path) const;
  static LandmarkPart load(const std::filesystem::path& path);

 private:
  struct State;
  explicit LandmarkPart(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace mercer
