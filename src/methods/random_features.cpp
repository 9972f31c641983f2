// Kernel PCA with random features. A. Rahimi, B. Recht, "Random features for large-scale kernel
// machines", NIPS 2007; D. Sutherland, J. Schneider, "On the error of random Fourier features", UAI
// 2015 (pairs of cosine and sine instead of random phases); F. Yu et al., "Orthogonal random
// features", NIPS 2016.
//
//   symbol   meaning
//   w_j      frequencies, D / 2, drawn from the spectrum of the kernel (random_frequencies.h)
//   phi(x)   sqrt(2/D) [cos w_1 x, sin w_1 x, ...]: E phi(x)^T phi(y) = k(x, y), |phi(x)| = 1
//   S        scatter of phi over the rows, about the mean when centred; S u = lambda u
//   B, b     u and -B^T mean: ordinary PCA of phi
//
// Cost: n D (d + D) / 2 multiply-adds, n D cosines and sines, one pass; 20 D^2 bytes. The variance
// of an inner product is (1 - k^2)^2 / D for the Gaussian kernel, so errors fall as D^-1/2, and
// eigenvalues are neither bounded from above nor from below: there is no certificate, only the
// error of the kernel on a sample of pairs. Prefer landmarks wherever they are possible.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <mercer/error.h>
#include <mercer/random_features.h>

#include "engine/blas.h"
#include "engine/fourier_features.h"
#include "engine/kernel_points.h"
#include "engine/statistics.h"
#include "methods/component_choice.h"
#include "methods/fit_record.h"
#include "methods/landmark_spectrum.h"
#include "methods/random_frequencies.h"
#include "methods/training_rows.h"
#include "system/memory.h"

namespace mercer {

namespace {

using engine::FourierFeatures;
using engine::kBlock;
using engine::KernelPoints;
using methods::LandmarkSpectrum;
using methods::RowSample;
using Pass = engine::MomentsPass<double, double>;

/// Rows for the bandwidth and, in pairs, for the error of the kernel.
constexpr std::size_t kSampleRows = 1000;

// Purposes of random streams.
constexpr std::uint64_t kSampleStream = 0x7266666e726f7773;
constexpr std::uint64_t kFrequencyStream = 0x72666672657173;

/// Root mean square of k(x, y) - phi(x)^T phi(y) over the pairs of the sample.
struct PairError {
  double root_mean_square = 0;
  std::uint64_t kernel_evaluations = 0;
};

PairError pair_error(const Kernel& kernel, const RowSample& sample,
                     MatrixView<const double> sample_features, engine::Workers& workers) {
  const KernelPoints<double> points(kernel, sample.points.view(),
                                    engine::distance_shift(kernel, sample.points));
  const KernelPoints<double> features(Linear{}, sample_features, {});
  const std::size_t width = engine::panel_width<double>();
  const auto weight = [&](std::size_t i) {
    return sample.weights.empty() ? 1.0 : sample.weights[i];
  };
  struct Sums {
    double squares = 0;
    double weights = 0;
    std::uint64_t evaluations = 0;
  };
  std::vector<Sums> sums(points.blocks());
  workers.for_each(points.blocks(), [&](std::size_t bi) {
    auto exact = Matrix<double>::uninitialized(kBlock, kBlock);
    auto estimate = Matrix<double>::uninitialized(kBlock, kBlock);
    Sums& sum = sums[bi];
    for (std::size_t bj = 0; bj <= bi; ++bj) {
      points.block(bi, points, bj, exact.data());
      features.block(bi, features, bj, estimate.data());
      sum.evaluations += points.block_size(bi) * points.block_size(bj);
      for (std::size_t i = 0; i < points.block_size(bi); ++i) {
        const std::size_t row = bi * kBlock + i;
        const std::size_t end = std::min(points.block_size(bj), row - bj * kBlock);
        for (std::size_t j = 0; j < end; ++j) {
          const std::size_t place = ((i / width) * kBlock + j) * width + i % width;
          const double difference = exact.data()[place] - estimate.data()[place];
          const double pair_weight = weight(row) * weight(bj * kBlock + j);
          sum.squares += pair_weight * difference * difference;
          sum.weights += pair_weight;
        }
      }
    }
  });
  Sums total;
  for (const Sums& sum : sums) {
    total.squares += sum.squares;
    total.weights += sum.weights;
    total.evaluations += sum.evaluations;
  }
  return {.root_mean_square = total.weights > 0 ? std::sqrt(total.squares / total.weights) : 0,
          .kernel_evaluations = total.evaluations};
}

std::vector<double> column_means(const Matrix<double>& rows) {
  std::vector<double> means(rows.cols(), 0.0);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t j = 0; j < rows.cols(); ++j) means[j] += rows(i, j);
  }
  for (double& mean : means) mean /= static_cast<double>(rows.rows());
  return means;
}

