// A map from scores back to points by kernel ridge regression. G. Bakir, J. Weston, B. Schoelkopf,
// "Learning to find pre-images", NIPS 2004; scikit-learn's inverse_transform is the same map.
//
//   symbol      meaning
//   S           scores of the library points C, s x k
//   D           (k(S, S) + alpha 1)^-1 C, so that a point with scores z goes to D^T k_S(z)
//
// Cost: s^2 kernel values twice, s^3/3 flops, 8 s^2 bytes.

#include <cmath>

#include <fmt/format.h>

#include <mercer/error.h>
#include <mercer/preimage.h>

#include "engine/blas.h"
#include "engine/kernel_matrix.h"
#include "engine/parallel.h"
#include "methods/weighted_centers.h"
#include "system/memory.h"

namespace mercer {

namespace {

void require_learnable(const Model& model) {
  if (model.library_size() == 0) {
    throw InvalidArgument(
        std::holds_alternative<Linear>(model.kernel())
            ? "a model over a linear kernel gives points back exactly: there is nothing to learn"
            : "this model keeps no points that a map from scores to points could be learned from");
  }
  if (!model.degree_weights().empty()) {
    throw InvalidArgument(
        "the components of this model are functions on a graph, not projections in feature space: "
        "there is no map back to learn");
  }
  if (!model.input().projection.empty()) {
    throw InvalidArgument(
        "this model sees its rows through a random projection: a map learned from its library "
        "would give projected points. Fit without one");
  }
  if (std::holds_alternative<Chi2>(model.kernel()) ||
      std::holds_alternative<ExponentialChi2>(model.kernel())) {
    throw InvalidArgument(fmt::format(
        "the map from scores to points uses the model's kernel on scores, which may be negative; "
        "{} takes none",
        kernel_name(model.kernel())));
  }
}

}  // namespace

Model learn_preimage(const Model& model, double alpha, const RunOptions& run) {
  if (!(alpha > 0 && std::isfinite(alpha))) {
    throw InvalidArgument(fmt::format("alpha must be positive and finite, it is {}", alpha));
  }
  require_learnable(model);
  const std::size_t s = model.library_size();
  const double bytes = 8.0 * static_cast<double>(s) * static_cast<double>(s);
  const auto limit = static_cast<double>(system::memory_limit_bytes(run.memory_limit_bytes));
  if (bytes > limit) {
    throw MemoryLimitError(fmt::format(
        "a map from scores to points learned from {} points of the library needs about {}, more "
        "than the limit of {}: use a method with a smaller library, or raise the limit",
        s, system::format_bytes(bytes), system::format_bytes(limit)));
  }
  ModelParts parts = methods::parts_of(model);
  parts.preimage_scores = model.with_input({}).transform(model.library(), run);
  engine::Workers workers(run);
  workers.begin_phase("map to points");
  auto gram =
      engine::kernel_matrix(model.kernel(), parts.preimage_scores, parts.preimage_scores, workers);
  for (std::size_t i = 0; i < s; ++i) gram(i, i) += alpha;
  if (!engine::cholesky_lower(gram)) {
    throw NumericalError(
        fmt::format("the kernel matrix of the scores plus {} on the diagonal is not positive "
                    "definite, so no map from scores to points can be learned: raise alpha",
                    alpha));
  }
  parts.preimage_coefficients = Matrix<double>(model.library());
  engine::solve_lower(gram, parts.preimage_coefficients);
  engine::solve_lower_transposed(gram, parts.preimage_coefficients);
  return Model(std::move(parts)).with_input(model.input()).with_summary(model.summary());
}

}  // namespace mercer
