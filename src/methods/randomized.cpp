// Kernel PCA of a random kernel matrix. D. Achlioptas, F. McSherry, B. Schoelkopf, "Sampling
// techniques for kernel principal component analysis", NIPS 2001, sections 2 and 3.
//
//   symbol        meaning
//   K, K'         kernel matrix, and a random symmetric one with mean K (randomized_gram.h)
//   E             K' - K
//   K0            what of K is known without rounding (control_variate.h); not in the paper
//   s             one entry in s is kept
//   b, low, high  largest magnitude, and the levels that entries of K - K0 are rounded to
//   H             I - 1 1^T / n, or I when not centred
//   lambda, u     largest eigenvalues of H K' H and unit eigenvectors
//   B, b          u / sqrt(lambda), and -B^T K' 1 / n
//
// Where this departs from the paper: entries (i, j) and (j, i) are one draw, as the theorems need;
// the diagonal is exact; K0; levels other than -b and b.
//
// Cost: n^2 / (2 s) kernel values and 5 n^2 / s bytes (sparse), n^2 / 2 to n^2 of them and n^2 / 16
// bytes (two levels), n q of each for K0, and n^2 / s multiply-adds a column of each product. All
// rows stay in the model. Prefer it when the kernel matrix does not fit in memory and landmarks
// leave out too much, or when a kernel value costs more than everything else; otherwise landmarks,
// which are faster, smaller, and certain of their error.

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <mercer/error.h>
#include <mercer/randomized.h>

#include "engine/gram.h"
#include "engine/kernel_value.h"
#include "engine/randomized_gram.h"
#include "methods/centered_gram.h"
#include "methods/component_choice.h"
#include "methods/control_variate.h"
#include "methods/fit_record.h"
#include "methods/randomized_certificates.h"
#include "methods/randomized_plan.h"
#include "methods/randomized_spectrum.h"
#include "methods/rayleigh_ritz.h"
#include "methods/row_expansion.h"

namespace mercer {

namespace {

using engine::EntryRange;
using engine::RandomizedGram;
using methods::CenteredGram;
using methods::RandomizedSpectrum;

// Purposes of random streams.
constexpr std::uint64_t kControlStream = 0x72616e64636f6e74;
constexpr std::uint64_t kEntryStream = 0x72616e64656e7472;

/// Eigenvectors beyond those kept: one for the gap, and more for a span to choose from.
constexpr std::size_t kExtraForGap = 1;
constexpr std::size_t kExtraForRayleigh = 5;

/// Components and what a model of them needs to know of the kernel matrix.
struct Components {
  methods::RitzComponents found;
  std::vector<double> row_means;
  double mean_norm2 = 0;
};

class RandomizedFit {
 public:
  RandomizedFit(MatrixView<const double> points, const RandomizedOptions& options,
                const RunOptions& run)
      : points_(points),
        options_(options),
        record_("randomized", run),
        choice_(options.components, options.retain, options.min_eigenvalue),
        stream_(run.seed),
        rounding_{.sparsity = methods::sparsity_of(options)} {}

  Fit run(const Kernel& asked);

 private:
  std::size_t extra() const { return options_.rayleigh ? kExtraForRayleigh : kExtraForGap; }
  /// Kernel values of one triangle and the diagonal.
  std::uint64_t triangle() const {
    const auto n = static_cast<std::uint64_t>(points_.rows());
    return n * (n + 1) / 2;
  }
  EntryRange choose_levels(const Kernel& kernel, const engine::LowRank& control);
  std::unique_ptr<RandomizedGram> make_gram(const Kernel& kernel);
  void certify(const Kernel& kernel, RandomizedGram& gram, const RandomizedSpectrum& spectrum);
  void report(const RandomizedSpectrum& spectrum, const RandomizedGram& gram);
  Components components(const Kernel& kernel);
  Components refine(const Kernel& kernel, RandomizedSpectrum spectrum);