class RandomFeatureFit {
 public:
  RandomFeatureFit(const methods::TrainingRows& rows, const RandomFeatureOptions& options,
                   const RunOptions& run)
      : rows_(rows),
        options_(options),
        record_("random_features", run),
        choice_(options.components, options.retain, options.min_eigenvalue),
        stream_(run.seed) {}

  Fit run(const Kernel& asked);

 private:
  void require_memory() const;
  engine::Moments sum_features(const FourierFeatures& features, std::vector<double> shift);
  engine::EigenPairs largest_pairs(const LandmarkSpectrum& spectrum, std::size_t n);

  methods::TrainingRows rows_;
  const RandomFeatureOptions& options_;
  methods::FitRecord record_;
  methods::ComponentChoice choice_;
  engine::RandomStream stream_;
};

void RandomFeatureFit::require_memory() const {
  const auto size = static_cast<double>(options_.features);
  const std::size_t count =
      choice_.is_open() ? options_.features : std::min(options_.components, options_.features);
  const double rows_at_a_time = Pass::kChunkRows + 2 * kSampleRows;
  // Sums, the scatter about the mean and the solver's copy of it.
  const double needed = engine::Moments::bytes(options_.features) +
                        (2 * size + rows_at_a_time) * size * sizeof(double) +
                        engine::dense_eigen_bytes(options_.features, count);
  if (needed <= record_.memory_limit_bytes()) return;
  throw MemoryLimitError(fmt::format(
      "{} random features need {}, but the memory limit is {}; ask for fewer or raise the limit",
      options_.features, system::format_bytes(needed),
      system::format_bytes(record_.memory_limit_bytes())));
}

engine::Moments RandomFeatureFit::sum_features(const FourierFeatures& features,
                                               std::vector<double> shift) {
  engine::Moments moments(std::move(shift));
  Pass pass(moments);
  rows_.for_each_chunk(
      Pass::kChunkRows,
      [&](const methods::Chunk& chunk) {
        const std::size_t count = chunk.points.rows();
        pass.add(
            count, chunk.weights,
            [&](std::size_t block, double* panels, std::size_t panel_rows) {
              const std::size_t first = block * kBlock;
              features.panels(chunk.points.rows_from(first, std::min(kBlock, count - first)),
                              panels, panel_rows);
            },
            record_.workers());
      },
      record_.workers());
  return moments;
}

/// As many as the options ask for.
engine::EigenPairs RandomFeatureFit::largest_pairs(const LandmarkSpectrum& spectrum,
                                                   std::size_t n) {
  const std::size_t size = spectrum.size();
  for (std::size_t count = choice_.first_guess(size);; count = std::min(4 * count, size)) {
    auto pairs = spectrum.eigenpairs(size, count, record_.seed(), record_.workers());
    const double noise =
        methods::noise_level(std::max(pairs.values.front(), 0.0), spectrum.trace(), n, false);
    const auto kept = choice_.count(pairs.values, spectrum.total_upper(), noise);
    if (!kept && count < size) continue;
    pairs.values.resize(kept.value_or(count));
    return pairs;
  }
}

