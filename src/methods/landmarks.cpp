// Landmark kernel PCA: the Nystrom method and its relatives.
//
//   C. Williams, M. Seeger, "Using the Nystrom method to speed up kernel machines", NIPS 2001
//   K. Zhang, J. Kwok, "Density-weighted Nystrom method", IEEE Trans. Neural Networks 21 (2010)
//   Y. Chen, E. Epperly, J. Tropp, R. Webber, "Randomly pivoted Cholesky", CPAM 78 (2025)
//
//   symbol      meaning
//   C, m        landmarks; L the Cholesky factor of their kernel matrix
//   z(x)        L^-1 k_C(x): coordinates of x in the span of the landmarks
//   K'          K_nm K_mm^-1 K_mn, the Gram matrix of the z(x): exact on the landmarks, below K
//
// orthogonal        exact eigenpairs of the centred K', from one pass that sums kernel values
// subsample         kernel PCA of the landmarks, each weighing N / m
// nystrom           the subsample's eigenvectors extended to all rows and used as exact ones
// density_weighted  the same, landmarks weighing as much as the rows nearest to them
//
// Cost: n m (d + m) flops, n m kernel values, 4 m^2 bytes; choice of landmarks n_s m^2 on n_s rows.
// Prefer it whenever n^2 is too much: the m needed for a few components hardly grows with n.

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include <mercer/error.h>
#include <mercer/exact.h>
#include <mercer/landmarks.h>

#include "engine/kernel_value.h"
#include "methods/fit_record.h"
#include "methods/landmark_certificates.h"
#include "methods/landmark_choice.h"
#include "methods/landmark_model.h"
#include "methods/landmark_pass.h"
#include "methods/landmark_report.h"
#include "methods/nystrom.h"
#include "methods/training_rows.h"
#include "methods/weighted_centers.h"

namespace mercer {

namespace {

using methods::LandmarkChoice;
using methods::LandmarkSpectrum;
using methods::LandmarkStop;

constexpr std::uint64_t kSampleStream = 0x73616d706c65;
constexpr std::uint64_t kRefineStream = 0x726566696e65;
constexpr std::size_t kHeldOutRows = 2000;

class LandmarkFit {
 public:
  LandmarkFit(methods::TrainingRows& data, const LandmarkOptions& options, const RunOptions& run)
      : data_(data), options_(options), run_(run), record_("landmarks", run) {}

  Fit run(const Kernel& asked);

 private:
  void choose();
  void refine();
  LandmarkSpectrum pass();
  LandmarkSpectrum pass_to_tolerance();
  Fit fit_orthogonal();
  Fit fit_subset();
  Fit fit_by_subset();

  engine::Workers& workers() { return record_.workers(); }

