#include "methods/randomized_plan.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <mercer/error.h>

#include "engine/kernel_value.h"
#include "methods/control_variate.h"
#include "methods/randomized_spectrum.h"
#include "system/memory.h"

namespace mercer::methods {

namespace {

/// Then so is K less its Nystrom approximation.
bool certainly_semidefinite(const Kernel& kernel) {
  const auto* polynomial = std::get_if<Polynomial>(&kernel);
  return !std::holds_alternative<Sigmoid>(kernel) && !std::holds_alternative<Custom>(kernel) &&
         (polynomial == nullptr || polynomial->coef0 >= 0);
}

bool certainly_non_negative(const Kernel& kernel) {
  return !std::holds_alternative<Sigmoid>(kernel) && !std::holds_alternative<Custom>(kernel) &&
         !std::holds_alternative<Polynomial>(kernel) && !std::holds_alternative<Linear>(kernel) &&
         !std::holds_alternative<Cosine>(kernel);
}

}  // namespace

ControlVariate control_of(const RandomizedOptions& options, const Kernel& kernel) {
  if (options.control) return *options.control;
  if (options.quantize == EntryLevels::zero_one) return ControlVariate::none;
  // Of a custom kernel nothing is known; it is meant to be positive semi-definite.
  return certainly_semidefinite(kernel) || std::holds_alternative<Custom>(kernel)
             ? ControlVariate::nystrom
             : ControlVariate::row_columns;
}

double sparsity_of(const RandomizedOptions& options) {
  constexpr double kDefault = 10;
  return options.sparsify.value_or(options.quantize == EntryLevels::none ? kDefault : 1);
}

void require_randomized_fits(std::size_t n, std::size_t d, std::size_t pairs,
                             const RandomizedOptions& options, ControlVariate control,
                             double memory_limit_bytes) {
  const std::size_t q = options.control_landmarks;
  engine::EntryRounding rounding{.sparsity = sparsity_of(options)};
  if (options.quantize != EntryLevels::none) rounding.levels.emplace();
  const double matrix = engine::RandomizedGram::bytes(n, rounding) + control_bytes(control, q, n);
  const double making =
      std::max(control_making_bytes(control, q, n, d),
               engine::RandomizedGram::making_bytes(n, d, control_rank(control, q, n)));
  const double needed = matrix + std::max(making, randomized_spectrum_bytes(n, pairs, options));
  if (needed <= memory_limit_bytes) return;
  throw MemoryLimitError(fmt::format(
      "a randomised kernel matrix of {} points with sparsify = {:g} needs {}, but the memory limit "
      "is {}; keep fewer entries (sparsify), quantise them, or raise the limit",
      n, rounding.sparsity, system::format_bytes(needed),
      system::format_bytes(memory_limit_bytes)));
}

std::optional<engine::EntryRange> levels_beforehand(const RandomizedOptions& options,
                                                    const Kernel& kernel,
                                                    MatrixView<const double> points,
                                                    const engine::LowRank& control) {
  const ControlVariate kind = control_of(options, kernel);
  if (options.quantize == EntryLevels::min_max || !certainly_semidefinite(kernel) ||
      (kind != ControlVariate::none && kind != ControlVariate::nystrom)) {
    return std::nullopt;
  }
  const bool zero_one = options.quantize == EntryLevels::zero_one;
  if (zero_one && !certainly_non_negative(kernel)) return std::nullopt;
  const auto diagonal = engine::kernel_diagonal(kernel, points);
  double largest = 0;
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    largest = std::max(largest, diagonal[i] - control.entry(i, i));
  }
  return engine::EntryRange{.low = zero_one ? 0 : -largest, .high = largest};
}

engine::EntryRange levels_around(const engine::EntryRange& entries, EntryLevels quantize,
                                 const Kernel& kernel) {
  if (quantize == EntryLevels::min_max) return entries;
  const double largest = std::max(std::abs(entries.low), std::abs(entries.high));
  if (quantize == EntryLevels::sign) return {.low = -largest, .high = largest};
  if (entries.low < 0) {
    throw InvalidArgument(
        fmt::format("quantize is zero_one, but the {} kernel is {:.6g} for some pair of rows: use "
                    "min_max, which takes any sign",
                    kernel_name(kernel), entries.low));
  }
  return {.low = 0, .high = largest};
}

}  // namespace mercer::methods
