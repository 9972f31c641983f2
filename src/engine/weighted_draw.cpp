#include "engine/weighted_draw.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include <mercer/error.h>

namespace mercer::engine {

namespace {

constexpr std::size_t kBlockRows = 1024;

}  // namespace

WeightedDraw::WeightedDraw(std::span<const double> masses) : masses_(masses) {
  block_ends_.reserve((masses.size() + kBlockRows - 1) / kBlockRows);
  double end = 0;
  for (std::size_t begin = 0; begin < masses.size(); begin += kBlockRows) {
    double running = 0;
    double smallest = 0;
    for (const double mass : masses.subspan(begin, std::min(kBlockRows, masses.size() - begin))) {
      running += mass;
      smallest = std::min(smallest, mass);
    }
    end += running;
    if (smallest < 0 || !std::isfinite(end)) {
      throw NumericalError(fmt::format(
          "rows {} to {} cannot be drawn from: their masses must be finite and at least 0, with a "
          "finite sum; smallest {}, sum so far {}",
          begin + 1, std::min(begin + kBlockRows, masses.size()), smallest, end));
    }
    block_ends_.push_back(end);
  }
}

std::size_t WeightedDraw::draw(double u) const {
  if (!(total() > 0)) throw NumericalError("no row has a positive mass to be drawn by");
  // Below the total for every u < 1, except for subnormal totals, where the product may round up:
  // the predecessor keeps some row above it.
  const double target = std::min(u * total(), std::nextafter(total(), 0.0));
  const auto block = std::ranges::upper_bound(block_ends_, target);
  const double before = block == block_ends_.begin() ? 0 : *std::prev(block);
  std::size_t row = static_cast<std::size_t>(block - block_ends_.begin()) * kBlockRows;
  for (double running = masses_[row]; !(before + running > target); running += masses_[row]) ++row;
  return row;
}

}  // namespace mercer::engine
