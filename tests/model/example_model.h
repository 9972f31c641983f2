#pragma once

#include <mercer/model.h>

namespace mercer::testing {

/// Three library points in two columns, two components, every part present.
inline ModelParts example_parts() {
  ModelParts parts;
  parts.kernel = Gaussian{.gamma = 0.1};
  parts.input.columns = {.table_columns = 4,
                         .left_out = {0},
                         .one_hot = {{.column = 2, .categories = {}}},
                         .names = {"label", "x", "colour", "\xc3\xbcy"}};
  parts.input.scaling = {.shift = {-1.0, 0.1}, .multiply = {2.0, 1.0 / 3}};
  parts.library = Matrix<double>(3, 2);
  parts.coefficients = Matrix<double>(3, 2);
  for (std::size_t i = 0; i < 6; ++i) {
    parts.library.data()[i] = 0.1 * static_cast<double>(i);
    parts.coefficients.data()[i] = 1.0 / static_cast<double>(i + 3);
  }
  parts.offset = {0.25, -0.75};
  parts.eigenvalues = {2.5, 0.3};
  parts.total_weight = 3;
  parts.mean_coefficients = {1.0 / 3, 1.0 / 3, 1.0 / 3};
  parts.mean_norm2 = 0.7;
  parts.summary.method = "exact";
  parts.summary.kernel = "gaussian";
  return parts;
}

/// The same components over six random features of two columns.
inline ModelParts example_feature_parts() {
  ModelParts parts = example_parts();
  parts.library = {};
  parts.frequencies = Matrix<double>(3, 2);
  parts.coefficients = Matrix<double>(6, 2);
  for (std::size_t i = 0; i < 6; ++i) {
    parts.frequencies.data()[i] = 0.3 * static_cast<double>(i) - 1;
    parts.coefficients(i, i % 2) = 1.0 / static_cast<double>(i + 1);
  }
  parts.mean_coefficients = {0.3, 0.1, -0.2, 0.1, 0.2, 0.05};
  parts.mean_norm2 = 0.1925;
  parts.summary.method = "random_features";
  parts.summary.features = 6;
  return parts;
}

/// The same components as functions on a graph, divided by the degree less a shift.
inline ModelParts example_graph_parts() {
  ModelParts parts = example_parts();
  parts.mean_coefficients = {};
  parts.mean_norm2 = 0;
  parts.centered = false;
  parts.degree_weights = {1, 2, 0.5};
  parts.degree_shift = {0.125, 0.25};
  parts.eigenvalues = {0.125, 0.25};
  parts.summary.method = "laplacian_eigenmaps";
  return parts;
}

}  // namespace mercer::testing
