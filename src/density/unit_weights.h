#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace mercer::density {

/// Weights divided by their sum, which may be beyond the range of a double; empty ones are equal.
/// `of` says in messages what is weighed ("rows"). Throws InvalidArgument unless there are `count`
/// positive finite numbers.
std::vector<double> unit_weights(std::span<const double> weights, std::size_t count,
                                 std::string_view of);

}  // namespace mercer::density
