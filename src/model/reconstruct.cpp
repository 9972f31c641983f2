// Model::reconstruct: from scores back to points.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include <mercer/error.h>

#include "engine/parallel.h"
#include "engine/radial_kernel.h"
#include "engine/tile.h"
#include "model/expansion.h"
#include "model/fixed_point.h"
#include "model/input_maps.h"
#include "model/kwok_tsang.h"
#include "model/model_state.h"

namespace mercer {

namespace {

using engine::kBlock;
using engine::RadialKernel;

constexpr double kFaint = 0.01;

/// Throws InvalidArgument, with the reason, for models whose projections are no points of the
/// feature space of rows.
void require_projections(const ModelParts& parts, const InputMaps& input) {
  if (std::holds_alternative<Precomputed>(parts.kernel)) {
    throw InvalidArgument(
        "a model over a precomputed kernel has never seen points, so it cannot give any back");
  }
  if (!parts.frequencies.empty()) {
    throw InvalidArgument(
        "a model of random features keeps no points of the data, of which pre-images are made: fit "
        "with landmarks instead");
  }
  if (!parts.degree_weights.empty()) {
    throw InvalidArgument(
        "the components of this model are functions on a graph, not projections in feature space: "
        "there is nothing to find a pre-image of");
  }
  if (!input.projection.empty()) {
    throw InvalidArgument(
        "this model sees its rows through a random projection, which cannot be undone: pre-images "
        "would be projected points. Fit without one");
  }
  if (parts.centered && parts.mean_coefficients.empty()) {
    throw InvalidArgument(
        "this model keeps no feature-space mean, which projections start from: it has no "
        "pre-images");
  }
}

/// The kernel as a function of distance, where the method has a formula for it.
RadialKernel require_radial(const Kernel& kernel, Preimage method) {
  auto radial = RadialKernel::of(kernel);
  if (radial && (method == Preimage::kwok_tsang || radial->fall())) return *radial;
  throw InvalidArgument(fmt::format(
      "{} pre-images of a {} kernel are not known: {}. A learned map works for any kernel "
      "(learn_preimage, on the command line fit --learn-preimage, then ridge)",
      method == Preimage::mika ? "mika"
                               : (method == Preimage::one_step ? "one_step" : "kwok_tsang"),
      kernel_name(kernel),
      radial ? "its slope has no bound where points meet"
             : "the formula is for kernels of the distance alone"));
}

/// mean + B z for a linear kernel, whose feature space is that of the points.
void reconstruct_linear(const ModelParts& parts, MatrixView<const double> scores,
                        MatrixView<double> points) {
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (std::size_t c = 0; c < points.cols(); ++c) {
      const auto b = parts.coefficients.row(c);
      points(i, c) = std::inner_product(b.begin(), b.end(), scores.row(i).begin(),
                                        parts.centered ? parts.mean_coefficients[c] : 0.0);
    }
  }
}

void unscale(const ColumnScaling& scaling, MatrixView<double> points) {
  if (scaling.empty()) return;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (std::size_t c = 0; c < points.cols(); ++c) {
      points(i, c) = points(i, c) / scaling.multiply[c] - scaling.shift[c];
    }
  }
}

/// The learned map is a model of its own: scores in, coordinates of points out.
Matrix<double> apply_learned_map(const ModelParts& parts, MatrixView<const double> scores,
                                 const RunOptions& run) {
  ModelParts map;
  map.kernel = parts.kernel;
  map.library = parts.preimage_scores;
  map.coefficients = parts.preimage_coefficients;
  map.offset.assign(map.coefficients.cols(), 0.0);
  map.total_weight = 1;
  map.centered = false;
  return Model(std::move(map)).transform(scores, run);
}

std::string rows_text(std::size_t count) {
  return count == 1 ? "1 row" : fmt::format("{} rows", count);
}

