#pragma once

namespace mercer {

/// Arithmetic of the kernel values. What follows them is double, or as careful as double.
enum class Precision {
  float64,
  float32,  ///< half the memory, about twice the speed, results to about 1e-5
};

}  // namespace mercer
