#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <mercer/kernel.h>
#include <mercer/matrix.h>
#include <mercer/reduction.h>

#include "density/shadow.h"
#include "engine/parallel.h"
#include "engine/radial_kernel.h"
#include "methods/training_rows.h"

namespace mercer::methods {

/// Sums over rows of how far each is from its centre (Quantization, before the division).
class QuantizationSums {
 public:
  explicit QuantizationSums(engine::RadialKernel kernel) : kernel_(std::move(kernel)) {}

  /// Rows at these squared distances from their centres; `weights` may be empty (1 each). Summed
  /// row by row, so that the bits do not depend on how rows are cut into calls.
  void add(std::span<const double> squared_distances, std::span<const double> weights,
           engine::Workers& workers);
  /// Rows whose centres have themselves been moved: distances in feature space add up, root mean
  /// squares of distances too (Minkowski).
  void add_moved(const QuantizationSums& rows, const QuantizationSums& centres);

  double weight = 0;
  double squared_distance = 0;
  double feature_distance = 0;
  double operator_distance = 0;

  Quantization average() const;

 private:
  engine::RadialKernel kernel_;
};

/// A shadow cover with what its centres weigh and how far rows are from them.
struct CoverState {
  CoverState(const Kernel& kernel, std::size_t cols, double radius);
  /// Goes on from given centres, which have no rows yet.
  CoverState(const Kernel& kernel, Matrix<double> centres, double radius);
  /// A cover of its own that goes on as this one would.
  CoverState clone() const;

  /// Returns where the rows went. When it throws, none of them counts, though some may have become
  /// centres, which then weigh nothing.
  std::vector<density::Hit> add(const Chunk& rows, engine::Workers& workers);
  /// The centres of the other cover become rows of this one. When it throws, nothing has changed.
  void merge(const CoverState& other, engine::Workers& workers);
  /// The centres that rows came to.
  WeightedSet set() const;

  Kernel kernel;
  density::ShadowCover shadow;
  std::vector<double> weights;  ///< of the centres
  QuantizationSums sums;
  double reach;  ///< every row is nearer than this to its centre
  std::uint64_t rows = 0;
  std::uint64_t distance_evaluations = 0;
  /// The row that each centre is; empty after a merge, which brings centres that are rows of
  /// others.
  std::vector<std::uint64_t> centre_rows;

 private:
  void follow_centres();
};

/// The kernel as a radial one. Throws InvalidArgument with the reason when it is not.
engine::RadialKernel require_radial(const Kernel& kernel);

/// Rows read at a time.
inline constexpr std::size_t kCoverChunkRows = 16384;

}  // namespace mercer::methods