/// Pre-images by the kernel's own geometry.
class KernelPreimages {
 public:
  KernelPreimages(const FittedParts& fitted, const PreimageOptions& options, const RunOptions& run)
      : fitted_(fitted),
        options_(options),
        run_(run),
        kernel_(require_radial(fitted.parts.kernel, options.method)),
        expansion_(fitted.parts) {}

  /// `result.points` are the rows to begin with.
  void find(MatrixView<const double> scores, Reconstruction& result) {
    PreimageReport& report = result.report;
    std::vector<std::size_t> rows(scores.rows());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    for (const std::size_t i : rows) report.faint += expansion_.norm2(scores.row(i)) < kFaint;
    if (options_.method == Preimage::mika) {
      rows = iterate(scores, result);
      report.one_step = rows.size();
    }
    if (rows.empty()) return;
    if (options_.method == Preimage::kwok_tsang) {
      by_distances(scores, rows, result.points);
    } else {
      report.nearest = step_once(scores, rows, result.points);
      if (options_.method == Preimage::mika) report.one_step -= report.nearest;
    }
  }

 private:
  /// Returns the rows that have to be found in another way, ascending.
  std::vector<std::size_t> iterate(MatrixView<const double> scores, Reconstruction& result) {
    const model::FixedPoint fixed_point(kernel_, fitted_.parts.library, options_);
    std::vector<model::FixedPoint::Iterations> done(scores.rows());
    engine::Workers workers(run_);
    workers.begin_phase("pre-images");
    workers.for_each((scores.rows() + kBlock - 1) / kBlock, [&](std::size_t block) {
      const std::size_t first = block * kBlock;
      const std::size_t count = std::min(kBlock, scores.rows() - first);
      const auto gamma = expansion_.weights(scores.rows_from(first, count));
      const auto some = fixed_point.iterate(gamma, result.points.view().rows_from(first, count));
      std::ranges::copy(some, done.begin() + static_cast<std::ptrdiff_t>(first));
    });
    std::vector<std::size_t> cancelled;
    for (std::size_t i = 0; i < done.size(); ++i) {
      using Outcome = model::FixedPoint::Outcome;
      result.report.most_iterations = std::max(result.report.most_iterations, done[i].count);
      result.report.not_converged += done[i].outcome == Outcome::not_converged;
      if (done[i].outcome == Outcome::cancelled) cancelled.push_back(i);
    }
    return cancelled;
  }

  /// Returns for how many of the rows the weights cancel.
  std::size_t step_once(MatrixView<const double> scores, std::span<const std::size_t> rows,
                        Matrix<double>& points) {
    const model::FixedPoint fixed_point(kernel_, fitted_.parts.library, options_);
    const Matrix<double>& library = fitted_.parts.library;
    std::vector<char> failed(rows.size(), 0);
    for_each_row(
        scores, rows,
        [&](std::size_t i, std::span<const double> gamma, std::span<const double> products) {
          const auto point = points.row(rows[i]);
          if (fixed_point.one_step(gamma, products, point)) return;
          failed[i] = 1;
          const auto best = std::ranges::max_element(products.first(library.rows()));
          std::ranges::copy(library.row(static_cast<std::size_t>(best - products.begin())),
                            point.begin());
        });
    return static_cast<std::size_t>(std::ranges::count(failed, 1));
  }

  void by_distances(MatrixView<const double> scores, std::span<const std::size_t> rows,
                    Matrix<double>& points) {
    for_each_row(scores, rows,
                 [&](std::size_t i, std::span<const double>, std::span<const double> products) {
                   model::kwok_tsang(kernel_, fitted_.parts.library, products,
                                     expansion_.norm2(scores.row(rows[i])), options_,
                                     points.row(rows[i]));
                 });
  }

