#include "engine/simd.h"

#include <bit>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/simd.cpp"
#include "engine/simd_targets.h"
// foreach_target.h includes this file once per instruction set, so it comes before highway.h.
#include <hwy/foreach_target.h>  // NOLINT
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace mercer::engine::HWY_NAMESPACE {
std::int64_t running_target() {
  return HWY_TARGET;
}
}  // namespace mercer::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <fmt/format.h>

#include <mercer/error.h>

namespace mercer::engine {

HWY_EXPORT(running_target);

namespace {

/// Targets usable here. Asking for one that was not compiled would silently run SCALAR.
std::vector<std::int64_t> usable_targets() {
  std::vector<std::int64_t> found;
  const auto usable =
      static_cast<std::uint64_t>((hwy::SupportedTargets() | HWY_STATIC_TARGET) & HWY_TARGETS);
  // A lower bit is a better instruction set.
  for (std::uint64_t rest = usable; rest != 0; rest &= rest - 1) {
    found.push_back(static_cast<std::int64_t>(rest & (~rest + 1)));
  }
  return found;
}

}  // namespace

std::string simd_target() {
  return hwy::TargetName(HWY_DYNAMIC_DISPATCH(running_target)());
}

std::vector<std::string> simd_targets() {
  std::vector<std::string> names;
  for (const std::int64_t target : usable_targets()) names.emplace_back(hwy::TargetName(target));
  return names;
}

ForcedSimdTarget::ForcedSimdTarget(const std::string& name) {
  for (const std::int64_t target : usable_targets()) {
    if (name != hwy::TargetName(target)) continue;
    hwy::SetSupportedTargetsForTest(target);
    return;
  }
  throw InvalidArgument(fmt::format("instruction set {} is not available here (there are: {})",
                                    name, fmt::join(simd_targets(), ", ")));
}

ForcedSimdTarget::~ForcedSimdTarget() {
  hwy::SetSupportedTargetsForTest(0);
}

}  // namespace mercer::engine
#endif