  MatrixView<const double> points_;
  const RandomizedOptions& options_;
  methods::FitRecord record_;
  methods::ComponentChoice choice_;
  engine::RandomStream stream_;
  engine::EntryRounding rounding_;
  double total_variance_ = 0;
};

/// Levels that enclose all entries of K - K0, by a pass over these where nothing else tells.
EntryRange RandomizedFit::choose_levels(const Kernel& kernel, const engine::LowRank& control) {
  const auto known = methods::levels_beforehand(options_, kernel, points_, control);
  if (known) return *known;
  record_.begin("levels");
  const EntryRange range = engine::residual_range(kernel, points_, control, record_.workers());
  record_.summary().kernel_evaluations += triangle();
  return methods::levels_around(range, options_.quantize, kernel);
}

std::unique_ptr<RandomizedGram> RandomizedFit::make_gram(const Kernel& kernel) {
  const ControlVariate kind = methods::control_of(options_, kernel);
  const std::size_t n = points_.rows();
  methods::require_randomized_fits(n, points_.cols(), std::min(choice_.first_guess(n) + extra(), n),
                                   options_, kind, record_.memory_limit_bytes());
  record_.begin("control");
  auto control = methods::make_control(kind, options_.control_landmarks, kernel, points_,
                                       stream_.substream(kControlStream), record_.workers());
  Summary& summary = record_.summary();
  summary.kernel_evaluations += control.kernel_evaluations;
  if (options_.quantize != EntryLevels::none) {
    rounding_.levels = choose_levels(kernel, control.matrix);
    record_.choice("levels",
                   fmt::format("{:.6g}, {:.6g}", rounding_.levels->low, rounding_.levels->high),
                   "they enclose the entries that are rounded");
  }
  record_.begin("gram");
  auto gram =
      std::make_unique<RandomizedGram>(kernel, points_, std::move(control.matrix), rounding_,
                                       stream_.substream(kEntryStream), record_.workers());
  summary.kernel_evaluations += gram->kernel_evaluations();
  return gram;
}

void RandomizedFit::certify(const Kernel& kernel, RandomizedGram& gram,
                            const RandomizedSpectrum& spectrum) {
  record_.begin("certificates");
  Summary& summary = record_.summary();
  if (gram.kept() == 0 && points_.rows() > 1) {
    summary.warnings.push_back(
        fmt::format("not one entry of the kernel matrix was kept: sparsify = {} is too large for "
                    "{} rows, and nothing is known of the error",
                    rounding_.sparsity, points_.rows()));
    return;
  }
  std::optional<methods::MeasuredNorm> measured;
  engine::EntryNoise noise = gram.noise();
  if (options_.certify) {
    if (!noise.all_seen) {
      noise = engine::residual_noise(kernel, points_, gram.control(), rounding_, record_.workers());
      summary.kernel_evaluations += triangle();
    }
    const auto exact = engine::make_gram(kernel, points_, {.stored = false}, record_.workers());
    measured = methods::measured_error_norm(gram, *exact, record_.seed(), record_.workers());
    summary.kernel_evaluations += exact->kernel_evaluations();
  }
  methods::add_randomized_certificates(summary, noise, rounding_, measured, spectrum.values,
                                       spectrum.kept);
  const auto& ratios = summary.certified_ratio;
  if (!measured && !ratios.empty() && methods::prediction_is_doubtful(noise, rounding_)) {
    summary.warnings.emplace_back(
        "a few large entries carry the error of the kernel matrix, so its norm may be larger than "
        "predicted and certified_ratio smaller: certify measures it");
  }
  if (!ratios.empty() && std::ranges::max(ratios) < 1) {
    summary.warnings.emplace_back(
        "no component can be trusted: the error of the kernel matrix is as large as the gaps "
        "between its eigenvalues; keep more entries (a smaller sparsify) or give the control more "
        "landmarks");
  }
}

void RandomizedFit::report(const RandomizedSpectrum& spectrum, const RandomizedGram& gram) {
  Summary& summary = record_.summary();
  summary.solver_residual = spectrum.residual;
  record_.choice("solver", spectrum.solver,
                 spectrum.solver == "dense"
                     ? fmt::format("n = {} is small, or {} components a large share of it",
                                   points_.rows(), spectrum.values.size())
                     : fmt::format("asked for, {} products", spectrum.products));
  record_.choice("entries", fmt::format("{} kept", gram.kept()),
                 fmt::format("of the {} off the diagonal, one in {:g}",
                             points_.rows() * (points_.rows() - 1) / 2, rounding_.sparsity));
  if (!spectrum.converged) {
    summary.termination = {TerminationReason::not_converged,
                           fmt::format("the solver stopped at {} products with residual {:.1e}; "
                                       "raise max_products or solver_tolerance",
                                       spectrum.products, spectrum.residual)};
  }
  if (rounding_.sparsity == 1 && !rounding_.levels) {
    summary.warnings.emplace_back(
        "sparsify = 1 without quantisation keeps every kernel value: the exact method does the "
        "same in less time and memory");
  }
}

/// Rayleigh-Ritz with the true kernel matrix in the span of the eigenvectors.
Components RandomizedFit::refine(const Kernel& kernel, RandomizedSpectrum spectrum) {
  record_.begin("rayleigh");
  const std::size_t n = points_.rows();
  const auto positive = static_cast<std::size_t>(
      std::ranges::count_if(spectrum.values, [](double value) { return value > 0; }));
  Matrix<double> v(n, engine::padded_columns(positive));
  for (std::size_t i = 0; i < n; ++i) {
    std::copy_n(spectrum.vectors.row(i).begin(), positive, v.row(i).begin());
  }
  spectrum.vectors = {};
  const auto exact = engine::make_gram(kernel, points_, {.stored = false}, record_.workers());
  CenteredGram a(*exact, {}, options_.center, record_.workers());
  Components result{.found = methods::rayleigh_ritz(a, std::move(v), record_.workers()),
                    .row_means = {a.row_means().begin(), a.row_means().end()},
                    .mean_norm2 = a.mean_norm2()};
  record_.summary().kernel_evaluations += exact->kernel_evaluations();
  total_variance_ = a.total_variance();
  const std::size_t k = std::min(spectrum.kept, result.found.values.size());
  result.found.values.resize(k);
  if (k > 0) {
    result.found.coefficients = Matrix<double>(result.found.coefficients.view().cols_from(0, k));
  }
  return result;
}

Components RandomizedFit::components(const Kernel& kernel) {
  auto gram = make_gram(kernel);
  record_.begin("eigenpairs");
  CenteredGram a(*gram, {}, options_.center, record_.workers());
  total_variance_ = a.total_variance();
  RandomizedSpectrum spectrum =
      methods::randomized_spectrum(a, choice_, options_, extra(), record_.seed(),
                                   record_.memory_limit_bytes(), record_.workers());
  certify(kernel, *gram, spectrum);
  report(spectrum, *gram);
  if (spectrum.kept == 0) return {};
  Components result{.found = {},
                    .row_means = {a.row_means().begin(), a.row_means().end()},
                    .mean_norm2 = std::max(a.mean_norm2(), 0.0)};
  gram.reset();
  if (options_.rayleigh) return refine(kernel, std::move(spectrum));
  spectrum.values.resize(spectrum.kept);
  result.found.coefficients = Matrix<double>(spectrum.vectors.view().cols_from(0, spectrum.kept));
  for (std::size_t i = 0; i < points_.rows(); ++i) {
    for (std::size_t j = 0; j < spectrum.kept; ++j) {
      result.found.coefficients(i, j) /= std::sqrt(spectrum.values[j]);
    }
  }
  result.found.values = std::move(spectrum.values);
  return result;
}

Fit RandomizedFit::run(const Kernel& asked) {
  record_.begin("bandwidth");
  const Kernel kernel = record_.resolve(asked, points_);
  Components found = components(kernel);
  record_.begin("model");
  Summary& summary = record_.summary();
  std::optional<Interval> total = Interval{total_variance_, total_variance_};
  if (!options_.rayleigh) {
    // Variances of the random matrix, not of the points: nothing follows for the reconstruction.
    summary.total_variance = std::exchange(total, std::nullopt);
    for (const double value : found.found.values) {
      summary.explained_variance_ratio.push_back(value / total_variance_);
    }
    record_.choice("scores", "those of transform",
                   "the eigenvectors of the random matrix times the roots of its eigenvalues "
                   "differ from them by its error");
  }
  ModelParts parts = methods::row_expansion(points_, kernel, std::move(found.found),
                                            found.row_means, found.mean_norm2, options_.center);
  return record_.finish(std::move(parts), points_.rows(), points_.cols(), total,
                        choice_.is_open() ? 0 : options_.components);
}

}  // namespace

Fit fit_randomized(MatrixView<const double> points, const Kernel& kernel,
                   const RandomizedOptions& options, const RunOptions& run) {
  options.validate();
  methods::check_kernel(kernel);
  if (std::holds_alternative<Precomputed>(kernel)) {
    throw InvalidArgument(
        "randomized saves kernel values and their memory, which a precomputed kernel matrix has "
        "taken already: use the exact method");
  }
  engine::check_training_points(kernel, points);
  return RandomizedFit(points, options, run).run(kernel);
}

}  // namespace mercer
