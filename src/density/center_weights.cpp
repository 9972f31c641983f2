#include "density/center_weights.h"

#include <utility>

#include <fmt/format.h>

#include <mercer/error.h>

#include "engine/gram.h"
#include "engine/nonnegative_quadratic.h"

namespace mercer::density {

namespace {

/// Share of the kernel matrix in the time, for thousands of centres.
constexpr double kGramPart = 0.05;

/// The kernel matrix of the centres, symmetric to the bit and with an exact diagonal, entries
/// raised to the power.
Matrix<double> power_gram(const Kernel& kernel, MatrixView<const double> centres, int power,
                          engine::Workers& workers) {
  auto gram = engine::make_gram(kernel, centres, {.stored = false}, workers)->dense(workers);
  if (power == 2) {
    workers.for_each(gram.rows(), [&](std::size_t i) {
      for (double& value : gram.row(i)) value *= value;
    });
  }
  return gram;
}

}  // namespace

std::vector<double> optimal_weights(const Kernel& kernel, MatrixView<const double> centres,
                                    int power, std::span<const double> z,
                                    engine::Workers& workers) {
  check_formula(kernel);
  if (power != 1 && power != 2) {
    throw InvalidArgument(fmt::format(
        "centres cannot be weighed by kernel values with power {}: it is 1 or 2", power));
  }
  if (z.size() != centres.rows()) {
    throw InvalidArgument(
        fmt::format("there are {} kernel sums for {} centres", z.size(), centres.rows()));
  }
  if (centres.rows() == 0) return {};
  workers.phase_range(0, kGramPart);
  const auto gram = power_gram(kernel, centres, power, workers);
  workers.phase_range(kGramPart, kGramPart);  // how many steps follow is not known
  auto minimum = engine::minimize_nonnegative(gram, z, workers);
  if (!minimum.converged) {
    throw NumericalError(fmt::format(
        "no optimal weights of {} centres were found for the {} kernel (residual {:.1e} after {} "
        "steps): use a positive definite kernel, or weigh centres by counts",
        centres.rows(), kernel_name(kernel), minimum.kkt_residual, minimum.iterations));
  }
  return std::move(minimum.x);
}

}  // namespace mercer::density
