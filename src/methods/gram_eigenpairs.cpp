#include "methods/gram_eigenpairs.h"

#include <algorithm>

#include <fmt/format.h>

#include <mercer/error.h>

#include "engine/blas.h"
#include "engine/eigensolver.h"
#include "engine/gram.h"
#include "system/memory.h"

namespace mercer::methods {

namespace {

using system::format_bytes;

/// Columns per product. Wider blocks need fewer passes over the matrix but more arithmetic in all:
/// to 1e-12, ten components take about 13 products of 8 columns or 11 of 16. A stored matrix that
/// keeps up with the arithmetic favours narrow blocks; recomputed tiles are dearer and favour wide
/// ones.
std::size_t block_size(std::size_t components, bool stored) {
  if (!stored) return components <= 16 ? 16 : 32;
  if (components <= 16) return 8;
  return components <= 64 ? 16 : 32;
}

double dense_bytes(std::size_t n, std::size_t components) {
  return static_cast<double>(n) * static_cast<double>(n) * sizeof(double) +
         engine::dense_eigen_bytes(n, components);
}

double iterative_bytes(std::size_t n, std::size_t components, std::size_t block) {
  return engine::krylov_bytes(n, components, block) + engine::GramOperator::product_bytes(n, block);
}

void require_dense_fits(std::size_t n, std::size_t components, double limit) {
  const double needed = dense_bytes(n, components);
  if (needed <= limit) return;
  throw MemoryLimitError(fmt::format(
      "{} components of {} points take a dense solver and {}, but the memory limit is {}; ask for "
      "fewer components, raise the limit, or use fewer points",
      components, n, format_bytes(needed), format_bytes(limit)));
}

void choose_storage(EigenPlan& plan, std::size_t n, std::size_t k, const ExactOptions& options,
                    double limit) {
  const std::size_t value_bytes =
      options.precision == Precision::float32 ? sizeof(float) : sizeof(double);
  const double stored = engine::GramOperator::stored_bytes(n, value_bytes) +
                        iterative_bytes(n, k, block_size(k, /*stored=*/true));
  if (options.storage == GramStorage::stored && stored > limit) {
    throw MemoryLimitError(fmt::format(
        "a stored Gram matrix of {} points needs {}, but the memory limit is {}; use matrix_free "
        "storage, float32 precision, or raise the limit",
        n, format_bytes(stored), format_bytes(limit)));
  }
  plan.stored = options.storage == GramStorage::stored ||
                (options.storage == GramStorage::automatic && stored <= limit);
  plan.block = block_size(k, plan.stored);
  const double needed = iterative_bytes(n, k, plan.block);
  if (!plan.stored && needed > limit) {
    throw MemoryLimitError(fmt::format(
        "even without storing the Gram matrix, {} components of {} points need {}, but the memory "
        "limit is {}; ask for fewer components or raise the limit",
        k, n, format_bytes(needed), format_bytes(limit)));
  }
  plan.storage_reason = options.storage != GramStorage::automatic
                            ? "asked for"
                            : fmt::format("storing it needs {} of the {} allowed",
                                          format_bytes(stored), format_bytes(limit));
}

double largest_relative(const std::vector<double>& residuals, const std::vector<double>& values) {
  if (values.empty() || values.front() <= 0) return 0;
  return *std::ranges::max_element(residuals) / values.front();
}

/// The first k pairs, values in the units of the unscaled matrix.
GramEigenpairs take_pairs(const CenteredGram& a, const std::vector<double>& scaled_values,
                          Matrix<double> vectors, std::size_t k) {
  GramEigenpairs pairs;
  for (std::size_t j = 0; j < k; ++j) pairs.values.push_back(scaled_values[j] * a.scale());
  pairs.vectors = Matrix<double>(vectors.view().cols_from(0, k));
  return pairs;
}

std::vector<double> unscaled(const std::vector<double>& values, double scale) {
  std::vector<double> result(values);
  for (double& value : result) value *= scale;
  return result;
}

std::optional<std::size_t> chosen_count(const CenteredGram& a, const ComponentChoice& choice,
                                        const std::vector<double>& scaled_values,
                                        const ExactOptions& options) {
  const double noise =
      noise_level(std::max(scaled_values.front(), 0.0) * a.scale(), a.uncentered_trace(), a.size(),
                  options.precision == Precision::float32);
  return choice.count(unscaled(scaled_values, a.scale()), a.total_variance(), noise);
}

GramEigenpairs solve_dense(CenteredGram& a, const ComponentChoice& choice,
                           const ExactOptions& options, bool whole_spectrum) {
  const std::size_t n = a.size();
  const std::size_t count = whole_spectrum ? n : choice.first_guess(n);
  auto found = dense_eigenpairs(a, count);
  const std::size_t k = chosen_count(a, choice, found.values, options).value_or(count);
  auto pairs = take_pairs(a, found.values, std::move(found.vectors), k);
  pairs.negative = found.negative;
  pairs.smallest = found.smallest * a.scale();
  found.values.resize(k);
  if (k > 0) {
    pairs.residual =
        largest_relative(engine::residual_norms(a, found.values, pairs.vectors), found.values);
  }
  pairs.all_seen = count == n;
  pairs.dense = true;
  return pairs;
}

}  // namespace

TopEigenpairs dense_eigenpairs(DeflatedOperator& a, std::size_t count) {
  const std::size_t n = a.size();
  engine::EigenPairs found;
  {
    Matrix<double> matrix = a.dense();
    found = engine::largest_eigenpairs(matrix, count);
  }
  TopEigenpairs pairs;
  pairs.vectors = Matrix<double>::uninitialized(n, count);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < count; ++j) pairs.vectors(i, j) = found.vectors(j, i);
  }
  pairs.negative = static_cast<std::size_t>(std::ranges::count_if(
      found.values, [&](double value) { return value < -1e-8 * found.values.front(); }));
  pairs.smallest = found.values.back();
  pairs.values = std::move(found.values);
  return pairs;
}

