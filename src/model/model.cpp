#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include <mercer/error.h>
#include <mercer/model.h>

#include "engine/fourier_features.h"
#include "model/input_maps.h"
#include "model/model_state.h"
#include "model/utf8.h"

namespace mercer {
namespace {

void require_size(std::size_t size, std::size_t expected, std::string_view what) {
  if (size != expected)
    throw InvalidArgument(
        fmt::format("model parts: {} has {} entries instead of {}", what, size, expected));
}

void require_finite(std::span<const double> values, std::string_view what) {
  const auto bad = std::ranges::find_if_not(values, [](double x) { return std::isfinite(x); });
  if (bad != values.end())
    throw InvalidArgument(fmt::format("model parts: {} holds {} at position {}", what, *bad,
                                      bad - values.begin() + 1));
}

void require_finite(const Matrix<double>& matrix, std::string_view what) {
  require_finite(std::span(matrix.data(), matrix.size()), what);
}

void validate_kernel(const Kernel& kernel) {
  validate(kernel);
  if (!is_resolved(kernel))
    throw InvalidArgument(fmt::format(
        "model parts: the {} kernel has a parameter without a value (resolve_bandwidth chooses it)",
        kernel_name(kernel)));
  const auto* custom = std::get_if<Custom>(&kernel);
  if (custom == nullptr) return;
  if (!model::is_utf8(custom->name))
    throw InvalidArgument("model parts: the name of the custom kernel is not UTF-8 text");
  if (!custom->function)
    throw InvalidArgument(
        fmt::format("model parts: the custom kernel '{}' has no function", custom->name));
}

void validate_frequencies(const ModelParts& parts) {
  if (!parts.library.empty())
    throw InvalidArgument("model parts: a model has a library or frequencies, not both");
  if (!engine::has_fourier_features(parts.kernel))
    throw InvalidArgument(
        fmt::format("model parts: a {} kernel has no random features, but there are frequencies",
                    kernel_name(parts.kernel)));
  require_size(parts.coefficients.rows(), 2 * parts.frequencies.rows(), "a column of coefficients");
  require_finite(parts.frequencies, "frequencies");
}

void validate_library(const ModelParts& parts) {
  const bool linear = std::holds_alternative<Linear>(parts.kernel);
  const bool precomputed = std::holds_alternative<Precomputed>(parts.kernel);
  if (parts.library.empty()) {
    if (!linear && !precomputed)
      throw InvalidArgument(fmt::format("model parts: a {} kernel needs a library of points",
                                        kernel_name(parts.kernel)));
    return;
  }
  if (precomputed)
    throw InvalidArgument("model parts: a precomputed kernel has no points to keep in a library");
  require_size(parts.coefficients.rows(), parts.library.rows(), "a column of coefficients");
  require_finite(parts.library, "library");
}

void validate_feature_map(const ModelParts& parts) {
  if (parts.frequencies.empty()) {
    validate_library(parts);
  } else {
    validate_frequencies(parts);
  }
}

/// Columns that the kernel sees.
std::size_t point_columns(const ModelParts& parts) {
  if (!parts.frequencies.empty()) return parts.frequencies.cols();
  return parts.library.empty() ? parts.coefficients.rows() : parts.library.cols();
}

void validate_order(const ModelParts& parts) {
  const bool ascending = !parts.degree_shift.empty();
  const bool sorted = ascending ? std::ranges::is_sorted(parts.eigenvalues)
                                : std::ranges::is_sorted(parts.eigenvalues, std::greater<>{});
  if (!sorted)
    throw InvalidArgument(fmt::format("model parts: eigenvalues are not in {} order",
                                      ascending ? "ascending" : "descending"));
}

void validate_normalizer(const ModelParts& parts) {
  if (parts.degree_weights.empty()) {
    if (!parts.degree_shift.empty())
      throw InvalidArgument("model parts: degree_shift needs degree_weights");
    return;
  }
  if (parts.library.empty())
    throw InvalidArgument("model parts: degree_weights need a library of points");
  if (!parts.mean_coefficients.empty())
    throw InvalidArgument("model parts: a model has degree_weights or mean_coefficients, not both");
  require_size(parts.degree_weights.size(), parts.library.rows(), "degree_weights");
  require_finite(parts.degree_weights, "degree_weights");
  if (!parts.degree_shift.empty())
    require_size(parts.degree_shift.size(), parts.coefficients.cols(), "degree_shift");
  require_finite(parts.degree_shift, "degree_shift");
}

void validate_preimage_map(const ModelParts& parts) {
  const Matrix<double>& scores = parts.preimage_scores;
  if (scores.empty() && parts.preimage_coefficients.empty()) return;
  if (parts.library.empty())
    throw InvalidArgument("model parts: a map from scores to points needs a library");
  require_size(scores.cols(), parts.coefficients.cols(), "a row of preimage_scores");
  require_size(parts.preimage_coefficients.rows(), scores.rows(),
               "a column of preimage_coefficients");
  require_size(parts.preimage_coefficients.cols(), parts.library.cols(),
               "a row of preimage_coefficients");
  require_finite(scores, "preimage_scores");
  require_finite(parts.preimage_coefficients, "preimage_coefficients");
}

void validate_numbers(const ModelParts& parts) {
  if (parts.coefficients.rows() == 0)
    throw InvalidArgument("model parts: coefficients has no rows");
  require_finite(parts.coefficients, "coefficients");
  const std::size_t components = parts.coefficients.cols();
  require_size(parts.offset.size(), components, "offset");
  require_finite(parts.offset, "offset");
  if (!parts.eigenvalues.empty()) require_size(parts.eigenvalues.size(), components, "eigenvalues");
  require_finite(parts.eigenvalues, "eigenvalues");
  validate_order(parts);
  if (!parts.mean_coefficients.empty())
    require_size(parts.mean_coefficients.size(), parts.coefficients.rows(), "mean_coefficients");
  require_finite(parts.mean_coefficients, "mean_coefficients");
  require_finite(std::span(&parts.mean_norm2, 1), "mean_norm2");
  if (!std::isfinite(parts.total_weight) || parts.total_weight <= 0)
    throw InvalidArgument(
        fmt::format("model parts: total_weight must be positive, it is {}", parts.total_weight));
}

}  // namespace

Model::Model(ModelParts parts) {
  validate_kernel(parts.kernel);
  validate_numbers(parts);
  validate_feature_map(parts);
  validate_normalizer(parts);
  validate_preimage_map(parts);
  model::check_input(parts.input, parts.kernel, point_columns(parts));
  InputMaps input = std::exchange(parts.input, {});
  Summary summary = std::exchange(parts.summary, {});
  state_ = std::make_shared<const State>(
      State{.fitted = std::make_shared<const FittedParts>(std::move(parts)),
            .input = std::move(input),
            .summary = std::move(summary)});
}

Model::~Model() = default;
Model::Model(const Model&) = default;
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(const Model&) = default;
Model& Model::operator=(Model&&) noexcept = default;

std::size_t Model::components() const {
  return coefficients().cols();
}

std::size_t Model::input_columns() const {
  return state_->input.row_columns(point_columns(state_->fitted->parts));
}

std::size_t Model::library_size() const {
  return state_->fitted->parts.library.rows();
}

const Kernel& Model::kernel() const {
  return state_->fitted->parts.kernel;
}

const InputMaps& Model::input() const {
  return state_->input;
}

MatrixView<const double> Model::library() const {
  return state_->fitted->parts.library;
}

MatrixView<const double> Model::frequencies() const {
  return state_->fitted->parts.frequencies;
}

MatrixView<const double> Model::coefficients() const {
  return state_->fitted->parts.coefficients;
}

std::span<const double> Model::offset() const {
  return state_->fitted->parts.offset;
}

std::span<const double> Model::eigenvalues() const {
  return state_->fitted->parts.eigenvalues;
}

double Model::total_weight() const {
  return state_->fitted->parts.total_weight;
}

bool Model::centered() const {
  return state_->fitted->parts.centered;
}

std::span<const double> Model::mean_coefficients() const {
  return state_->fitted->parts.mean_coefficients;
}

double Model::mean_norm2() const {
  return state_->fitted->parts.mean_norm2;
}

std::span<const double> Model::degree_weights() const {
  return state_->fitted->parts.degree_weights;
}

std::span<const double> Model::degree_shift() const {
  return state_->fitted->parts.degree_shift;
}

bool Model::has_preimage_map() const {
  return !state_->fitted->parts.preimage_scores.empty();
}

MatrixView<const double> Model::preimage_scores() const {
  return state_->fitted->parts.preimage_scores;
}

MatrixView<const double> Model::preimage_coefficients() const {
  return state_->fitted->parts.preimage_coefficients;
}

const Summary& Model::summary() const {
  return state_->summary;
}

Model Model::with_input(InputMaps input) const {
  const ModelParts& parts = state_->fitted->parts;
  model::check_input(input, parts.kernel, point_columns(parts));
  Model copy = *this;
  copy.state_ = std::make_shared<const State>(
      State{.fitted = state_->fitted, .input = std::move(input), .summary = state_->summary});
  return copy;
}

Model Model::with_summary(Summary summary) const {
  Model copy = *this;
  copy.state_ = std::make_shared<const State>(
      State{.fitted = state_->fitted, .input = state_->input, .summary = std::move(summary)});
  return copy;
}

}  // namespace mercer
