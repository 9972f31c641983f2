#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <mercer/feature_analysis.h>
#include <mercer/kernel.h>
#include <mercer/matrix.h>
#include <mercer/summary.h>

#include "engine/feature_mean.h"
#include "engine/gram.h"
#include "engine/greedy_pivots.h"
#include "engine/pivoted_cholesky.h"
#include "methods/fit_record.h"

namespace mercer::methods {

/// Why there are no more features.
enum class FeatureStop {
  count,    ///< as many as asked
  error,    ///< the error is small enough
  rank,     ///< the rows have no more directions
  all_cut,  ///< all rows are cut
  memory,   ///< more would not have fitted
};

/// Chooses the rows that make the features, one by one: pivots of a partial Cholesky factor of the
/// centred kernel matrix.
class FeatureSearch {
 public:
  /// Points and options must stay. Records what it decides.
  FeatureSearch(Kernel kernel, MatrixView<const double> points,
                const FeatureAnalysisOptions& options, FitRecord& record);

  FeatureSearch(const FeatureSearch&) = delete;
  FeatureSearch& operator=(const FeatureSearch&) = delete;

  /// Of the centred kernel matrix; its pivots are the chosen rows, its columns their scores.
  const engine::PartialCholesky& factor() const { return *factor_; }
  /// No products when the features are not centred.
  const engine::FeatureMean& mean() const { return mean_; }
  /// With 0, 1, 2, ... features.
  const std::vector<ErrorAt>& error_curve() const { return error_curve_; }
  FeatureStop stop() const { return stop_; }
  std::uint64_t kernel_evaluations() const;

 private:
  bool is_drawn() const { return options_.candidates || options_.terms; }
  std::size_t asked() const;
  std::size_t capacity(double memory_limit_bytes) const;
  bool choose_storage(FitRecord& record) const;
  void prepare(FitRecord& record);
  void search(engine::Workers& workers);

  Kernel kernel_;
  MatrixView<const double> points_;
  const FeatureAnalysisOptions& options_;
  std::unique_ptr<engine::GramOperator> gram_;
  engine::FeatureMean mean_;
  std::optional<engine::PartialCholesky> factor_;
  std::optional<engine::BestPivots> best_;
  std::optional<engine::DrawnPivots> drawn_;
  std::uint64_t mean_evaluations_ = 0;
  std::vector<ErrorAt> error_curve_;
  FeatureStop stop_ = FeatureStop::count;
};

}  // namespace mercer::methods
