#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include <mercer/bandwidth.h>
#include <mercer/error.h>

#include "engine/kernel_points.h"
#include "engine/random.h"
#include "engine/tile.h"

namespace mercer {

namespace {

Matrix<double> sample_rows(MatrixView<const double> points, std::size_t count, std::uint64_t seed) {
  const auto stream = engine::RandomStream(seed).substream(0x62616e64);
  const auto rows = engine::sample_without_replacement(points.rows(), count, stream);
  auto sample = Matrix<double>::uninitialized(rows.size(), points.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::ranges::copy(points.row(rows[i]), sample.row(i).begin());
  }
  return sample;
}

/// Subtracts the column medians and divides by a power of two so that the largest entry is about 1:
/// neither 1e150 nor 1e-150 then leaves the range of doubles when squared. Returns that power.
double centre_and_scale(Matrix<double>& sample) {
  const auto middle = engine::column_medians(sample);
  for (std::size_t i = 0; i < sample.rows(); ++i) {
    for (std::size_t j = 0; j < sample.cols(); ++j) sample(i, j) -= middle[j];
  }
  double largest = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    largest = std::max(largest, std::abs(sample.data()[i]));
  }
  if (largest == 0) return 1;
  const double scale = std::ldexp(1.0, std::ilogb(largest));
  for (std::size_t i = 0; i < sample.size(); ++i) sample.data()[i] /= scale;
  return scale;
}

double direct_squared_distance(std::span<const double> x, std::span<const double> y) {
  double sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) sum += (x[j] - y[j]) * (x[j] - y[j]);
  return sum;
}

/// Distances of all pairs of a sample, in the form in which their median is taken.
struct PairDistances {
  std::vector<double> values;
  bool squared = false;
  double scale = 1;  // of the distances; the values lack it (or its square)

  double distance(double value) const { return scale * (squared ? std::sqrt(value) : value); }
};

/// Euclidean distances of all pairs, by one product of the sample with itself. Pairs so close that
/// cancellation could hide that they coincide, or pretend it, are done again by differences.
PairDistances euclidean_distances(Matrix<double> sample) {
  const double scale = centre_and_scale(sample);
  const std::size_t n = sample.rows();
  const std::size_t padded = engine::padded_columns(n);
  Matrix<double> transposed(sample.cols(), padded);
  std::vector<double> norm2(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < sample.cols(); ++j) {
      transposed(j, i) = sample(i, j);
      norm2[i] += sample(i, j) * sample(i, j);
    }
  }
  Matrix<double> products(n, padded);
  engine::multiply_add({.m = n,
                        .n = padded,
                        .k = sample.cols(),
                        .a = sample.data(),
                        .a_row_stride = sample.cols(),
                        .a_col_stride = 1,
                        .b = transposed.data(),
                        .b_stride = padded,
                        .c = products.data(),
                        .c_stride = padded});
  PairDistances distances{.values = {}, .squared = true, .scale = scale};
  distances.values.reserve(n * (n - 1) / 2);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      double squared = norm2[i] + norm2[j] - 2 * products(i, j);
      if (squared <= 1e-8 * (norm2[i] + norm2[j])) {
        squared = direct_squared_distance(sample.row(i), sample.row(j));
      }
      distances.values.push_back(squared);
    }
  }
  return distances;
}

/// Distances of all pairs by a formula of two coordinates.
PairDistances summed_distances(const Matrix<double>& sample,
                               const std::function<double(double, double)>& term) {
  PairDistances distances;
  for (std::size_t i = 0; i < sample.rows(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < sample.cols(); ++k) sum += term(sample(i, k), sample(j, k));
      distances.values.push_back(sum);
    }
  }
  return distances;
}

PairDistances l1_distances(const Matrix<double>& sample) {
  return summed_distances(sample, [](double x, double y) { return std::abs(x - y); });
}

PairDistances chi2_distances(const Matrix<double>& sample) {
  return summed_distances(
      sample, [](double x, double y) { return x + y > 0 ? (x - y) * ((x - y) / (x + y)) : 0.0; });
}

/// Mean of the two middle values when their number is even.
double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  const double below = *std::max_element(values.begin(), middle);
  return below + (*middle - below) / 2;
}

