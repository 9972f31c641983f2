#include "compat/example_models.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <mercer/block_model.h>
#include <mercer/data.h>
#include <mercer/exact.h>
#include <mercer/feature_analysis.h>
#include <mercer/incremental.h>
#include <mercer/input.h>
#include <mercer/manifold.h>
#include <mercer/model.h>
#include <mercer/projection.h>
#include <mercer/random_features.h>
#include <mercer/sparse_distance.h>

namespace mercer::compat {
namespace {

constexpr std::size_t kTrainingRows = 12;
constexpr std::size_t kNewRows = 5;

/// Plain arithmetic, so that no random generator has to stay the same for ever.
double coordinate(std::size_t row, std::size_t column) {
  return std::sin(1.7 * static_cast<double>(row) + 0.9 * static_cast<double>(column)) +
         0.1 * static_cast<double>(row % 5);
}

/// A label, a weight, two numbers and a colour in every row.
std::string table_text(std::size_t first_row, std::size_t rows) {
  static const std::vector<std::string> colors = {"red", "blue", "dark green"};
  std::string text = "class,weight,length,width,colour\n";
  for (std::size_t i = first_row; i < first_row + rows; ++i)
    text += fmt::format("{},{},{},{},{}\n", i % 2 == 0 ? "even" : "odd", 1 + i % 3,
                        coordinate(i, 0), coordinate(i, 1), colors[i % colors.size()]);
  return text;
}

Matrix<double> points(std::size_t first_row, std::size_t rows) {
  Matrix<double> result(rows, 3);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < 3; ++j) result(i, j) = coordinate(first_row + i, j);
  return result;
}

/// Inner products with the training rows: what a user of a precomputed kernel has at hand.
Matrix<double> inner_products(MatrixView<const double> rows) {
  const Matrix<double> training = points(0, kTrainingRows);
  Matrix<double> gram(rows.rows(), kTrainingRows);
  for (std::size_t i = 0; i < rows.rows(); ++i)
    for (std::size_t j = 0; j < kTrainingRows; ++j)
      for (std::size_t c = 0; c < 3; ++c) gram(i, j) += rows(i, c) * training(j, c);
  return gram;
}

void write_rows(const std::filesystem::path& path, MatrixView<const double> rows) {
  RowWriter writer(path, rows.cols());
  writer.write(rows);
  writer.finish();
}

void write_output(const std::filesystem::path& folder, const std::string& name, const Model& model,
                  MatrixView<const double> new_rows) {
  const Matrix<double> scores = model.transform(new_rows);
  const bool residual =
      !std::holds_alternative<Precomputed>(model.kernel()) && model.degree_weights().empty();
  Matrix<double> output(scores.rows(), scores.cols() + (residual ? 1 : 0));
  for (std::size_t i = 0; i < scores.rows(); ++i)
    std::ranges::copy(scores.row(i), output.row(i).begin());
  if (residual) {
    const std::vector<double> distances = model.residual(new_rows);
    for (std::size_t i = 0; i < scores.rows(); ++i) output(i, scores.cols()) = distances[i];
  }
  write_rows(folder / (name + ".output.csv"), output);
}

void write_expected(const std::filesystem::path& folder, const std::string& name,
                    const Model& model, MatrixView<const double> new_rows) {
  model.save(folder / (name + ".mercer"));
  write_output(folder, name, model, new_rows);
}

/// A table with every kind of rule, standardised, weighted.
void write_table_model(const std::filesystem::path& folder) {
  write_text(folder / "training.csv", table_text(0, kTrainingRows));
  write_text(folder / "table.input.csv", table_text(kTrainingRows, kNewRows));
  TableOptions options;
  options.label = ColumnName::parse("class");
  options.weight = ColumnName::parse("weight");
  options.one_hot = parse_columns("colour");
  Table table = read_table(folder / "training.csv", options);
  std::filesystem::remove(folder / "training.csv");
  const InputMaps input{.columns = table.rules, .scaling = standard_scaling(table.points)};
  input.scaling.apply(table.points);
  ExactOptions exact;
  exact.components = 3;
  exact.weights = table.weights;
  const Model model =
      fit_exact(table.points, Gaussian{.gamma = 0.3}, exact).model.with_input(input);
  TableOptions rules;
  rules.rules = input.columns;
  write_expected(folder, "table", model, read_table(folder / "table.input.csv", rules).points);
}

void write_plain_model(const std::filesystem::path& folder, const std::string& name,
                       const Kernel& kernel, bool center) {
  const bool precomputed = std::holds_alternative<Precomputed>(kernel);
  Matrix<double> training = points(0, kTrainingRows);
  Matrix<double> fresh = points(kTrainingRows, kNewRows);
  if (precomputed) {
    fresh = inner_products(fresh);
    training = inner_products(training);
  }
  ExactOptions exact;
  exact.components = 2;
  exact.center = center;
  write_rows(folder / (name + ".input.csv"), fresh);
  write_expected(folder, name, fit_exact(training, kernel, exact).model, fresh);
}

void write_feature_model(const std::filesystem::path& folder) {
  RandomFeatureOptions options;
  options.components = 2;
  options.features = 10;
  const Matrix<double> fresh = points(kTrainingRows, kNewRows);
  const Fit fit = fit_random_features(points(0, kTrainingRows), Matern32{.length = 1.5}, options);
  write_rows(folder / "random_features.input.csv", fresh);
  write_expected(folder, "random_features", fit.model, fresh);
}

/// A summary with gains and no eigenvalues.
void write_kernel_feature_model(const std::filesystem::path& folder) {
  FeatureAnalysisOptions options;
  options.features = 3;
  const Matrix<double> fresh = points(kTrainingRows, kNewRows);
  const Fit fit = fit_feature_analysis(points(0, kTrainingRows), Gaussian{.gamma = 0.3}, options);
  write_rows(folder / "akfa.input.csv", fresh);
  write_expected(folder, "akfa", fit.model, fresh);
}

/// A scaling and a projection before the kernel.
void write_projection_model(const std::filesystem::path& folder) {
  const Matrix<double> training = points(0, kTrainingRows);
  const Matrix<double> fresh = points(kTrainingRows, kNewRows);
  const std::size_t d = training.cols();
  const InputMaps input{.scaling = fixed_scaling(d, 0.5, 2),
                        .projection = random_projection(d, d - 1, ProjectionMap::rotated)};
  ExactOptions exact;
  exact.components = 2;
  write_rows(folder / "projection.input.csv", fresh);
  write_expected(
      folder, "projection",
      fit_exact(input.apply(training), Gaussian{.gamma = 0.2}, exact).model.with_input(input),
      fresh);
}

/// The two ways of dividing by degrees: less a shift, and as they are.
void write_graph_models(const std::filesystem::path& folder) {
  WeightedSet set;
  set.centers = points(0, kTrainingRows);
  for (std::size_t i = 0; i < kTrainingRows; ++i)
    set.weights.push_back(static_cast<double>(1 + i % 3));
  const Matrix<double> fresh = points(kTrainingRows, kNewRows);
  LaplacianEigenmapOptions unnormalized;
  unnormalized.laplacian = GraphLaplacian::unnormalized;
  write_rows(folder / "laplacian_eigenmaps.input.csv", fresh);
  write_expected(folder, "laplacian_eigenmaps",
                 fit_laplacian_eigenmaps(set, Gaussian{.gamma = 0.3}, unnormalized).model, fresh);
  write_rows(folder / "diffusion_maps.input.csv", fresh);
  write_expected(folder, "diffusion_maps", fit_diffusion_maps(set, Laplacian{.gamma = 0.5}).model,
                 fresh);
}

/// A block by itself, a linear one, and a stream of two blocks whose library was reduced.
void write_blocks(const std::filesystem::path& folder) {
  const Matrix<double> training = points(0, kTrainingRows);
  BlockModel::of_rows(training, Gaussian{.gamma = 0.3}).save(folder / "part.block");
  BlockModel::of_rows(training, Linear{}).save(folder / "linear_part.block");
  IncrementalOptions options;
  options.library.mse = 1e-6;
  options.merge.keep = 0.999;
  options.library_limit = 8;
  options.seed = 7;
  IncrementalFit stream(Laplacian{.gamma = 0.5}, options);
  stream.partial_fit(training.view().rows_from(0, 5));
  stream.partial_fit(training.view().rows_from(5, kTrainingRows - 5));
  stream.save(folder / "stream.block");
  const Matrix<double> fresh = points(kTrainingRows, kNewRows);
  for (const std::string& name : block_names()) {
    write_rows(folder / (name + ".input.csv"), fresh);
    write_output(folder, name, finished(folder / (name + ".block")), fresh);
  }
}

void write_distances(const std::filesystem::path& folder) {
  const auto fit = fit_sparse_distance(L1Distance{}, points(0, kTrainingRows),
                                       {.landmarks = 4, .selection = SubsetSelection::greedy});
  fit.model.save(folder / "distances.mercer");
  const Matrix<double> fresh = points(kTrainingRows, kNewRows);
  write_rows(folder / "distances.input.csv", fresh);
  write_rows(folder / "distances.output.csv", fit.model.estimate(fresh).squared);
}

}  // namespace

