#include <cmath>

#include <fmt/format.h>

#include <mercer/error.h>
#include <mercer/randomized.h>

#include "methods/component_choice.h"

namespace mercer {

void RandomizedOptions::validate() const {
  const methods::ComponentChoice checked(components, retain, min_eigenvalue);
  if (sparsify && !(*sparsify >= 1 && std::isfinite(*sparsify))) {
    throw InvalidArgument(fmt::format(
        "sparsify is {}: one entry in so many is kept, so it must be at least 1", *sparsify));
  }
  if (control_landmarks == 0) {
    throw InvalidArgument("control_landmarks is 0: ask for at least one, or for no control");
  }
  if (quantize == EntryLevels::zero_one &&
      control.value_or(ControlVariate::none) != ControlVariate::none) {
    throw InvalidArgument(
        "quantize is zero_one, whose levels need entries without a sign, but a control leaves both "
        "signs: use min_max, or no control");
  }
  if (!(solver_tolerance > 0) || solver_tolerance >= 1) {
    throw InvalidArgument(
        fmt::format("solver_tolerance is {}: it must lie between 0 and 1", solver_tolerance));
  }
  if (max_products < 3) {
    throw InvalidArgument(fmt::format("max_products is {}: it must be at least 3", max_products));
  }
}

}  // namespace mercer
