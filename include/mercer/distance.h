#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <mercer/kernel.h>
#include <mercer/matrix.h>
#include <mercer/run.h>

namespace mercer {

// Distances are small structs of parameters, as kernels are. Each is given by its square d^2, which
// is what the methods work with: a distance is Hilbertian (embeds into a Hilbert space) exactly
// when its square is conditionally negative definite. So d^2 is |x - y|_1 for L1Distance and the
// number of differing positions for HammingDistance; those sums are not themselves Hilbertian
// distances, their roots are.

/// d^2 = sum_j (x_j - y_j)^2
struct EuclideanDistance {};

/// d^2 = number of positions that differ, for rows of 0 and 1.
struct HammingDistance {
  /// Values above it count as 1, others as 0. Empty: the data are 0 and 1 already.
  std::optional<double> threshold{};
};

/// d^2 = sum_j |x_j - y_j|
struct L1Distance {};

/// d^2 = sum_j (x_j - y_j)^2 / (x_j + y_j) for non-negative data; 0/0 counts as 0.
struct Chi2Distance {};

/// d^2 = 1/2 sum_j (sqrt x_j - sqrt y_j)^2 for non-negative data.
struct HellingerDistance {};

/// d^2 = 1/2 sum_j (x_j ln(x_j / m_j) + y_j ln(y_j / m_j)), m = (x + y) / 2: the Jensen-Shannon
/// divergence in nats, for non-negative data. Rows are not normalised first.
struct JensenShannonDistance {};

/// d^2 = 1 - <x, y> / (|x| |y|); rows of zeros have no direction and are refused.
struct CosineDistance {};

/// d^2 = 1 - |x and y| / |x or y| of the sets of positions that hold a 1; 0 for two empty sets.
struct JaccardDistance {
  /// As in HammingDistance.
  std::optional<double> threshold{};
};

/// d^2 = k(x, x) + k(y, y) - 2 k(x, y): the distance in the feature space of a kernel.
struct KernelDistance {
  Kernel kernel = Gaussian{};
};

/// The "points" handed to a fit are the n x n distances themselves. A query is a row of its
/// distances to all n items, or to the landmarks alone in their order.
struct PrecomputedDistance {
  bool squared = false;     ///< the numbers are squares already
  bool hilbertian = false;  ///< whether that is known of them, as in CustomDistance
};

/// Any symmetric function of two rows that is 0 for equal ones. Called from several threads at once
/// unless `threads` is 1.
struct CustomDistance {
  std::function<double(std::span<const double>, std::span<const double>)> squared{};
  std::string name = "custom";
  /// Whether it is known to be Hilbertian. Otherwise the data are checked, and what holds for
  /// Hilbertian distances only (bounds, exact neighbours) is refused.
  bool hilbertian = false;
};

using Distance = std::variant<EuclideanDistance, HammingDistance, L1Distance, Chi2Distance,
                              HellingerDistance, JensenShannonDistance, CosineDistance,
                              JaccardDistance, KernelDistance, PrecomputedDistance, CustomDistance>;

/// The name used on the command line, in files and in summaries, e.g. "jensen_shannon".
std::string distance_name(const Distance& distance);

/// All names.
std::vector<std::string> distance_names();

/// Parameters by name, without those of a kernel.
std::vector<std::pair<std::string, double>> distance_parameters(const Distance& distance);

/// The inverse of the two functions above; a kernel, or a function, is to be put in afterwards.
/// Throws InvalidArgument on an unknown name or parameter.
Distance make_distance(const std::string& name,
                       const std::vector<std::pair<std::string, double>>& parameters);

/// Whether the distance is Hilbertian whatever the data: proven for those with a formula, declared
/// for custom and precomputed ones, not for indefinite and custom kernels.
bool is_hilbertian(const Distance& distance);

/// Throws InvalidArgument when a parameter is out of its range or a function is missing.
void validate(const Distance& distance);

/// d^2 of two rows, straight from the formula. Precomputed distances have none: InvalidArgument.
double squared_distance(const Distance& distance, std::span<const double> x,
                        std::span<const double> y);

/// d^2 of every row of `a` with every row of `b`, a.rows() x b.rows(). Vectorised and threaded; the
/// same bits for every number of threads and in any company. Throws DataError on values that are
/// not finite or that the distance cannot take. A kernel must have all its parameters.
Matrix<double> squared_distances(const Distance& distance, MatrixView<const double> a,
                                 MatrixView<const double> b, const RunOptions& run = {});

/// Squared distances by number, for items that are no rows of numbers: strings, series, graphs,
/// simulations. `squared(i, j)` is that of thing i (an item when fitting, a query later) and item
/// j. Called from several threads at once unless `threads` is 1; never for i = j when fitting, and
/// once for each pair of items.
struct IndexedDistance {
  std::size_t count = 0;  ///< of things: items when fitting, queries later
  std::function<double(std::size_t, std::size_t)> squared{};
  std::string name = "custom";
  bool hilbertian = false;  ///< as in CustomDistance
};

/// The distances of C++ objects among each other. They are referred to and must stay.
/// `squared(a, b)` is their squared distance.
template <class Object, class Function>
IndexedDistance object_distances(std::span<const Object> objects, Function squared,
                                 const std::string& name = "custom", bool hilbertian = false) {
  return {.count = objects.size(),
          .squared = [objects, squared](std::size_t i, std::size_t j) -> double {
            return squared(objects[i], objects[j]);
          },
          .name = name,
          .hilbertian = hilbertian};
}

/// The distances of query objects to items.
template <class Object, class Function>
IndexedDistance object_queries(std::span<const Object> queries, std::span<const Object> items,
                               Function squared, const std::string& name = "custom") {
  return {.count = queries.size(),
          .squared = [queries, items, squared](std::size_t i, std::size_t j) -> double {
            return squared(queries[i], items[j]);
          },
          .name = name};
}

}  // namespace mercer
