#include "methods/randomized_spectrum.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <mercer/error.h>

#include "engine/blas.h"
#include "engine/eigensolver.h"
#include "engine/orthogonal_iteration.h"
#include "methods/gram_eigenpairs.h"
#include "system/memory.h"

namespace mercer::methods {

namespace {

/// Columns per product of block Krylov, as for a stored matrix (gram_eigenpairs.cpp).
std::size_t block_columns(std::size_t count) {
  if (count <= 16) return 8;
  return count <= 64 ? 16 : 32;
}

bool iterates(std::size_t n, std::size_t count, RandomizedSolver solver) {
  return solver == RandomizedSolver::orthogonal
             ? engine::orthogonal_iteration_is_suitable(n, count)
             : engine::krylov_is_suitable(n, count, block_columns(count));
}

double dense_bytes(std::size_t n, std::size_t count) {
  return static_cast<double>(n) * static_cast<double>(n) * sizeof(double) +
         engine::dense_eigen_bytes(n, count);
}

void require_dense_fits(std::size_t n, std::size_t count, double limit) {
  const double needed = dense_bytes(n, count);
  if (needed <= limit) return;
  throw MemoryLimitError(
      fmt::format("{} components of {} points take a dense solver and {}, but the memory limit is "
                  "{}; ask for fewer components or raise the limit",
                  count, n, system::format_bytes(needed), system::format_bytes(limit)));
}

engine::IterativeEigenpairs iterate(CenteredGram& a, std::size_t count,
                                    const RandomizedOptions& options, std::uint64_t seed,
                                    engine::Workers& workers) {
  if (options.solver == RandomizedSolver::orthogonal) {
    return engine::orthogonal_iteration(a,
                                        {.count = count,
                                         .tolerance = options.solver_tolerance,
                                         .max_products = options.max_products,
                                         .seed = seed,
                                         .null_vector = a.null_vector()},
                                        workers);
  }
  return engine::krylov_eigenpairs(a,
                                   {.count = count,
                                    .block = block_columns(count),
                                    .tolerance = options.solver_tolerance,
                                    .max_products = options.max_products,
                                    .seed = seed,
                                    .null_vector = a.null_vector()},
                                   workers);
}

struct Found {
  engine::IterativeEigenpairs pairs;
  std::string solver;
};

Found largest_pairs(CenteredGram& a, std::size_t count, const RandomizedOptions& options,
                    std::uint64_t seed, double limit, engine::Workers& workers) {
  if (iterates(a.size(), count, options.solver)) {
    return {
        .pairs = iterate(a, count, options, seed, workers),
        .solver = options.solver == RandomizedSolver::orthogonal ? "orthogonal" : "block_krylov"};
  }
  require_dense_fits(a.size(), count, limit);
  auto dense = dense_eigenpairs(a, count);
  Found found{.pairs = {}, .solver = "dense"};
  found.pairs.residuals = engine::residual_norms(a, dense.values, dense.vectors);
  found.pairs.values = std::move(dense.values);
  found.pairs.vectors = std::move(dense.vectors);
  found.pairs.converged = true;
  return found;
}

}  // namespace

double randomized_spectrum_bytes(std::size_t n, std::size_t count,
                                 const RandomizedOptions& options) {
  if (!iterates(n, count, options.solver)) return dense_bytes(n, count);
  const double work = static_cast<double>(n) * sizeof(double);
  if (options.solver == RandomizedSolver::orthogonal) {
    const auto columns = static_cast<double>(engine::iterated_columns(count));
    return engine::orthogonal_iteration_bytes(n, count) + work * columns;
  }
  const std::size_t block = block_columns(count);
  return engine::krylov_bytes(n, count, block) + work * static_cast<double>(block);
}

RandomizedSpectrum randomized_spectrum(CenteredGram& a, const ComponentChoice& choice,
                                       const RandomizedOptions& options, std::size_t extra,
                                       std::uint64_t seed, double memory_limit_bytes,
                                       engine::Workers& workers) {
  const std::size_t n = a.size();
  // How many a fraction or a threshold asks for is known only with the eigenvalues: the number
  // wanted doubles until it is enough.
  for (std::size_t guess = choice.first_guess(n);; guess = std::min(2 * guess, n)) {
    const std::size_t wanted = std::min(guess + extra, n);
    Found found = largest_pairs(a, wanted, options, seed, memory_limit_bytes, workers);
    RandomizedSpectrum spectrum{.vectors = std::move(found.pairs.vectors),
                                .converged = found.pairs.converged,
                                .products = found.pairs.products,
                                .solver = std::move(found.solver)};
    for (const double value : found.pairs.values) spectrum.values.push_back(value * a.scale());
    const double largest = std::max(spectrum.values.front(), 0.0);
    const auto kept = choice.count(spectrum.values, a.total_variance(),
                                   noise_level(largest, a.uncentered_trace(), n, false));
    if (!kept && wanted < n && spectrum.converged) continue;
    spectrum.kept = kept.value_or(wanted);
    for (std::size_t j = 0; j < spectrum.kept; ++j) {
      spectrum.residual =
          std::max(spectrum.residual, found.pairs.residuals[j] / found.pairs.values.front());
    }
    return spectrum;
  }
}

}  // namespace mercer::methods
