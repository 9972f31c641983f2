// Models with a smaller library.
//
// Rounding is section 4 of Achlioptas, McSherry & Schoelkopf (rounded_expansion.h) with one change:
// for centred models the offset follows the coefficients, so that the mean score over the library
// stays. That is the same rounding of the same function, written with kernel values about their
// means,
//     f(x) = mean f + sum_i a_i (k(c_i, x) - mean k(c_i, .)),
// as unbiased as before, and its variance has squares of the smaller differences. The common part
// of all kernel values, which says nothing of x, is most of what rounding gets wrong otherwise: on
// USPS digits 20 % error keeps 22 % of the points in place of 93 % (docs/methods/compress.md).
//
// Projection (library_projection.cpp) is the rival that knows how points depend on each other. At
// the same error it keeps tens of times fewer.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <mercer/compress.h>
#include <mercer/error.h>

#include "engine/gram.h"
#include "methods/fit_record.h"
#include "methods/landmark_set.h"
#include "methods/library_images.h"
#include "methods/library_projection.h"
#include "methods/rounded_expansion.h"

namespace mercer {

namespace {

using methods::FitRecord;
using methods::LibraryImages;

constexpr std::uint64_t kRoundingStream = 0x726f756e64;

void require_compressible(const Model& model) {
  if (model.library_size() == 0) {
    throw InvalidArgument(
        model.frequencies().empty()
            ? fmt::format("the model has no library: with the {} kernel it keeps none",
                          kernel_name(model.kernel()))
            : "the model has no library but random features: fit it with fewer of them");
  }
  if (!model.degree_weights().empty()) {
    throw InvalidArgument(
        "the components of this model are divided by the degree of the point, which must be exact "
        "and positive however far the point is: fit the model on fewer weighted centres instead "
        "(reduction)");
  }
  if (model.components() == 0) throw InvalidArgument("the model has no components");
}

ModelParts parts_of(const Model& model) {
  ModelParts parts;
  parts.kernel = model.kernel();
  parts.input = model.input();
  parts.offset.assign(model.offset().begin(), model.offset().end());
  parts.eigenvalues.assign(model.eigenvalues().begin(), model.eigenvalues().end());
  parts.total_weight = model.total_weight();
  parts.mean_norm2 = model.mean_norm2();
  parts.centered = model.centered();
  return parts;
}

/// All points, as they were.
void keep_all(ModelParts& parts, const Model& model) {
  parts.library = Matrix<double>(model.library());
  parts.coefficients = Matrix<double>(model.coefficients());
  parts.offset.assign(model.offset().begin(), model.offset().end());
  parts.mean_coefficients.assign(model.mean_coefficients().begin(),
                                 model.mean_coefficients().end());
}

/// sum_x k(c_i, x)^2 over the library, about the mean over x where the offset makes up for that.
std::vector<double> column_energies(const Model& model, const LibraryImages& images,
                                    FitRecord& record) {
  const auto gram =
      engine::make_gram(model.kernel(), model.library(), {.stored = false}, record.workers());
  std::vector<double> energies(gram->size());
  gram->energies({}, std::vector<double>(gram->size(), 1.0), energies, record.workers());
  record.summary().kernel_evaluations += gram->kernel_evaluations();
  const auto s = static_cast<double>(energies.size());
  for (std::size_t i = 0; model.centered() && i < energies.size(); ++i) {
    const double mean = images.kernel_means[i];
    energies[i] = std::max(energies[i] - s * mean * mean, 0.0);
  }
  return energies;
}

/// Expected sums of squared errors of every component, and the parts that were drawn.
std::vector<double> round(ModelParts& parts, const Model& model, const LibraryImages& images,
                          const CompressOptions& options, double squared_error, FitRecord& record) {
  const methods::RoundedExpansion expansion(model.coefficients(), options.per_component);
  record.begin("scale");
  const auto energies = column_energies(model, images, record);
  double scale = options.scale.value_or(0);
  if (!options.scale && options.error == 0) scale = std::numeric_limits<double>::infinity();
  if (scale == 0) scale = expansion.scale_for(energies, squared_error);
  record.begin("rounding");
  const auto rounded =
      expansion.draw(scale, engine::RandomStream(record.seed()).substream(kRoundingStream));
  record.choice("scale", fmt::format("{:.6g}", scale),
                options.scale ? "asked for"
                              : fmt::format("expected to leave {:.0f} points",
                                            expansion.expected_rows(scale)));
  auto expected = expansion.variances(energies, scale);
  if (std::isinf(scale)) {
    keep_all(parts, model);
    return expected;
  }
  parts.library = methods::pick_rows(model.library(), rounded.rows);
  parts.coefficients = rounded.coefficients;
  if (!model.mean_coefficients().empty()) {
    for (const std::size_t i : rounded.rows) {
      parts.mean_coefficients.push_back(model.mean_coefficients()[i] /
                                        expansion.row_probability(i, scale));
    }
  }
  if (!model.centered()) return expected;
  // The changes are summed, not the products: what is kept as it was then changes nothing.
  std::vector<double> means(model.components(), 0.0);
  std::size_t next = 0;
  for (std::size_t i = 0; i < model.library_size(); ++i) {
    const bool kept = next < rounded.rows.size() && rounded.rows[next] == i;
    for (std::size_t j = 0; j < means.size(); ++j) {
      const double now = kept ? rounded.coefficients(next, j) : 0;
      means[j] += (now - model.coefficients()(i, j)) * images.kernel_means[i];
    }
    next += kept ? 1 : 0;
  }
  for (std::size_t j = 0; j < means.size(); ++j) parts.offset[j] -= means[j];
  return expected;
}

void project(ModelParts& parts, const Model& model, const LibraryImages& images,
             double squared_error, FitRecord& record) {
  record.begin("projection");
  auto projected = methods::project_on_subset(model, images, squared_error,
                                              record.memory_limit_bytes(), record.workers());
  record.summary().kernel_evaluations += projected.kernel_evaluations;
  record.choice("points", std::to_string(projected.rows.size()),
                projected.limited_by_memory ? "more do not fit in the memory limit"
                                            : "the first that meet the error");
  if (projected.rows.size() == model.library_size()) return keep_all(parts, model);
  parts.library = methods::pick_rows(model.library(), projected.rows);
  parts.coefficients = std::move(projected.coefficients);
  parts.offset = std::move(projected.offset);
  parts.mean_coefficients = std::move(projected.mean_coefficients);
}

/// Sums of squared differences of the scores of both models over the library of the first.
std::vector<double> squared_errors(const Model& model, const LibraryImages& images,
                                   const Model& small, const RunOptions& run) {
  const Matrix<double> scores = small.with_input({}).transform(model.library(), run);
  std::vector<double> sums(model.components(), 0.0);
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    for (std::size_t j = 0; j < sums.size(); ++j) {
      const double error = scores(i, j) - (images.values(i, j) + model.offset()[j]);
      sums[j] += error * error;
    }
  }
  return sums;
}

/// Errors are sums of many independent terms, so nearly normal. Their squares over the points then
/// are a weighted sum of squares of normal numbers, which for given expectation exceed 1.96^2 times
/// it most often when one of them has all the weight (Szekely & Bakirov 2003): in 5 % of cases.
ComponentError component_error(double expected2, double measured2, double energy2) {
  constexpr double kNormal95 = 1.959964;
  const auto relative = [&](double squares) {
    return energy2 > 0 ? std::sqrt(squares / energy2) : 0;
  };
  return {.expected = relative(expected2),
          .within_95 = kNormal95 * relative(expected2),
          .measured = relative(measured2)};
}

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// `expected` is empty where nothing is left to chance.
Compression account(const char* by, const LibraryImages& images,
                    const std::vector<double>& expected, const std::vector<double>& measured) {
  const auto& squares = expected.empty() ? measured : expected;
  Compression compression{.by = by,
                          .library_size_before = images.values.rows(),
                          .all = component_error(sum(squares), sum(measured), sum(images.energies)),
                          .components = {}};
  for (std::size_t j = 0; j < measured.size(); ++j) {
    compression.components.push_back(component_error(squares[j], measured[j], images.energies[j]));
  }
  if (!expected.empty()) return compression;
  compression.all.within_95 = compression.all.measured;
  for (ComponentError& error : compression.components) error.within_95 = error.measured;
  return compression;
}

/// What the result lacks of what was asked.
void note_shortcomings(Summary& summary, const CompressOptions& options, std::size_t size) {
  const Compression& compression = *summary.compression;
  const bool smaller = size < compression.library_size_before;
  if (!smaller) {
    summary.warnings.emplace_back("the library is as large as before: allow a larger error");
  }
  constexpr double kSlack = 1e-6;  // the last point was taken for an error that had rounding in it
  if (options.by == CompressBy::rounding ||
      compression.all.measured <= options.error * (1 + kSlack)) {
    return;
  }
  summary.termination = {
      TerminationReason::tolerance_missed,
      fmt::format("the error is {:.3g}, not {:.3g}: {}", compression.all.measured, options.error,
                  smaller ? "all other points depend on these to rounding, or do not fit in the "
                            "memory limit"
                          : "this much is rounding")};
}

}  // namespace

