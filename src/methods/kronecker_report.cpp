#include "methods/kronecker_report.h"

#include <numeric>
#include <string>

#include <fmt/format.h>

#include "methods/kronecker_order.h"
#include "system/memory.h"

namespace mercer::methods {

namespace {

/// From here on the summary warns: ten landmarks leave less on data of few dimensions.
constexpr double kLargeError = 0.01;

}  // namespace

void report_plan(const KroneckerPlan& plan, const KroneckerOptions& options, std::size_t vectors,
                 bool stored, FitRecord& record) {
  std::string why = options.groups ? "asked for" : "near the square root of n";
  if (plan.left_over() > 0) {
    why += fmt::format("; left over at the end of the data and projected like new points: {} row{}",
                       plan.left_over(), plan.left_over() == 1 ? "" : "s");
  }
  record.choice("factors", fmt::format("{} x {}", plan.n1(), plan.n2()), why);
  record.choice("order", order_name(options.order),
                "each group of rows should repeat the pattern of the others");
  record.choice("storage", stored ? "stored" : "matrix_free",
                fmt::format("with the kernel matrix stored, {} of the {} allowed are needed",
                            system::format_bytes(plan.bytes_with_blocks(vectors)),
                            system::format_bytes(record.memory_limit_bytes())));
}

void report_product(const engine::NearestProduct& product, FitRecord& record) {
  Summary& summary = record.summary();
  summary.bounds.push_back(
      {.name = "relative_frobenius_error", .value = product.relative_error, .rigorous = true});
  record.choice("sweeps", fmt::format("{}", product.sweeps),
                fmt::format("the second factor then changed by {:.1e}", product.change));
  if (!product.converged) {
    summary.termination = {
        TerminationReason::not_converged,
        fmt::format("the factors still changed by {:.1e} after {} sweeps; raise max_sweeps or "
                    "sweep_tolerance",
                    product.change, product.sweeps)};
  }
  if (product.relative_error > kLargeError) {
    summary.warnings.push_back(
        fmt::format("the Kronecker product misses {:.2g} of the kernel matrix (relative Frobenius "
                    "error): landmarks are the better choice for these points",
                    product.relative_error));
  }
}

void report_negative(const ProductSpectrum& spectrum, const Kernel& kernel, FitRecord& record) {
  const auto largest = spectrum.largest(1);
  const std::size_t count = largest.empty() ? 0 : spectrum.negative(largest.front().value);
  if (count == 0) return;
  record.summary().warnings.push_back(
      fmt::format("the {} kernel is not positive semi-definite on these points: {} negative "
                  "eigenvalue{} of the product dropped",
                  kernel_name(kernel), count, count == 1 ? " was" : "s were"));
}

void report_retained(const std::vector<double>& eigenvalues, double total_variance, double retain,
                     FitRecord& record) {
  // As in ComponentChoice: the sums are known to about 1e-12 only.
  const double kept = std::accumulate(eigenvalues.begin(), eigenvalues.end(), 0.0);
  Termination& termination = record.summary().termination;
  if (kept >= (retain - 1e-12) * total_variance ||
      termination.reason != TerminationReason::converged) {
    return;
  }
  termination = {TerminationReason::tolerance_missed,
                 fmt::format("all components of the product explain {:.3g} of the total variance, "
                             "not {:.3g}; landmarks or exact can",
                             kept / total_variance, retain)};
}

}  // namespace mercer::methods
