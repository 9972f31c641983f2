#include "methods/kronecker_plan.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <mercer/error.h>

#include "engine/blas.h"
#include "engine/block_gram.h"
#include "engine/gram.h"
#include "engine/tile.h"
#include "system/memory.h"

namespace mercer::methods {

namespace {

std::size_t checked_groups(std::size_t n, std::optional<std::size_t> groups) {
  if (groups.value_or(1) > n) {
    throw InvalidArgument(fmt::format("groups is {}, but there are only {} rows", *groups, n));
  }
  return groups.value_or(static_cast<std::size_t>(std::sqrt(static_cast<double>(n))));
}

}  // namespace

KroneckerPlan::KroneckerPlan(MatrixView<const double> points, std::optional<std::size_t> groups,
                             bool center, std::size_t threads)
    : n_(points.rows()),
      d_(points.cols()),
      n1_(checked_groups(n_, groups)),
      n2_(n_ / n1_),
      center_(center),
      threads_(threads) {}

double KroneckerPlan::work_bytes(std::size_t vectors) const {
  const std::size_t p = engine::padded_columns(std::min(vectors + kExtraVectors, used()));
  const double per_row = 3 * static_cast<double>(d_) + 4 * static_cast<double>(p);
  return static_cast<double>(n_) * per_row * sizeof(double) + engine::dense_eigen_bytes(n1_, n1_) +
         engine::dense_eigen_bytes(n2_, n2_) + engine::BlockGram::pass_bytes(n1_, n2_, threads_) +
         (center_ ? engine::GramOperator::product_bytes(n_, p) : 0);
}

double KroneckerPlan::bytes_with_blocks(std::size_t vectors) const {
  return work_bytes(vectors) + engine::BlockGram::stored_bytes(n1_, n2_);
}

double KroneckerPlan::bytes_with_gram(std::size_t vectors) const {
  return work_bytes(vectors) + engine::GramOperator::stored_bytes(n_, sizeof(double));
}

void KroneckerPlan::require(std::size_t vectors, double memory_limit_bytes) const {
  const double needed = work_bytes(vectors);
  if (needed <= memory_limit_bytes) return;
  throw MemoryLimitError(fmt::format(
      "{} components of a product of {} x {} factors need {}, but the memory limit is {}; ask for "
      "fewer components, leave groups near the square root of the number of rows, use landmarks, "
      "or raise the limit",
      vectors, n1_, n2_, system::format_bytes(needed), system::format_bytes(memory_limit_bytes)));
}

}  // namespace mercer::methods
