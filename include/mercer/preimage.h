#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <mercer/matrix.h>
#include <mercer/run.h>

namespace mercer {

class Model;

/// A model keeps of phi(x) its projection P phi(x), which is a point of feature space and seldom
/// the image of any point. How a point z is found whose image is near:
enum class Preimage {
  /// The nearest image: a fixed point z = sum w_j c_j / sum w_j, w_j = gamma_j k(z, c_j), reached
  /// from x (Mika et al., NIPS 1998). Gaussian, Matern and rational quadratic kernels.
  mika,
  /// The first step of that, with <P phi(x), phi(c_j)> in the place of k(z, c_j) (Rathi,
  /// Dambreville,
  /// Tannenbaum 2006). The same kernels.
  one_step,
  /// The point whose distances to the nearest points of the library are those that their images
  /// have from P phi(x) (Kwok, Tsang 2004). The same kernels and laplacian.
  kwok_tsang,
  /// A map from scores to points that was learned by ridge regression (Bakir, Weston, Schoelkopf
  /// 2004) and is part of the model: see `learn_preimage`. Any kernel.
  ridge,
};

struct PreimageOptions {
  Preimage method = Preimage::mika;
  /// mika ends when a step is shorter than this times the spread of the library (root mean square
  /// distance from its mean).
  double tolerance = 1e-5;
  std::size_t max_iterations = 100;
  /// kwok_tsang: how many points of the library give distances.
  std::size_t neighbors = 50;
  /// kwok_tsang: directions along which these points extend less than this times the farthest are
  /// left out. Small values make small errors of distances large.
  double cutoff = 0.1;

  void validate() const;
};

/// How well pre-images are known.
struct PreimageReport {
  std::size_t most_iterations = 0;  ///< mika: that any point took
  std::size_t not_converged = 0;    ///< mika: points that reached the limit of iterations
  std::size_t one_step = 0;  ///< mika: points whose weights cancel, found by one step instead
  std::size_t nearest = 0;   ///< points for which that failed too: given a point of the library
  std::size_t faint = 0;     ///< points with |P phi(x)|^2 < 0.01: the model keeps next to nothing

  /// Of other points, by the same options.
  void add(const PreimageReport& other);
  /// What these numbers mean, in words; empty when all is well.
  std::vector<std::string> warnings() const;
};

struct Reconstruction {
  Matrix<double> points;  ///< in the units of the rows given
  PreimageReport report;
};

/// The model with a map from scores to points beside it, for `Preimage::ridge`: a kernel ridge
/// regression, with the model's own kernel, of the points of the library on their scores. With
/// all training points in the library these are the numbers of scikit-learn's inverse_transform.
/// `alpha` > 0 is what the regression adds to the diagonal.
///
/// Cost: s^2 kernel values twice, s^3/3 flops, 8 s^2 bytes; the model grows by 8 s (k + d) bytes.
///
/// Throws InvalidArgument for models without points or without scores in feature space (see
/// `Model::reconstruct`), and for kernels that take no negative numbers; NumericalError when the
/// kernel matrix of the scores is not positive definite (raise alpha); MemoryLimitError.
Model learn_preimage(const Model& model, double alpha = 1, const RunOptions& run = {});

}  // namespace mercer