void CompressOptions::validate() const {
  if (!(error >= 0 && error < 1)) {
    throw InvalidArgument(fmt::format(
        "error is {}: it is a fraction of the root mean square score, from 0 to below 1", error));
  }
  if (scale && !(*scale > 0)) {
    throw InvalidArgument(fmt::format("scale is {}: it must be positive", *scale));
  }
  if (by == CompressBy::projection && (per_component || scale)) {
    throw InvalidArgument("per_component and scale are options of rounding, not of projection");
  }
}

double rounding_scale(std::size_t points, double largest_value, double epsilon, double threshold) {
  const auto m = static_cast<double>(points);
  if (points < 25) {
    throw InvalidArgument(
        fmt::format("there are {} points: the theorem needs at least 25", points));
  }
  if (!(epsilon > 0 && epsilon < 2.0 / 3)) {
    throw InvalidArgument(fmt::format("epsilon is {}: it must be between 0 and 2/3", epsilon));
  }
  const double low = 2 * largest_value / epsilon;
  const double high = largest_value / epsilon * std::sqrt(m / std::log(m));
  if (!(largest_value > 0 && threshold > low && threshold <= high)) {
    throw InvalidArgument(
        fmt::format("threshold is {}: for kernel values up to {} it must be above {:.6g}, where "
                    "something is dropped, and at most {:.6g}",
                    threshold, largest_value, low, high));
  }
  return 2 * largest_value * std::sqrt(m) / (epsilon * threshold);
}

