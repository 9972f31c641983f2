#include "methods/library_images.h"

#include <algorithm>

#include "engine/gram.h"
#include "engine/tile.h"

namespace mercer::methods {

LibraryImages library_images(const Model& model, engine::Workers& workers) {
  const std::size_t s = model.library_size();
  const std::size_t k = model.components();
  const auto mean = model.mean_coefficients();
  const std::size_t targets = k + (mean.empty() ? 0 : 1);
  // B, nu, and the mean of the values in one product.
  Matrix<double> columns(s, engine::padded_columns(targets + 1));
  Matrix<double> products(s, columns.cols());
  for (std::size_t i = 0; i < s; ++i) {
    std::ranges::copy(model.coefficients().row(i), columns.row(i).begin());
    if (!mean.empty()) columns(i, k) = mean[i];
    columns(i, targets) = 1 / static_cast<double>(s);
  }
  const auto gram = engine::make_gram(model.kernel(), model.library(), {.stored = false}, workers);
  gram->multiply(columns, products, workers);

  const auto all = std::as_const(products).view();
  LibraryImages images{.values = Matrix<double>(all.cols_from(0, k)),
                       .targets = Matrix<double>(all.cols_from(0, targets)),
                       .kernel_means = {},
                       .means = std::vector<double>(k, 0.0),
                       .energies = std::vector<double>(k, 0.0),
                       .kernel_evaluations = gram->kernel_evaluations()};
  for (std::size_t i = 0; i < s; ++i) {
    images.kernel_means.push_back(products(i, targets));
    for (std::size_t j = 0; j < k; ++j) {
      const double score = products(i, j) + model.offset()[j];
      images.means[j] += products(i, j) / static_cast<double>(s);
      images.energies[j] += score * score;
    }
  }
  return images;
}

}  // namespace mercer::methods
