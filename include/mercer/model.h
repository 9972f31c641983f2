#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include <mercer/input.h>
#include <mercer/kernel.h>
#include <mercer/matrix.h>
#include <mercer/preimage.h>
#include <mercer/run.h>
#include <mercer/summary.h>

namespace mercer {

/// The numbers a model is made of, in the order of the pipeline
///     x -> input maps -> f(x) -> B^T f(x) + b -> normaliser -> z.
/// The feature map f is one of
///     library      f(x)_j = k(c_j, x), kernel values against points C
///     frequencies  f(x) = sqrt(2/D) [cos w_1 x, sin w_1 x, cos w_2 x, sin w_2 x, ...], D random
///                  features for D/2 frequencies w_j; f(x)^T f(y) approximates k(x, y)
///     neither      x itself: a linear kernel, whose B is d x k, or kernel values given by the
///                  caller (precomputed)
/// The normaliser, where there is one, divides by the degree of x in the graph of the library,
///     z_k(x) = (B^T f(x) + b)_k / (d(x) - mu_k),    d(x) = sum_j w_j k(c_j, x).
struct ModelParts {
  Kernel kernel;  ///< every parameter set
  InputMaps input;
  Matrix<double> library;       ///< C, s x d, after the input maps
  Matrix<double> frequencies;   ///< rows w_j, D/2 x d, after the input maps
  Matrix<double> coefficients;  ///< B, s x k; D x k for frequencies, d x k for a linear kernel
  std::vector<double> offset;   ///< b, k
  /// k, descending; ascending with a `degree_shift`, where the smallest matter most; empty where
  /// components are features that belong to no eigenvalues.
  std::vector<double> eigenvalues;
  double total_weight = 0;  ///< N
  /// Feature mean = sum_j mean_coefficients_j phi(c_j), or with frequencies the mean of f itself;
  /// empty when the model is not centred or the method has none.
  std::vector<double> mean_coefficients;
  double mean_norm2 = 0;  ///< squared feature-space norm of that mean
  /// w, s: makes the normaliser, which needs a library and excludes `mean_coefficients`; empty:
  /// none.
  std::vector<double> degree_weights;
  std::vector<double> degree_shift;  ///< mu, k; empty: zeros
  /// The learned map from scores z to points, D^T k_S(z), k_S(z)_j = k(s_j, z): S (k columns) and D
  /// (a column for each of the points'). Empty where none was learned.
  Matrix<double> preimage_scores;
  Matrix<double> preimage_coefficients;
  bool centered = true;
  Summary summary;  ///< of the fit
};

/// A fitted feature extractor. Immutable, cheap to copy (copies share their numbers), and safe to
/// use from several threads at once.
class Model final {
 public:
  /// Throws InvalidArgument when the parts do not fit together.
  explicit Model(ModelParts parts);
  ~Model();
  Model(const Model&);
  Model(Model&&) noexcept;
  Model& operator=(const Model&);
  Model& operator=(Model&&) noexcept;

  /// Component values of each row, n x components(). Same bits for every number of threads and for
  /// any way of cutting the rows into calls. The float overload evaluates kernels in single
  /// precision, about 1e-5 relative to the largest score (random features in double: their phases
  /// need it).
  ///
  /// NaN where a normaliser has nothing to divide by: a whole row where d(x) is not positive or so
  /// small that the kernel values underflow (a point far from the whole library), a single entry
  /// where d(x) and mu_k agree to rounding.
  Matrix<double> transform(MatrixView<const double> points, const RunOptions& run = {}) const;
  Matrix<float> transform(MatrixView<const float> points, const RunOptions& run = {}) const;

  /// Squared feature-space distance of each row to the kept subspace (through the mean when
  /// centred): how badly the model represents the point. Throws InvalidArgument for a precomputed
  /// kernel, whose k(x, x) is unknown, for methods that keep no mean, and for models with a
  /// normaliser: their components are functions on a graph, not projections in feature space.
  std::vector<double> residual(MatrixView<const double> points, const RunOptions& run = {}) const;

  /// Points whose images are near the projections of these rows onto the kept subspace: what the
  /// model keeps of them. Smooths noise away; a row that the model represents well comes back. For
  /// a linear kernel this is the projection itself, whatever the options. Same bits for any number
  /// of threads and for any way of cutting the rows into calls.
  ///
  /// Cost a point: s (d + k) multiply-adds, for mika and each of its iterations 2 s d more;
  /// one_step and kwok_tsang need s^2 kernel values once.
  ///
  /// Throws InvalidArgument for models over a precomputed kernel or random features and behind a
  /// random projection, whose points are not those of the rows; for models with a normaliser or
  /// without the mean that they are centred by; for kernels that the method does not know; for
  /// ridge where no map was learned.
  Reconstruction reconstruct(MatrixView<const double> points, const PreimageOptions& options = {},
                             const RunOptions& run = {}) const;

  std::size_t components() const;
  /// Columns that `transform` expects (for a precomputed kernel: the number of library points).
  std::size_t input_columns() const;
  /// Points in the library; 0 for the other feature maps.
  std::size_t library_size() const;
  const Kernel& kernel() const;
  const InputMaps& input() const;
  MatrixView<const double> library() const;
  /// Empty unless the model has random features.
  MatrixView<const double> frequencies() const;
  MatrixView<const double> coefficients() const;
  std::span<const double> offset() const;
  std::span<const double> eigenvalues() const;
  double total_weight() const;
  bool centered() const;
  /// nu, the feature-space mean being sum_j nu_j phi(c_j), and its squared norm; empty and 0 where
  /// the method has none.
  std::span<const double> mean_coefficients() const;
  double mean_norm2() const;
  /// w of the degree d(x) = sum_j w_j k(c_j, x) that the components are divided by; empty for
  /// models without a normaliser.
  std::span<const double> degree_weights() const;
  /// mu, subtracted from the degree component by component; empty where it is zero.
  std::span<const double> degree_shift() const;
  /// The learned map from scores to points: `learn_preimage`.
  bool has_preimage_map() const;
  MatrixView<const double> preimage_scores() const;
  MatrixView<const double> preimage_coefficients() const;
  const Summary& summary() const;

  /// The same model behind other input maps. The library stays as it is, so the maps must be the
  /// ones that the training points went through.
  Model with_input(InputMaps input) const;

  /// The same model with another account of its fit.
  Model with_summary(Summary summary) const;

  /// Writes a `.mercer` file (docs/model_file.md): to a temporary file beside it, synced, renamed.
  /// Throws FileError; an existing file then stays as it was.
  void save(const std::filesystem::path& path) const;
  /// Reads and checks everything (sizes, types, finite values, checksum) before use.
  static Model load(const std::filesystem::path& path);
  /// For models over a custom kernel, whose function no file can hold. The name must agree.
  static Model load(const std::filesystem::path& path, const Custom& kernel);

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

/// What every fit returns.
struct Fit {
  Model model;
  Summary summary;
};

}  // namespace mercer
