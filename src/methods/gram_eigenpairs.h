#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <mercer/exact.h>
#include <mercer/matrix.h>

#include "engine/parallel.h"
#include "methods/centered_gram.h"
#include "methods/component_choice.h"
#include "methods/deflated_operator.h"

namespace mercer::methods {

/// Which algorithm finds the eigenpairs of a Gram matrix, decided by sizes and limits alone.
struct EigenPlan {
  bool dense = false;
  bool stored = false;
  std::size_t block = 16;  ///< columns per product of the iterative solver
  std::string solver_reason;
  std::string storage_reason;
};

/// Throws MemoryLimitError, with the bytes needed and what else to try, when nothing fits.
EigenPlan plan_eigenpairs(std::size_t n, const ComponentChoice& choice, const ExactOptions& options,
                          double memory_limit_bytes);

struct TopEigenpairs {
  std::vector<double> values;     ///< descending
  Matrix<double> vectors;         ///< n x values, orthonormal columns
  std::vector<double> residuals;  ///< |A u - value u|; empty from the dense solver
  std::size_t negative = 0;       ///< eigenvalues seen below -1e-8 times the largest
  double smallest = 0;            ///< of all eigenvalues seen
  bool converged = true;
};

/// The `count` algebraically largest eigenpairs by LAPACK.
TopEigenpairs dense_eigenpairs(DeflatedOperator& a, std::size_t count);

/// The same by block Krylov iteration, with `solver_tolerance` and `max_products` of the options.
TopEigenpairs iterative_eigenpairs(DeflatedOperator& a, std::size_t count, std::size_t block,
                                   const ExactOptions& options, std::uint64_t seed,
                                   engine::Workers& workers);

struct GramEigenpairs {
  std::vector<double> values;  ///< descending, above rounding noise, as many as were chosen
  Matrix<double> vectors;      ///< n x values, orthonormal columns
  double residual = 0;         ///< largest |A u - lambda u| / lambda_1
  std::size_t negative = 0;    ///< eigenvalues below -1e-8 lambda_1 that were seen
  double smallest = 0;         ///< of all eigenvalues seen
  bool all_seen = false;       ///< the whole spectrum was computed
  bool converged = true;
  bool dense = false;  ///< which solver it was in the end
};

GramEigenpairs solve_eigenpairs(CenteredGram& a, const ComponentChoice& choice,
                                const EigenPlan& plan, const ExactOptions& options,
                                bool may_be_indefinite, std::uint64_t seed,
                                double memory_limit_bytes, engine::Workers& workers);

}  // namespace mercer::methods