std::vector<std::string> block_names() {
  return {"part", "linear_part", "stream"};
}

Model finished(const std::filesystem::path& path) {
  return BlockModel::load(path).finish({.components = 2}).model;
}

std::vector<std::string> model_names() {
  return {"table",  "linear",          "polynomial",          "rational_quadratic", "precomputed",
          "custom", "random_features", "laplacian_eigenmaps", "diffusion_maps",     "projection",
          "akfa"};
}

Custom custom_kernel() {
  const auto function = [](std::span<const double> x, std::span<const double> y) {
    double sum = 1;
    for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
    return sum * sum * sum * sum;
  };
  return {.function = function, .name = "quartic"};
}

void write_models(const std::filesystem::path& folder) {
  write_table_model(folder);
  write_plain_model(folder, "linear", Linear{}, true);
  write_plain_model(folder, "polynomial", Polynomial{.gamma = 0.5, .degree = 2, .coef0 = 0.25},
                    false);
  write_plain_model(folder, "rational_quadratic", RationalQuadratic{.length = 1.5, .alpha = 0.75},
                    true);
  write_plain_model(folder, "precomputed", Precomputed{}, true);
  write_plain_model(folder, "custom", custom_kernel(), true);
  write_feature_model(folder);
  write_kernel_feature_model(folder);
  write_graph_models(folder);
  write_projection_model(folder);
  write_blocks(folder);
  write_distances(folder);
}

}  // namespace mercer::compat
