#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace mercer {

// Kernels are small structs of parameters. r is the Euclidean distance of x and y. A parameter left
// empty is chosen from the data by the fit (median heuristic, see bandwidth.h) and reported.

/// exp(-gamma r^2)
struct Gaussian {
  std::optional<double> gamma{};
  static Gaussian from_sigma(double sigma);  ///< gamma = 1 / (2 sigma^2)
};

/// exp(-gamma r)
struct Laplacian {
  std::optional<double> gamma{};
  static Laplacian from_sigma(double sigma);  ///< gamma = 1 / sigma
};

/// exp(-gamma sum_j |x_j - y_j|); scikit-learn calls this one "laplacian".
struct LaplacianL1 {
  std::optional<double> gamma{};
};

/// (1 + a) exp(-a), a = sqrt(3) r / length
struct Matern32 {
  std::optional<double> length{};
};

/// (1 + a + a^2/3) exp(-a), a = sqrt(5) r / length
struct Matern52 {
  std::optional<double> length{};
};

/// (1 + r^2 / (2 alpha length^2))^(-alpha)
struct RationalQuadratic {
  std::optional<double> length{};
  double alpha = 1;
};

/// (gamma <x, y> + coef0)^degree; an empty gamma means 1 / (number of columns).
struct Polynomial {
  std::optional<double> gamma{};
  int degree = 3;
  double coef0 = 1;
};

/// <x, y>: ordinary PCA.
struct Linear {};

/// <x, y> / (|x| |y|), and 0 where a row is all zeros.
struct Cosine {};

/// tanh(gamma <x, y> + coef0). Not positive semi-definite: negative eigenvalues are dropped and
/// counted in the summary. An empty gamma means 1 / (number of columns).
struct Sigmoid {
  std::optional<double> gamma{};
  double coef0 = 1;
};

/// sum_j 2 x_j y_j / (x_j + y_j) for non-negative data; 0/0 counts as 0.
struct Chi2 {};

/// exp(-gamma sum_j (x_j - y_j)^2 / (x_j + y_j)) for non-negative data.
struct ExponentialChi2 {
  std::optional<double> gamma{};
};

/// The "points" handed to a fit are the n x n kernel matrix itself; those handed to a model are the
/// kernel values of each new point (row) with every training point (column).
struct Precomputed {};

/// Any symmetric function of two rows. Called from several threads at once unless `threads` is 1.
/// Exceptions it throws reach the caller. Models over a custom kernel are loaded with
/// `Model::load(path, kernel)`.
struct Custom {
  std::function<double(std::span<const double>, std::span<const double>)> function{};
  std::string name = "custom";
};

using Kernel =
    std::variant<Gaussian, Laplacian, LaplacianL1, Matern32, Matern52, RationalQuadratic,
                 Polynomial, Linear, Cosine, Sigmoid, Chi2, ExponentialChi2, Precomputed, Custom>;

/// The name used on the command line, in files and in summaries, e.g. "rational_quadratic".
std::string kernel_name(const Kernel& kernel);

/// Parameters by name, in a fixed order; those still to be chosen are left out.
std::vector<std::pair<std::string, double>> kernel_parameters(const Kernel& kernel);

/// The inverse of the two functions above. Throws InvalidArgument on an unknown name or parameter;
/// a custom kernel comes back without its function.
Kernel make_kernel(const std::string& name,
                   const std::vector<std::pair<std::string, double>>& parameters);

/// All names that `make_kernel` knows.
std::vector<std::string> kernel_names();

/// True when every parameter has a value.
bool is_resolved(const Kernel& kernel);

/// Throws InvalidArgument when a parameter that has a value is out of its range.
void validate(const Kernel& kernel);

}  // namespace mercer