Fit compress(const Model& model, const CompressOptions& options, const RunOptions& run) {
  options.validate();
  require_compressible(model);
  const bool rounding = options.by == CompressBy::rounding;
  if (!rounding) methods::require_positive_semidefinite(model.kernel(), "projections");
  FitRecord record(model.summary().method.c_str(), run);
  Summary& summary = record.summary();
  const Summary& fit = model.summary();
  summary.choices = fit.choices;
  summary.total_variance = fit.total_variance;
  summary.explained_variance_ratio = fit.explained_variance_ratio;

  record.begin("scores");
  const LibraryImages images = methods::library_images(model, record.workers());
  summary.kernel_evaluations = images.kernel_evaluations;
  const double energy = sum(images.energies);
  if (!(energy > 0 && std::isfinite(energy))) {
    throw NumericalError(fmt::format(
        "the sum of squared scores of the library is {}: there is nothing to compare with",
        energy));
  }
  const double squared_error = options.error * options.error * energy;
  ModelParts parts = parts_of(model);
  std::vector<double> expected;
  if (rounding) {
    expected = round(parts, model, images, options, squared_error, record);
  } else {
    project(parts, model, images, squared_error, record);
  }

  record.begin("errors");
  RunOptions quiet = run;
  quiet.progress = nullptr;
  const auto measured = squared_errors(model, images, Model(parts), quiet);
  summary.kernel_evaluations +=
      static_cast<std::uint64_t>(model.library_size()) * parts.library.rows();
  summary.compression = account(rounding ? "rounding" : "projection", images, expected, measured);
  note_shortcomings(summary, options, parts.library.rows());
  return record.finish(std::move(parts), fit.n, fit.d, std::nullopt, model.components());
}

}  // namespace mercer