TopEigenpairs iterative_eigenpairs(DeflatedOperator& a, std::size_t count, std::size_t block,
                                   const ExactOptions& options, std::uint64_t seed,
                                   engine::Workers& workers) {
  auto found = engine::krylov_eigenpairs(a,
                                         {.count = count,
                                          .block = block,
                                          .tolerance = options.solver_tolerance,
                                          .max_products = options.max_products,
                                          .seed = seed,
                                          .null_vector = a.null_vector()},
                                         workers);
  return {.values = std::move(found.values),
          .vectors = std::move(found.vectors),
          .residuals = std::move(found.residuals),
          .negative = found.negative_values,
          .smallest = found.smallest_value,
          .converged = found.converged};
}

EigenPlan plan_eigenpairs(std::size_t n, const ComponentChoice& choice, const ExactOptions& options,
                          double memory_limit_bytes) {
  const std::size_t k = choice.first_guess(n);
  const bool few = engine::krylov_is_suitable(n, k, block_size(k, /*stored=*/true));
  EigenPlan plan;
  plan.dense =
      options.solver == EigenSolver::dense || (options.solver == EigenSolver::automatic && !few);
  if (options.solver != EigenSolver::automatic) {
    plan.solver_reason = "asked for";
  } else if (few) {
    plan.solver_reason = fmt::format("{} components are few for n = {}", k, n);
  } else {
    plan.solver_reason = fmt::format("n = {} is small, or {} components a large share of it", n, k);
  }
  if (plan.dense) {
    require_dense_fits(n, choice.is_open() ? n : k, memory_limit_bytes);
    plan.storage_reason = "the dense solver works in place";
  } else {
    choose_storage(plan, n, k, options, memory_limit_bytes);
  }
  return plan;
}

GramEigenpairs solve_eigenpairs(CenteredGram& a, const ComponentChoice& choice,
                                const EigenPlan& plan, const ExactOptions& options,
                                bool may_be_indefinite, std::uint64_t seed,
                                double memory_limit_bytes, engine::Workers& workers) {
  const std::size_t n = a.size();
  if (plan.dense) {
    return solve_dense(a, choice, options, choice.is_open() || may_be_indefinite);
  }
  // How many components a fraction or a threshold asks for is known only with the eigenvalues: the
  // number wanted doubles until it is enough.
  for (std::size_t wanted = choice.first_guess(n);; wanted *= 2) {
    const std::size_t block = std::max(plan.block, block_size(wanted, plan.stored));
    if (options.solver == EigenSolver::automatic && !engine::krylov_is_suitable(n, wanted, block)) {
      require_dense_fits(n, n, memory_limit_bytes);
      return solve_dense(a, choice, options, /*whole_spectrum=*/true);
    }
    auto found = iterative_eigenpairs(a, wanted, block, options, seed, workers);
    const auto count = chosen_count(a, choice, found.values, options);
    if (!count && found.converged) continue;
    auto pairs =
        take_pairs(a, found.values, std::move(found.vectors), count.value_or(found.values.size()));
    pairs.residual = largest_relative(found.residuals, found.values);
    pairs.negative = found.negative;
    pairs.smallest = found.smallest * a.scale();
    pairs.converged = found.converged;
    return pairs;
  }
}

}  // namespace mercer::methods