/// Columns on very different scales: the widest alone would decide every distance.
std::vector<std::string> scale_warnings(const Matrix<double>& sample) {
  std::vector<double> variance(sample.cols());
  const auto n = static_cast<double>(sample.rows());
  for (std::size_t j = 0; j < sample.cols(); ++j) {
    double mean = 0;
    for (std::size_t i = 0; i < sample.rows(); ++i) mean += sample(i, j) / n;
    for (std::size_t i = 0; i < sample.rows(); ++i) {
      variance[j] += (sample(i, j) - mean) * ((sample(i, j) - mean) / n);
    }
  }
  const auto widest = std::ranges::max_element(variance);
  const auto column = widest - variance.begin();
  const double largest = *widest;
  const double typical = median(variance);
  if (!(largest > 100 * typical) || typical == 0) return {};
  return {fmt::format(
      "column {} varies {:.0f} times more than the median column and dominates every distance; "
      "consider standardising",
      column + 1, std::sqrt(largest / typical))};
}

struct MedianDistance {
  double value = 0;
  std::size_t rows = 0;
  bool without_zeros = false;
  std::vector<std::string> warnings;
};

template <class Distances>
MedianDistance median_distance(MatrixView<const double> points, const BandwidthOptions& options,
                               const Distances& distances_of) {
  constexpr std::size_t kRetryRows = 5000;
  for (const std::size_t rows : {options.sample_rows, std::max(options.sample_rows, kRetryRows)}) {
    const auto sample = sample_rows(points, rows, options.seed);
    PairDistances distances = distances_of(sample);
    auto& values = distances.values;
    const auto zeros = static_cast<std::size_t>(std::ranges::count(values, 0.0));
    if (zeros == values.size()) continue;
    const bool many_zeros = 10 * zeros > values.size();
    if (many_zeros) std::erase(values, 0.0);
    return {distances.distance(median(values)), sample.rows(), many_zeros, scale_warnings(sample)};
  }
  throw DataError(
      "all sampled rows are equal, so no bandwidth can be found from them; give the kernel's "
      "parameter (gamma, sigma or length)");
}

ResolvedKernel chosen(Kernel kernel, const char* parameter, double value, const MedianDistance& m,
                      const char* formula) {
  if (!(value > 0) || !std::isfinite(value)) {
    throw NumericalError(fmt::format(
        "the median distance {:g} gives {} = {:g}, beyond the range of doubles; scale the data",
        m.value, parameter, value));
  }
  return {std::move(kernel), parameter, value,
          fmt::format("median heuristic, {} over all pairs of {} sampled rows{}", formula, m.rows,
                      m.without_zeros ? ", coinciding pairs left out" : ""),
          m.warnings};
}

}  // namespace

ResolvedKernel resolve_bandwidth(const Kernel& kernel, MatrixView<const double> points,
                                 const BandwidthOptions& options) {
  validate(kernel);
  if (is_resolved(kernel)) return {kernel, "", 0, "", {}};
  if (points.empty()) throw DataError("there are no points to choose a bandwidth from");
  const auto one_over_columns = [&](auto k) {
    k.gamma = 1 / static_cast<double>(points.cols());
    return ResolvedKernel{k, "gamma", *k.gamma, "1 / number of columns", {}};
  };
  if (const auto* k = std::get_if<Polynomial>(&kernel)) return one_over_columns(*k);
  if (const auto* k = std::get_if<Sigmoid>(&kernel)) return one_over_columns(*k);
  if (std::holds_alternative<LaplacianL1>(kernel)) {
    const auto m = median_distance(points, options, l1_distances);
    return chosen(LaplacianL1{1 / m.value}, "gamma", 1 / m.value, m,
                  "gamma = 1/median L1 distance");
  }
  if (std::holds_alternative<ExponentialChi2>(kernel)) {
    const auto m = median_distance(points, options, chi2_distances);
    return chosen(ExponentialChi2{1 / m.value}, "gamma", 1 / m.value, m,
                  "gamma = 1/median chi2 distance");
  }
  const auto m = median_distance(points, options, euclidean_distances);
  if (std::holds_alternative<Gaussian>(kernel)) {
    const double gamma = 0.5 / m.value / m.value;
    return chosen(Gaussian{gamma}, "gamma", gamma, m, "gamma = 1/(2 median squared distance)");
  }
  if (std::holds_alternative<Laplacian>(kernel)) {
    return chosen(Laplacian{1 / m.value}, "gamma", 1 / m.value, m, "gamma = 1/median distance");
  }
  constexpr auto kLengthFormula = "length = median distance";
  if (std::holds_alternative<Matern32>(kernel)) {
    return chosen(Matern32{m.value}, "length", m.value, m, kLengthFormula);
  }
  if (std::holds_alternative<Matern52>(kernel)) {
    return chosen(Matern52{m.value}, "length", m.value, m, kLengthFormula);
  }
  const double alpha = std::get<RationalQuadratic>(kernel).alpha;
  return chosen(RationalQuadratic{m.value, alpha}, "length", m.value, m, kLengthFormula);
}

}  // namespace mercer