  /// Calls use(number in the list, gamma, products with the images of the library).
  template <class Use>
  void for_each_row(MatrixView<const double> scores, std::span<const std::size_t> rows,
                    const Use& use) {
    std::call_once(fitted_.images_once, [&] { fitted_.images = expansion_.images(run_); });
    engine::Workers workers(run_);
    workers.begin_phase("pre-images");
    workers.for_each((rows.size() + kBlock - 1) / kBlock, [&](std::size_t block) {
      const std::size_t first = block * kBlock;
      const std::size_t count = std::min(kBlock, rows.size() - first);
      auto some = Matrix<double>::uninitialized(count, scores.cols());
      for (std::size_t i = 0; i < count; ++i) {
        std::ranges::copy(scores.row(rows[first + i]), some.row(i).begin());
      }
      const auto gamma = expansion_.weights(some);
      const auto products = expansion_.products(some, fitted_.images);
      for (std::size_t i = 0; i < count; ++i) use(first + i, gamma.row(i), products.row(i));
    });
  }

  const FittedParts& fitted_;
  const PreimageOptions& options_;
  const RunOptions& run_;
  RadialKernel kernel_;
  model::Expansion expansion_;
};

}  // namespace

void PreimageOptions::validate() const {
  if (!(tolerance > 0 && std::isfinite(tolerance))) {
    throw InvalidArgument(
        fmt::format("pre-images: tolerance must be positive, it is {}", tolerance));
  }
  if (max_iterations == 0) {
    throw InvalidArgument("pre-images: max_iterations must be at least 1");
  }
  if (neighbors < 2) {
    throw InvalidArgument(
        fmt::format("pre-images: neighbors must be at least 2, it is {}", neighbors));
  }
  if (!(cutoff > 0 && cutoff < 1)) {
    throw InvalidArgument(
        fmt::format("pre-images: cutoff must be between 0 and 1, it is {}", cutoff));
  }
}

void PreimageReport::add(const PreimageReport& other) {
  most_iterations = std::max(most_iterations, other.most_iterations);
  not_converged += other.not_converged;
  one_step += other.one_step;
  nearest += other.nearest;
  faint += other.faint;
}

std::vector<std::string> PreimageReport::warnings() const {
  std::vector<std::string> said;
  if (not_converged > 0) {
    said.push_back(
        fmt::format("{} did not converge in {} iterations: the kernel may be too narrow for the "
                    "data, or allow more",
                    rows_text(not_converged), most_iterations));
  }
  if (one_step > 0) {
    said.push_back(
        fmt::format("{} found by one step instead of the fixed point: the weights there cancel",
                    rows_text(one_step)));
  }
  if (nearest > 0) {
    said.push_back(fmt::format(
        "{} given the point of the library that is nearest to what the model keeps: no weighted "
        "mean of the library is near",
        rows_text(nearest)));
  }
  if (faint > 0) {
    said.push_back(fmt::format(
        "{} of whose squared norm in feature space the model keeps less than {}: ask for more "
        "components, or a wider kernel",
        rows_text(faint), kFaint));
  }
  return said;
}

Reconstruction Model::reconstruct(MatrixView<const double> points, const PreimageOptions& options,
                                  const RunOptions& run) const {
  options.validate();
  const ModelParts& parts = state_->fitted->parts;
  require_projections(parts, state_->input);
  const bool linear = parts.library.empty();
  if (!linear && options.method == Preimage::ridge && !has_preimage_map()) {
    throw InvalidArgument(
        "this model has no learned map from scores to points: add one with learn_preimage (on the "
        "command line: fit --learn-preimage)");
  }
  if (!linear && options.method != Preimage::ridge) require_radial(parts.kernel, options.method);
  const Matrix<double> scores = transform(points, run);
  Reconstruction result;
  if (linear) {
    result.points = Matrix<double>::uninitialized(points.rows(), points.cols());
    reconstruct_linear(parts, scores, result.points);
  } else if (options.method == Preimage::ridge) {
    result.points = apply_learned_map(parts, scores, run);
  } else {
    result.points = model::RowMapper(state_->input).points(Matrix<double>(points), 0);
    KernelPreimages(*state_->fitted, options, run).find(scores, result);
  }
  unscale(state_->input.scaling, result.points);
  return result;
}

}  // namespace mercer