ModelParts feature_model(const Kernel& kernel, const LandmarkSpectrum& spectrum,
                         const engine::EigenPairs& pairs, bool center) {
  const std::size_t size = spectrum.size();
  const std::size_t k = pairs.values.size();
  ModelParts parts;
  parts.kernel = kernel;
  parts.coefficients = Matrix<double>::uninitialized(size, k);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < k; ++j) parts.coefficients(i, j) = pairs.vectors(j, i);
  }
  methods::fix_signs(parts.coefficients);
  parts.eigenvalues = pairs.values;
  parts.total_weight = spectrum.weight();
  parts.centered = center;
  parts.offset.assign(k, 0.0);
  if (!center) return parts;
  parts.mean_coefficients = spectrum.mean();
  for (std::size_t i = 0; i < size; ++i) {
    const double mean = spectrum.mean()[i];
    parts.mean_norm2 += mean * mean;
    for (std::size_t j = 0; j < k; ++j) parts.offset[j] -= parts.coefficients(i, j) * mean;
  }
  return parts;
}

Fit RandomFeatureFit::run(const Kernel& asked) {
  record_.begin("sample");
  methods::check_kernel(asked);
  methods::check_random_features(asked, options_.orthogonal);
  if (rows_.cols() == 0) throw DataError("the points have no columns");
  require_memory();
  const auto samples =
      methods::sample_rows(rows_, asked, kSampleRows, 0, {}, stream_.substream(kSampleStream),
                           record_.workers(), methods::scale_stream(record_.seed()));
  const RowSample& sample = samples.chosen;

  record_.begin("bandwidth");
  const Kernel kernel = record_.resolve(asked, samples.for_scale);

  record_.begin("frequencies");
  Matrix<double> frequencies =
      methods::random_frequencies(kernel, rows_.cols(), options_.features / 2, options_.orthogonal,
                                  stream_.substream(kFrequencyStream), record_.workers());
  const FourierFeatures features(frequencies);

  record_.begin("error");
  Matrix<double> sample_features = features.rows(sample.points, record_.workers());
  const PairError error = pair_error(kernel, sample, sample_features, record_.workers());
  std::vector<double> shift = column_means(std::exchange(sample_features, {}));

  record_.begin("features");
  const auto moments = sum_features(features, std::move(shift));

  record_.begin("eigenpairs");
  // Every feature vector has length 1, so the trace is the total weight.
  const LandmarkSpectrum spectrum(moments, moments.weight(), options_.center);
  const auto pairs = largest_pairs(spectrum, samples.rows);

  record_.begin("model");
  ModelParts parts = feature_model(kernel, spectrum, pairs, options_.center);
  parts.frequencies = std::move(frequencies);
  Summary& summary = record_.summary();
  summary.features = options_.features;
  summary.solver_residual = spectrum.residual(pairs, record_.workers());
  summary.kernel_evaluations = error.kernel_evaluations;
  summary.bounds.push_back(
      {.name = "kernel_error_rms", .value = error.root_mean_square, .rigorous = false});
  record_.choice("pairs", fmt::format("{} rows", sample.rows.size()),
                 "kernel_error_rms is that of the pairs of a random sample");
  return record_.finish(std::move(parts), samples.rows, rows_.cols(),
                        Interval{spectrum.total_upper(), spectrum.total_upper()},
                        choice_.is_open() ? 0 : options_.components);
}

}  // namespace

void RandomFeatureOptions::validate() const {
  const methods::ComponentChoice checked(components, retain, min_eigenvalue);
  if (features == 0 || features % 2 != 0) {
    throw InvalidArgument(
        fmt::format("features is {}: it must be even and positive, because a cosine and a sine "
                    "belong to each frequency",
                    features));
  }
}

Fit fit_random_features(MatrixView<const double> points, const Kernel& kernel,
                        const RandomFeatureOptions& options, const RunOptions& run) {
  options.validate();
  methods::check_weights(options.weights, points.rows());
  return RandomFeatureFit(methods::TrainingRows(points, options.weights), options, run).run(kernel);
}

Fit fit_random_features(RowSource& rows, const Kernel& kernel, const RandomFeatureOptions& options,
                        const RunOptions& run) {
  options.validate();
  if (!options.weights.empty()) {
    throw InvalidArgument("weights are for points in memory; a source of rows brings its own");
  }
  return RandomFeatureFit(methods::TrainingRows(rows), options, run).run(kernel);
}

}  // namespace mercer
