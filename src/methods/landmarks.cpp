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
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include <mercer/error.h>
#include <mercer/exact.h>
#include <mercer/landmarks.h>

#include "density/kmeans.h"
#include "engine/kernel_value.h"
#include "methods/fit_record.h"
#include "methods/landmark_certificates.h"
#include "methods/landmark_choice.h"
#include "methods/landmark_model.h"
#include "methods/landmark_pass.h"
#include "methods/pca.h"
#include "methods/training_rows.h"

namespace mercer {

namespace {

using methods::LandmarkChoice;
using methods::LandmarkSpectrum;
using methods::LandmarkStop;

constexpr std::uint64_t kSampleStream = 0x73616d706c65;
constexpr std::uint64_t kRefineStream = 0x726566696e65;
constexpr std::size_t kHeldOutRows = 2000;
/// Residual fractions below this are rounding.
constexpr double kNegligibleFraction = 1e-9;

const char* selection_name(Selection selection) {
  switch (selection) {
    case Selection::automatic:
    case Selection::rpcholesky:
      return "rpcholesky";
    case Selection::uniform:
      return "uniform";
    case Selection::kmeans:
      return "kmeans";
    case Selection::leverage:
      return "leverage";
    case Selection::greedy:
      return "greedy";
    case Selection::farthest:
      return "farthest";
  }
  return "";
}

void check_positive_semidefinite(const Kernel& kernel) {
  if (std::holds_alternative<Precomputed>(kernel)) {
    throw InvalidArgument(
        "landmarks need points, which a precomputed kernel has not: use the exact method");
  }
  const auto* polynomial = std::get_if<Polynomial>(&kernel);
  if (std::holds_alternative<Sigmoid>(kernel) || (polynomial != nullptr && polynomial->coef0 < 0)) {
    throw InvalidArgument(fmt::format(
        "the {} kernel is not positive semi-definite, which landmarks need: use the exact method",
        kernel_name(kernel)));
  }
}

ModelParts parts_of(const Model& model) {
  ModelParts parts;
  parts.kernel = model.kernel();
  parts.library = Matrix<double>(model.library());
  parts.coefficients = Matrix<double>(model.coefficients());
  parts.offset.assign(model.offset().begin(), model.offset().end());
  parts.eigenvalues.assign(model.eigenvalues().begin(), model.eigenvalues().end());
  parts.total_weight = model.total_weight();
  parts.mean_coefficients.assign(model.mean_coefficients().begin(),
                                 model.mean_coefficients().end());
  parts.mean_norm2 = model.mean_norm2();
  parts.centered = model.centered();
  return parts;
}

/// Inner products of the points with the feature-space mean that the model was centred by.
std::vector<double> kernel_means(const Model& model, MatrixView<const double> points,
                                 const RunOptions& run) {
  ModelParts parts = parts_of(model);
  parts.coefficients = Matrix<double>(
      MatrixView<const double>(parts.mean_coefficients.data(), parts.mean_coefficients.size(), 1));
  parts.offset = {0.0};
  parts.eigenvalues = {1.0};
  const auto means = Model(std::move(parts)).transform(points, run);
  return {means.data(), means.data() + means.size()};
}

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
  void describe_choice();
  std::string stop_reason() const;
  std::vector<std::string> tolerances_asked() const;
  void check_tolerances(const LandmarkSpectrum& spectrum);
  Fit fit_orthogonal();
  Fit fit_weighted_landmarks();
  Fit extend_to_rows(const Fit& reduced);

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
      choice_.held_out_fraction <= kNegligibleFraction) {
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
  record_.begin("components");
  return methods::spectrum_of(sums, choice_.set, options_.center);
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
  while (enough > 1 && spectrum.residual_fraction(enough - 1) <= *plan_.tolerance) --enough;
  if (enough < choice_.set.size()) {
    choice_.set = methods::first_landmarks(choice_.set, enough);
    return spectrum.leading(enough);
  }
  return spectrum;
}

void LandmarkFit::describe_choice() {
  const bool by_rows = !options_.landmark_rows.empty();
  record_.choice("selection", by_rows ? "given rows" : selection_name(plan_.selection),
                 samples_.held_out.rows.empty() && samples_.chosen.rows.size() == samples_.rows
                     ? fmt::format("from all {} rows", samples_.rows)
                     : fmt::format("from a sample of {} of {} rows", samples_.chosen.rows.size(),
                                   samples_.rows));
  if (options_.polish == Polish::lloyd) {
    record_.choice("polish", choice_.polished ? "lloyd" : "none",
                   choice_.polished ? "means of cells leave less of the rows held out"
                                    : "means of cells would leave more of the rows held out");
  }
  if (options_.precision == Precision::float32) {
    record_.choice("precision",
                   precision_.float_products ? "float"
                   : precision_.float_values ? "float values, double products"
                                             : "double",
                   precision_.reason);
  }
  record_.choice("landmarks", std::to_string(choice_.set.size()), stop_reason());
}

std::string LandmarkFit::stop_reason() const {
  const std::string asked_for =
      plan_.count ? fmt::format("{} asked", *plan_.count)
                  : fmt::format("asked for {}", fmt::join(tolerances_asked(), " and "));
  switch (choice_.stop) {
    case LandmarkStop::rank:
      return asked_for + "; the rows span no more directions";
    case LandmarkStop::proposals:
      return asked_for + "; one pass of the refinement found no more";
    case LandmarkStop::limit:
      return asked_for + "; stopped by the limit on landmarks";
    case LandmarkStop::tolerance:
    case LandmarkStop::subspace_tolerance:
      return asked_for + "; met on the sample";
    case LandmarkStop::count:
      break;
  }
  if (!plan_.count) return asked_for + "; refined";
  return options_.landmarks || !options_.landmark_rows.empty()
             ? "asked for"
             : "default for this choice of landmarks";
}

std::vector<std::string> LandmarkFit::tolerances_asked() const {
  std::vector<std::string> asked;
  if (plan_.tolerance) asked.push_back(fmt::format("residual {:g}", *plan_.tolerance));
  if (plan_.subspace_tolerance) {
    asked.push_back(
        fmt::format("angle {:g} on the top {}", *plan_.subspace_tolerance, plan_.components));
  }
  return asked;
}

/// What the sample promised, held against all rows.
void LandmarkFit::check_tolerances(const LandmarkSpectrum& spectrum) {
  Summary& summary = record_.summary();
  const std::size_t m = choice_.set.size();
  const double fraction = spectrum.residual_fraction(m);
  if (plan_.subspace_tolerance && fraction >= kNegligibleFraction) {
    const auto error =
        methods::subspace_error(spectrum, plan_.components, record_.seed(), workers());
    summary.subspace_error_estimate = error.estimate;
    if (error.change > *plan_.subspace_tolerance &&
        2 * error.estimate > *plan_.subspace_tolerance) {
      summary.termination = {
          TerminationReason::tolerance_missed,
          fmt::format("with {} landmarks the estimated angle is {:.2g}, not {:g} with certainty; "
                      "raise max_landmarks or subspace_tolerance",
                      m, error.estimate, *plan_.subspace_tolerance)};
    }
  }
  if (!plan_.tolerance || fraction <= *plan_.tolerance) return;
  // Residuals fall like a power of the number of landmarks over a doubling or two.
  const double half = spectrum.residual_fraction(m / 2);
  const double power = half > fraction ? std::log2(half / fraction) : 0;
  const double needed =
      power > 0 ? static_cast<double>(m) * std::pow(fraction / *plan_.tolerance, 1 / power) : 0;
  summary.termination = {
      TerminationReason::tolerance_missed,
      fmt::format("{} landmarks leave {:.3g} of the trace, more than {:g}{}", m, fraction,
                  *plan_.tolerance,
                  needed > 0 ? fmt::format("; it needs about {:.0f} (extrapolated)", needed) : "")};
}

Fit LandmarkFit::fit_orthogonal() {
  refine();
  precision_ =
      methods::choose_precision(options_.precision, kernel_, choice_.set, samples_.chosen,
                                options_.components, options_.center, record_.seed(), workers());
  const LandmarkSpectrum spectrum = pass_to_tolerance();
  describe_choice();
  check_tolerances(spectrum);
  if (options_.certify) {
    record_.begin("certificates");
    evaluations_ += methods::add_certificates(
        record_.summary(), kernel_, choice_.set, spectrum, options_, data_,
        samples_.held_out.rows.empty() ? samples_.chosen : samples_.held_out, record_.seed(),
        workers());
  }
  record_.summary().kernel_evaluations = evaluations_;
  return methods::landmark_fit(kernel_, choice_.set, spectrum, options_, samples_.rows,
                               precision_.float_values, record_);
}

/// Kernel PCA of the landmarks, weighing as much together as the rows do.
Fit LandmarkFit::fit_weighted_landmarks() {
  ExactOptions exact;
  exact.components = options_.components;
  exact.retain = options_.retain;
  exact.min_eigenvalue = options_.min_eigenvalue;
  exact.center = options_.center;
  const Matrix<double>& centres = choice_.points;
  if (options_.evaluation == Evaluation::density_weighted) {
    const auto nearest = density::assign_nearest(*data_.in_memory(), centres, workers());
    exact.weights.assign(centres.rows(), 0.0);
    for (std::size_t i = 0; i < nearest.size(); ++i) {
      exact.weights[nearest[i]] += options_.weights.empty() ? 1 : options_.weights[i];
    }
    evaluations_ += static_cast<std::uint64_t>(nearest.size()) * centres.rows();
  } else {
    exact.weights = choice_.weights;
    if (exact.weights.empty()) exact.weights.assign(centres.rows(), 1.0);
    const double sum = std::accumulate(exact.weights.begin(), exact.weights.end(), 0.0);
    for (double& weight : exact.weights) weight *= samples_.total_weight / sum;
  }
  // A centre that is nearest to no row has no weight and no part.
  Matrix<double> kept(centres);
  std::size_t count = 0;
  for (std::size_t i = 0; i < centres.rows(); ++i) {
    if (!(exact.weights[i] > 0)) continue;
    std::ranges::copy(centres.row(i), kept.row(count).begin());
    exact.weights[count++] = exact.weights[i];
  }
  exact.weights.resize(count);
  RunOptions inner = run_;
  inner.progress = nullptr;
  return fit_exact(std::as_const(kept).view().rows_from(0, count), kernel_, exact, inner);
}

/// u_i = z_i / sqrt(lambda) extends the eigenvectors of the landmarks to all rows; these then serve
/// as if they were exact: B = w u / sqrt(lambda), with the mean of the landmarks as origin.
Fit LandmarkFit::extend_to_rows(const Fit& reduced) {
  record_.begin("extension");
  const auto points = *data_.in_memory();
  const Model& model = reduced.model;
  const std::size_t k = model.components();
  RunOptions inner = run_;
  inner.progress = nullptr;
  Matrix<double> b = model.transform(points, inner);
  std::vector<double> sums(k, 0.0);
  for (std::size_t i = 0; i < b.rows(); ++i) {
    const double weight = options_.weights.empty() ? 1 : options_.weights[i];
    for (std::size_t j = 0; j < k; ++j) {
      b(i, j) *= weight / model.eigenvalues()[j];
      sums[j] += b(i, j);
    }
  }
  if (options_.center) {
    // Coefficients that sum to 0 make the origin a matter of the offset alone.
    for (std::size_t i = 0; i < b.rows(); ++i) {
      const double share =
          (options_.weights.empty() ? 1 : options_.weights[i]) / samples_.total_weight;
      for (std::size_t j = 0; j < k; ++j) b(i, j) -= share * sums[j];
    }
  }
  ModelParts parts;
  parts.kernel = kernel_;
  parts.offset.assign(k, 0.0);
  methods::fix_signs(b);
  if (options_.center) {
    const auto origin = kernel_means(model, points, inner);
    for (std::size_t i = 0; i < b.rows(); ++i) {
      for (std::size_t j = 0; j < k; ++j) parts.offset[j] -= b(i, j) * origin[i];
    }
  }
  if (std::holds_alternative<Linear>(kernel_)) {
    parts.coefficients = methods::collapse(points, b);
  } else {
    parts.library = Matrix<double>(points);
    parts.coefficients = std::move(b);
  }
  parts.eigenvalues.assign(model.eigenvalues().begin(), model.eigenvalues().end());
  parts.total_weight = samples_.total_weight;
  parts.centered = options_.center;
  evaluations_ += static_cast<std::uint64_t>(points.rows()) * model.library_size();
  record_.summary().kernel_evaluations = evaluations_;
  const auto total = *reduced.summary.total_variance;
  return record_.finish(std::move(parts), samples_.rows, points.cols(), total, 0);
}

Fit LandmarkFit::run(const Kernel& asked) {
  record_.begin("sample");
  methods::check_kernel(asked);
  check_positive_semidefinite(asked);
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
      engine::RandomStream(record_.seed()).substream(kSampleStream), workers());
  kernel_ = record_.resolve(asked, samples_.chosen.points);
  choose();
  if (orthogonal) return fit_orthogonal();
  Fit reduced = fit_weighted_landmarks();
  Summary& summary = record_.summary();
  summary.landmarks = choice_.points.rows();
  record_.choice("selection", selection_name(plan_.selection),
                 fmt::format("{} of {} rows", choice_.points.rows(), samples_.rows));
  summary.termination = reduced.summary.termination;
  evaluations_ += reduced.summary.kernel_evaluations;
  if (options_.evaluation != Evaluation::subsample) return extend_to_rows(reduced);
  summary.kernel_evaluations = evaluations_;
  return record_.finish(parts_of(reduced.model), samples_.rows, data_.cols(),
                        *reduced.summary.total_variance, 0);
}

}  // namespace