  methods::TrainingRows& data_;
  const LandmarkOptions& options_;
  const RunOptions& run_;
  methods::FitRecord record_;
  Kernel kernel_;
  methods::Samples samples_;
  methods::LandmarkPlan plan_;
  LandmarkChoice choice_;
  methods::PassPrecision precision_;
  std::uint64_t evaluations_ = 0;
  double lost_ = 0;  // of eigenvalues, in the last pass
};

void LandmarkFit::choose() {
  record_.begin("landmarks");
  plan_ = methods::plan_landmarks(samples_.rows, options_, record_.memory_limit_bytes());
  choice_ =
      methods::choose_landmarks(kernel_, samples_, plan_, options_, record_.seed(), workers());
  evaluations_ += choice_.kernel_evaluations;
  if (choice_.set.size() == 0 && choice_.points.rows() == 0) {
    throw NumericalError("the kernel is zero on all points: there is nothing to extract");
  }
}

/// The sample may have missed what is rare: rows held out then show more residual than it does.
void LandmarkFit::refine() {
  const bool may = plan_.selection == Selection::rpcholesky && options_.landmark_rows.empty() &&
                   !choice_.polished && !samples_.held_out.rows.empty();
  if (!may || choice_.held_out_fraction <= 3 * choice_.in_sample_fraction ||
      choice_.held_out_fraction <= methods::kNegligibleFraction) {
    return;
  }
  record_.begin("refine");
  const std::size_t count = plan_.count.value_or(choice_.set.size());
  const std::size_t kept = std::min(choice_.set.size(), count / 2);
  choice_.set = methods::refine_landmarks(
      kernel_, methods::first_landmarks(choice_.set, kept), count, data_,
      engine::RandomStream(record_.seed()).substream(kRefineStream), workers());
  if (choice_.set.size() < count) {
    choice_.stop = LandmarkStop::proposals;
  } else if (choice_.stop == LandmarkStop::rank) {
    choice_.stop = LandmarkStop::count;  // it was the rank of the sample only
  }
  evaluations_ += static_cast<std::uint64_t>(samples_.rows) * kept;
  record_.choice("refinement", fmt::format("{} landmarks", choice_.set.size() - kept),
                 fmt::format("drawn from all rows, because rows held out left {:.2g} of the trace "
                             "and the sample {:.2g}",
                             choice_.held_out_fraction, choice_.in_sample_fraction));
}

LandmarkSpectrum LandmarkFit::pass() {
  record_.begin("pass");
  auto sums = methods::landmark_sums(choice_.set);
  methods::add_rows(sums, kernel_, choice_.set, data_, precision_, workers());
  evaluations_ += sums.kernel_evaluations;
  lost_ = methods::lost_to_rounding(sums);
  record_.begin("components");
  return methods::spectrum_of(sums, choice_.set, options_.center, workers());
}

/// The residual of all rows is known only after the pass. Where the sample promised too much, more
/// landmarks are drawn from all rows.
LandmarkSpectrum LandmarkFit::pass_to_tolerance() {
  auto spectrum = pass();
  if (!plan_.tolerance) return spectrum;
  constexpr int kMostRounds = 3;
  for (int round = 0; round < kMostRounds; ++round) {
    const std::size_t m = choice_.set.size();
    if (spectrum.residual_fraction(m) <= *plan_.tolerance || m >= plan_.most) break;
    if (plan_.selection != Selection::rpcholesky) break;
    record_.begin("refine");
    choice_.set = methods::refine_landmarks(
        kernel_, choice_.set, std::min(2 * m, plan_.most), data_,
        engine::RandomStream(record_.seed()).substream(kRefineStream + 1 + round), workers());
    evaluations_ += static_cast<std::uint64_t>(samples_.rows) * m;
    if (choice_.set.size() == m) break;
    spectrum = pass();
  }
  if (plan_.subspace_tolerance) return spectrum;
  // The residual is known for every smaller number too: keep no more than the tolerance needs.
  std::size_t enough = choice_.set.size();
  const bool open = options_.retain || options_.min_eigenvalue;
  const std::size_t least = std::min(open ? 1 : options_.components, enough);
  while (enough > least && spectrum.residual_fraction(enough - 1) <= *plan_.tolerance) --enough;
  if (enough < choice_.set.size()) {
    choice_.set = methods::first_landmarks(choice_.set, enough);
    return spectrum.leading(enough);
  }
  return spectrum;
}

Fit LandmarkFit::fit_orthogonal() {
  refine();
  precision_ =
      methods::choose_precision(options_.precision, kernel_, choice_.set, samples_.chosen,
                                options_.components, options_.center, record_.seed(), workers());
  const LandmarkSpectrum spectrum = pass_to_tolerance();
  const auto pairs =
      methods::landmark_components(spectrum, options_, precision_.float_values, record_);
  methods::report_choice(record_, options_, plan_, samples_, choice_, precision_);
  if (options_.certify && !pairs.values.empty()) {
    record_.begin("certificates");
    evaluations_ += methods::add_certificates(
        record_.summary(), kernel_, choice_.set, spectrum, pairs.values.size(), options_.center,
        data_, samples_.held_out.rows.empty() ? samples_.chosen : samples_.held_out,
        record_.memory_limit_bytes(), record_.seed(), workers());
  }
  if (!pairs.values.empty() && lost_ > 1e-3 * pairs.values.back()) {
    record_.summary().warnings.emplace_back(
        "weights differ so much that sums over the rows lose the smaller components to rounding: "
        "use the exact method, or weights of more equal size");
  }
  methods::check_tolerances(record_, plan_, spectrum, pairs);
  record_.summary().kernel_evaluations = evaluations_;
  return methods::landmark_fit(kernel_, choice_.set, spectrum, pairs, options_, samples_.rows,
                               record_);
}

/// Kernel PCA of the landmarks, weighing as much together as the rows do.
Fit LandmarkFit::fit_subset() {
  ExactOptions exact;
  exact.components = options_.components;
  exact.retain = options_.retain;
  exact.min_eigenvalue = options_.min_eigenvalue;
  exact.center = options_.center;
  if (options_.evaluation == Evaluation::density_weighted) {
    exact.weights =
        methods::cell_weights(*data_.in_memory(), options_.weights, choice_.points, workers());
    evaluations_ += static_cast<std::uint64_t>(samples_.rows) * choice_.points.rows();
  } else {
    exact.weights = choice_.weights;
    if (exact.weights.empty()) exact.weights.assign(choice_.points.rows(), 1.0);
    const double sum = std::accumulate(exact.weights.begin(), exact.weights.end(), 0.0);
    for (double& weight : exact.weights) weight *= samples_.total_weight / sum;
  }
  return methods::fit_weighted_centers(choice_.points, kernel_, std::move(exact), run_);
}

/// Evaluations that rest on kernel PCA of the landmarks themselves.
Fit LandmarkFit::fit_by_subset() {
  const Fit reduced = fit_subset();
  Summary& summary = record_.summary();
  summary.landmarks = choice_.points.rows();
  record_.choice("selection", methods::selection_name(plan_.selection),
                 fmt::format("{} of {} rows", choice_.points.rows(), samples_.rows));
  summary.termination = reduced.summary.termination;
  evaluations_ += reduced.summary.kernel_evaluations;
  ModelParts parts;
  if (options_.evaluation == Evaluation::subsample) {
    parts = methods::parts_of(reduced.model);
  } else {
    record_.begin("extension");
    parts = methods::extend_to_rows(reduced.model, *data_.in_memory(), options_.weights, run_);
    evaluations_ += static_cast<std::uint64_t>(samples_.rows) * reduced.model.library_size();
  }
  summary.kernel_evaluations = evaluations_;
  return record_.finish(std::move(parts), samples_.rows, data_.cols(),
                        reduced.summary.total_variance, 0);
}

Fit LandmarkFit::run(const Kernel& asked) {
  record_.begin("sample");
  methods::check_kernel(asked);
  methods::require_positive_semidefinite(asked, "landmarks");
  const bool orthogonal = options_.evaluation == Evaluation::orthogonal;
  if (!data_.in_memory() && !orthogonal && options_.evaluation != Evaluation::subsample) {
    throw InvalidArgument(
        "this evaluation keeps all rows in the model, so they must be in memory: use the "
        "orthogonal evaluation, or read the table as a whole");
  }
  samples_ = methods::sample_rows(
      data_, asked,
      methods::landmark_sample_rows(options_, data_.cols(), record_.memory_limit_bytes()),
      orthogonal ? kHeldOutRows : 0, options_.landmark_rows,
      engine::RandomStream(record_.seed()).substream(kSampleStream), workers(),
      is_resolved(asked) ? std::nullopt : std::optional(methods::scale_stream(record_.seed())));
  kernel_ = record_.resolve(asked, samples_.for_scale);
  choose();
  return orthogonal ? fit_orthogonal() : fit_by_subset();
}

}  // namespace

Fit fit_landmarks(MatrixView<const double> points, const Kernel& kernel,
                  const LandmarkOptions& options, const RunOptions& run) {
  options.validate();
  methods::check_weights(options.weights, points.rows());
  methods::TrainingRows data(points, options.weights);
  return LandmarkFit(data, options, run).run(kernel);
}

Fit fit_landmarks(RowSource& rows, const Kernel& kernel, const LandmarkOptions& options,
                  const RunOptions& run) {
  options.validate();
  if (!options.weights.empty()) {
    throw InvalidArgument("a source of rows brings its own weights; leave options.weights empty");
  }
  methods::TrainingRows data(rows);
  return LandmarkFit(data, options, run).run(kernel);
}

}  // namespace mercer
