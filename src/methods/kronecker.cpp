// Kernel PCA through a Kronecker product. G. Wu, Z. Zhang, E. Chang, "Kronecker factorization for
// speeding up kernel machines", SIAM Data Mining 2005 (the idea of a product of two small positive
// semi-definite factors); C. Van Loan, N. Pitsianis, "Approximation with Kronecker products", 1993
// (how to find the nearest one).
//
//   symbol      meaning
//   n1, n2      groups, and rows in a group; n - n1 n2 rows are left over
//   K           Gram matrix of the n1 n2 rows in the chosen order, in n2 x n2 blocks K_ij
//   K1, K2      n1 x n1 and n2 x n2, minimising |K - K1 (x) K2|_F
//   lambda, u   eigenpairs of K1 (x) K2: products l1_a l2_b with vectors u1_a (x) u2_b
//   B           u / sqrt(lambda), zero for the rows left over; b = 0. With centring, Rayleigh-Ritz
//               in the span of the first k + 5 vectors u (rayleigh_ritz.h)
//
// Cost: n^2 / 2 kernel values and 4 n^2 flops a sweep, 4 to 8 sweeps, n1^3 + n2^3 for the factors,
// one or two passes more with centring; 4 n^2 bytes where that fits, O(n) otherwise; n kernel
// values a new point. The product repeats one pattern of n2 rows in every group, which only a full
// grid listed in grid order has (with a kernel that is a product over its axes: then K is such a
// product, found in one sweep). Everywhere else landmarks leave out less for m n kernel values.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <mercer/error.h>
#include <mercer/kronecker.h>

#include "engine/block_gram.h"
#include "engine/gram.h"
#include "engine/kernel_value.h"
#include "engine/nearest_product.h"
#include "methods/centered_gram.h"
#include "methods/component_choice.h"
#include "methods/fit_record.h"
#include "methods/kronecker_order.h"
#include "methods/kronecker_plan.h"
#include "methods/kronecker_report.h"
#include "methods/product_spectrum.h"
#include "methods/rayleigh_ritz.h"
#include "methods/row_expansion.h"

namespace mercer {

namespace {

using engine::BlockGram;
using methods::ProductSpectrum;

// Purpose of a random stream.
constexpr std::uint64_t kOrderStream = 0x6b726f6e6f726472;

/// The components that are found: values and coefficients of the rows, in the order of the data.
using Components = methods::RitzComponents;

class KroneckerFit {
 public:
  KroneckerFit(MatrixView<const double> points, const KroneckerOptions& options,
               const RunOptions& run)
      : points_(points),
        options_(options),
        record_("kronecker", run),
        choice_(options.components, options.retain, options.min_eigenvalue),
        plan_(points, options.groups, options.center, record_.workers().threads()) {}

  Fit run(const Kernel& asked);

 private:
  ProductSpectrum factorize(const Kernel& kernel);
  template <class Make>
  Components enough_components(const ProductSpectrum& spectrum, double trace, const Make& make);
  Components product_components(const ProductSpectrum& spectrum, const Kernel& kernel);
  Components centred_components(const ProductSpectrum& spectrum, const Kernel& kernel);

  std::size_t first_guess() const { return choice_.first_guess(plan_.used()); }

  MatrixView<const double> points_;
  const KroneckerOptions& options_;
  methods::FitRecord record_;
  methods::ComponentChoice choice_;
  methods::KroneckerPlan plan_;
  double total_variance_ = 0;
  std::vector<double> row_means_;  ///< of the kernel matrix; zeros when not centred
  double mean_norm2_ = 0;
};

ProductSpectrum KroneckerFit::factorize(const Kernel& kernel) {
  const double limit = record_.memory_limit_bytes();
  plan_.require(first_guess(), limit);
  const bool stored = plan_.bytes_with_blocks(first_guess()) <= limit;
  methods::report_plan(plan_, options_, first_guess(), stored, record_);

  record_.begin("order");
  const auto rows = points_.rows_from(0, plan_.used());
  auto order = methods::kronecker_order(
      rows, options_.order, plan_.n2(),
      engine::RandomStream(record_.seed()).substream(kOrderStream), record_.workers());
  auto ordered = Matrix<double>::uninitialized(rows.rows(), rows.cols());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    std::ranges::copy(rows.row(order[i]), ordered.row(i).begin());
  }

  record_.begin("gram");
  BlockGram gram(kernel, ordered, plan_.n2(), stored, record_.workers());
  record_.begin("product");
  auto product = engine::nearest_product(
      gram, {.tolerance = options_.sweep_tolerance, .max_sweeps = options_.max_sweeps},
      record_.workers());
  record_.summary().kernel_evaluations = gram.kernel_evaluations();
  methods::report_product(product, record_);