void LandmarkOptions::validate() const {
  const methods::ComponentChoice checked(components, retain, min_eigenvalue);
  if (landmarks && *landmarks == 0) throw InvalidArgument("landmarks is 0: ask for at least one");
  if (max_landmarks == 0) throw InvalidArgument("max_landmarks is 0: allow at least one");
  const auto check_fraction = [](const char* name, const std::optional<double>& value) {
    if (!value || (*value > 0 && *value < 1)) return;
    throw InvalidArgument(fmt::format("{} is {}: it must lie between 0 and 1", name, *value));
  };
  check_fraction("subspace_tolerance", subspace_tolerance);
  check_fraction("tolerance", tolerance);
  if (landmarks && !landmark_rows.empty()) {
    throw InvalidArgument("landmarks and landmark_rows are two ways to choose; give one of them");
  }
  if (!landmark_rows.empty() && selection != Selection::automatic) {
    throw InvalidArgument("landmark_rows leave nothing to select; give one of the two");
  }
  if (evaluation != Evaluation::orthogonal && certify) {
    throw InvalidArgument("only the orthogonal evaluation has an error that can be certified");
  }
  if (evaluation != Evaluation::orthogonal && (tolerance || subspace_tolerance)) {
    throw InvalidArgument(
        "only the orthogonal evaluation knows its error; give a number of landmarks instead of a "
        "tolerance");
  }
  if ((landmarks || !landmark_rows.empty()) && (tolerance || subspace_tolerance)) {
    throw InvalidArgument("a fixed number of landmarks and a tolerance exclude each other");
  }
  if (polish == Polish::lloyd && !landmarks) {
    throw InvalidArgument("polish moves a fixed number of landmarks: give landmarks too");
  }
}

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
