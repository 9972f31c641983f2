#include "engine/tile.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/tile_f32.cpp"
#include "engine/simd_targets.h"
// foreach_target.h includes this file once per instruction set, so it comes before highway.h.
#include <hwy/foreach_target.h>  // NOLINT
#include <hwy/highway.h>

#include "engine/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mercer::engine::HWY_NAMESPACE {

std::size_t panel_width_f32() {
  return kWidth<float>;
}
void kernel_tile_f32(const TileArgs<float>& args) {
  kernel_tile_of(args);
}
void add_scatter_f32(const ScatterArgs<float>& args) {
  add_scatter_of(args);
}
void center_panel_f32(float* panel, std::size_t rows, const double* shift, const double* scale,
                      double* sums) {
  center_panel_of(panel, rows, shift, scale, sums);
}
void exp2_array_f32(const float* t, std::size_t count, float* out) {
  exp2_array_of(t, count, out);
}
PeakWork fma_peak_f32(std::size_t repeats) {
  return fma_peak_of<float>(repeats);
}
PeakWork exp_peak_f32(std::size_t repeats) {
  return exp_peak_of<float>(repeats);
}

}  // namespace mercer::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mercer::engine {

HWY_EXPORT(panel_width_f32);
HWY_EXPORT(kernel_tile_f32);
HWY_EXPORT(add_scatter_f32);
HWY_EXPORT(center_panel_f32);
HWY_EXPORT(exp2_array_f32);
HWY_EXPORT(fma_peak_f32);
HWY_EXPORT(exp_peak_f32);

template <>
std::size_t panel_width<float>() {
  return HWY_DYNAMIC_DISPATCH(panel_width_f32)();
}
template <>
void kernel_tile<float>(const TileArgs<float>& args) {
  HWY_DYNAMIC_DISPATCH(kernel_tile_f32)(args);
}
template <>
void add_scatter<float>(const ScatterArgs<float>& args) {
  HWY_DYNAMIC_DISPATCH(add_scatter_f32)(args);
}
template <>
void center_panel<float>(float* panel, std::size_t rows, const double* shift, const double* scale,
                         double* sums) {
  HWY_DYNAMIC_DISPATCH(center_panel_f32)(panel, rows, shift, scale, sums);
}
template <>
void exp2_array<float>(const float* t, std::size_t count, float* out) {
  HWY_DYNAMIC_DISPATCH(exp2_array_f32)(t, count, out);
}
template <>
PeakWork run_fma_peak<float>(std::size_t repeats) {
  return HWY_DYNAMIC_DISPATCH(fma_peak_f32)(repeats);
}
template <>
PeakWork run_exp_peak<float>(std::size_t repeats) {
  return HWY_DYNAMIC_DISPATCH(exp_peak_f32)(repeats);
}

}  // namespace mercer::engine
#endif