  record_.begin("eigenpairs");
  ProductSpectrum spectrum(std::move(product), std::move(order));
  methods::report_negative(spectrum, kernel, record_);
  return spectrum;
}

/// `make` gives components from eigenpairs of the product: from ever more of these, until there
/// are as many as the options ask for. `trace` is that of the matrix before centring.
template <class Make>
Components KroneckerFit::enough_components(const ProductSpectrum& spectrum, double trace,
                                           const Make& make) {
  for (std::size_t count = first_guess();; count *= 2) {
    plan_.require(count, record_.memory_limit_bytes());
    const auto pairs = spectrum.largest(count + methods::kExtraVectors);
    Components found = make(pairs);
    const double largest = found.values.empty() ? 0 : found.values.front();
    const auto kept = choice_.count(found.values, total_variance_,
                                    methods::noise_level(largest, trace, points_.rows(), false));
    if (!kept && pairs.size() == count + methods::kExtraVectors) continue;
    found.values.resize(kept.value_or(found.values.size()));
    found.coefficients =
        Matrix<double>(found.coefficients.view().cols_from(0, found.values.size()));
    return found;
  }
}

/// The first eigenpairs of the product itself.
Components KroneckerFit::product_components(const ProductSpectrum& spectrum, const Kernel& kernel) {
  for (const double value : engine::kernel_diagonal(kernel, points_)) total_variance_ += value;
  row_means_.assign(points_.rows(), 0.0);
  return enough_components(spectrum, total_variance_, [&](const auto& pairs) {
    Components found{.values = {},
                     .coefficients = spectrum.vectors(pairs, points_.rows(), pairs.size())};
    for (std::size_t j = 0; j < pairs.size(); ++j) {
      found.values.push_back(pairs[j].value);
      const double root = std::sqrt(pairs[j].value);
      for (std::size_t i = 0; i < points_.rows(); ++i) found.coefficients(i, j) /= root;
    }
    return found;
  });
}

/// Centring is no product: the best components in the span of the first eigenvectors.
Components KroneckerFit::centred_components(const ProductSpectrum& spectrum, const Kernel& kernel) {
  record_.begin("centring");
  const std::size_t n = points_.rows();
  const bool stored = plan_.bytes_with_gram(first_guess()) <= record_.memory_limit_bytes();
  const auto gram = engine::make_gram(kernel, points_, {.stored = stored}, record_.workers());
  methods::CenteredGram a(*gram, {}, /*center=*/true, record_.workers());
  total_variance_ = a.total_variance();
  row_means_.assign(a.row_means().begin(), a.row_means().end());
  mean_norm2_ = a.mean_norm2();
  auto found = enough_components(spectrum, a.uncentered_trace(), [&](const auto& pairs) {
    return methods::rayleigh_ritz(
        a, spectrum.vectors(pairs, n, engine::padded_columns(pairs.size())), record_.workers());
  });
  record_.summary().kernel_evaluations += gram->kernel_evaluations();
  return found;
}

Fit KroneckerFit::run(const Kernel& asked) {
  record_.begin("bandwidth");
  const Kernel kernel = record_.resolve(asked, points_);
  const ProductSpectrum spectrum = factorize(kernel);

  Components components =
      options_.center ? centred_components(spectrum, kernel) : product_components(spectrum, kernel);
  record_.begin("model");
  if (options_.retain) {
    methods::report_retained(components.values, total_variance_, *options_.retain, record_);
  }
  Summary& summary = record_.summary();
  std::optional<Interval> total = Interval{total_variance_, total_variance_};
  if (!options_.center) {
    // Variances of the product, not of the points: nothing follows for the reconstruction.
    summary.total_variance = std::exchange(total, std::nullopt);
    for (const double value : components.values) {
      summary.explained_variance_ratio.push_back(value / total_variance_);
    }
  }
  ModelParts parts = methods::row_expansion(points_, kernel, std::move(components), row_means_,
                                            mean_norm2_, options_.center);
  return record_.finish(std::move(parts), points_.rows(), points_.cols(), total,
                        choice_.is_open() ? 0 : options_.components);
}

}  // namespace

void KroneckerOptions::validate() const {
  const methods::ComponentChoice checked(components, retain, min_eigenvalue);
  if (groups && *groups == 0) throw InvalidArgument("groups is 0: ask for at least one");
  if (!(sweep_tolerance > 0 && sweep_tolerance < 1)) {
    throw InvalidArgument(
        fmt::format("sweep_tolerance is {}: it must lie between 0 and 1", sweep_tolerance));
  }
  if (max_sweeps == 0) throw InvalidArgument("max_sweeps is 0: allow at least one");
}

Fit fit_kronecker(MatrixView<const double> points, const Kernel& kernel,
                  const KroneckerOptions& options, const RunOptions& run) {
  options.validate();
  methods::check_kernel(kernel);
  if (std::holds_alternative<Precomputed>(kernel)) {
    throw InvalidArgument(
        "kronecker takes points, whose order it chooses, not a precomputed kernel matrix; with the "
        "matrix at hand, exact costs no more");
  }
  engine::check_training_points(kernel, points);
  return KroneckerFit(points, options, run).run(kernel);
}

}  // namespace mercer
