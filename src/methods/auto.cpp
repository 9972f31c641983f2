// Which method: a rough count of flops and bytes for each, with the rates of one ordinary machine
// as constants, so that the same data, options and limits always give the same answer. On tested
// data the landmarks that ten components need do not grow with n, so exact pays only while it is
// cheap.

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include <mercer/auto.h>
#include <mercer/error.h>
#include <mercer/exact.h>
#include <mercer/landmarks.h>

#include "engine/eigensolver.h"
#include "engine/gram.h"
#include "methods/component_choice.h"
#include "methods/fit_record.h"
#include "system/memory.h"

namespace mercer {

namespace {

/// Two cores with AVX-512; only ratios matter much.
constexpr double kFlopsPerSecond = 85e9;
constexpr double kBytesPerSecond = 29e9;

struct Estimate {
  double seconds = 0;
  double bytes = 0;
};

double seconds_per_pair(double d) {
  constexpr double kExponential = 20;  // in multiply-adds
  return 2 * (d + kExponential) / kFlopsPerSecond;
}

/// Products with the Gram matrix until ten or so components are converged to 1e-12.
double krylov_products(double k) {
  return k <= 16 ? 16 : 30;
}

double krylov_columns(double k) {
  return k <= 16 ? 8 : (k <= 64 ? 16 : 32);
}

Estimate exact_stored(double n, double d, double k) {
  const double a_pass = std::max(4 / kBytesPerSecond, 2 * krylov_columns(k) / kFlopsPerSecond);
  return {.seconds = n * n / 2 * seconds_per_pair(d) + krylov_products(k) * n * n * a_pass,
          .bytes = engine::GramOperator::stored_bytes(static_cast<std::size_t>(n), sizeof(double))};
}

Estimate exact_matrix_free(double n, double d, double k) {
  constexpr std::size_t kWidestBlock = 32;  // columns of the solver when values are recomputed
  return {.seconds = krylov_products(k) * n * n *
                     (seconds_per_pair(d) / 2 + 2 * krylov_columns(k) / kFlopsPerSecond),
          .bytes = engine::krylov_bytes(static_cast<std::size_t>(n), static_cast<std::size_t>(k),
                                        kWidestBlock) +
                   engine::GramOperator::product_bytes(static_cast<std::size_t>(n), kWidestBlock)};
}

double landmark_seconds(double n, double d, double m) {
  const double sample = std::min(n, std::max(50 * m, 20000.0));
  return n * m * (seconds_per_pair(d) + m / kFlopsPerSecond) +
         sample * m * (seconds_per_pair(d) + 2 * m / kFlopsPerSecond) +
         10 * m * m * m / kFlopsPerSecond;
}

struct Decision {
  bool exact = true;
  std::string why;
};

Decision decide(std::size_t rows, std::size_t cols, const Kernel& kernel,
                const AutoOptions& options, double memory_limit_bytes) {
  constexpr std::size_t kSmall = 5000;
  if (std::holds_alternative<Precomputed>(kernel)) {
    return {.why = "a precomputed kernel has no points for landmarks"};
  }
  const auto* polynomial = std::get_if<Polynomial>(&kernel);
  if (std::holds_alternative<Sigmoid>(kernel) || (polynomial != nullptr && polynomial->coef0 < 0)) {
    return {.why = "landmarks need a positive semi-definite kernel"};
  }
  if (std::holds_alternative<Linear>(kernel) && cols <= rows) {
    return {.why = "the linear kernel is ordinary PCA, which needs d x d numbers only"};
  }
  if (rows <= kSmall) return {.why = fmt::format("at most {} rows", kSmall)};
  const bool open = options.retain || options.min_eigenvalue;
  if (!open && options.components > rows / 10) {
    return {.why = "more components than a tenth of the rows"};
  }
  const auto n = static_cast<double>(rows);
  const auto d = static_cast<double>(cols);
  const double k = open ? 32 : static_cast<double>(options.components);
  const Estimate exact = exact_stored(n, d, k);
  const double landmarks = landmark_seconds(n, d, std::max(256.0, 16 * k));
  const std::string comparison =
      fmt::format("exact about {:.2g} s and {}, landmarks about {:.2g} s", exact.seconds,
                  system::format_bytes(exact.bytes), landmarks);
  const bool fits = exact.bytes <= memory_limit_bytes / 2;
  return {.exact = fits && exact.seconds <= std::max(2.0, 3 * landmarks), .why = comparison};
}

/// What both methods are asked for, as options of one of them.
template <class Options>
Options options_of(const AutoOptions& asked) {
  Options options;
  options.components = asked.components;
  options.retain = asked.retain;
  options.min_eigenvalue = asked.min_eigenvalue;
  options.center = asked.center;
  options.weights = asked.weights;
  options.precision = asked.precision;
  return options;
}

Fit with_method_choice(const Fit& fit, const std::string& why) {
  Summary summary = fit.summary;
  summary.choices.insert(summary.choices.begin(),
                         {.what = "method", .value = summary.method, .why = why});
  Model model = fit.model.with_summary(summary);
  return {.model = std::move(model), .summary = std::move(summary)};
}

/// Whether exact kernel PCA should take over from landmarks that did not reach their tolerance.
bool wants_exact(const Fit& landmarks, std::size_t n, std::size_t d, const AutoOptions& options,
                 double memory_limit_bytes) {
  if (landmarks.summary.termination.reason != TerminationReason::tolerance_missed) return false;
  constexpr double kPatience = 60;  // seconds
  const auto rows = static_cast<double>(n);
  const auto cols = static_cast<double>(d);
  const auto k = static_cast<double>(options.components);
  const Estimate stored = exact_stored(rows, cols, k);
  if (stored.bytes <= memory_limit_bytes / 2) return stored.seconds <= kPatience;
  const Estimate matrix_free = exact_matrix_free(rows, cols, k);
  return matrix_free.seconds <= kPatience && matrix_free.bytes <= memory_limit_bytes;
}

Fit exact_instead(const Fit& landmarks, MatrixView<const double> points, const Kernel& kernel,
                  const AutoOptions& options, const RunOptions& run) {
  return with_method_choice(fit_exact(points, kernel, options_of<ExactOptions>(options), run),
                            "landmarks: " + landmarks.summary.termination.message);
}

Matrix<double> read_all(RowSource& source, std::size_t rows, std::vector<double>& weights) {
  constexpr std::size_t kBlockRows = 4096;
  auto points = Matrix<double>::uninitialized(rows, source.cols());
  std::size_t filled = 0;
  source.rewind();
  while (auto block = source.next(kBlockRows)) {
    if (filled + block->rows() > rows) throw DataError("the source has grown between two passes");
    weights.insert(weights.end(), block->weights.begin(), block->weights.end());
    const Matrix<double> values = std::move(*block).dense();
    std::copy_n(values.data(), values.size(), points.data() + filled * points.cols());
    filled += values.rows();
  }
  if (filled < rows) throw DataError("the source has lost rows between two passes");
  return points;
}

std::size_t count_rows(RowSource& source) {
  if (const auto rows = source.rows()) return *rows;
  constexpr std::size_t kBlockRows = 4096;
  std::size_t rows = 0;
  source.rewind();
  while (const auto block = source.next(kBlockRows)) rows += block->rows();
  return rows;
}

}  // namespace

void AutoOptions::validate() const {
  const methods::ComponentChoice checked(components, retain, min_eigenvalue);
}

Fit fit_auto(MatrixView<const double> points, const Kernel& kernel, const AutoOptions& options,
             const RunOptions& run) {
  options.validate();
  const auto limit = static_cast<double>(system::memory_limit_bytes(run.memory_limit_bytes));
  const auto decision = decide(points.rows(), points.cols(), kernel, options, limit);
  if (decision.exact) {
    return with_method_choice(fit_exact(points, kernel, options_of<ExactOptions>(options), run),
                              decision.why);
  }
  Fit fit = fit_landmarks(points, kernel, options_of<LandmarkOptions>(options), run);
  if (wants_exact(fit, points.rows(), points.cols(), options, limit)) {
    return exact_instead(fit, points, kernel, options, run);
  }
  return with_method_choice(fit, decision.why);
}

Fit fit_auto(RowSource& rows, const Kernel& kernel, const AutoOptions& options,
             const RunOptions& run) {
  options.validate();
  if (!options.weights.empty()) {
    throw InvalidArgument("a source of rows brings its own weights; leave options.weights empty");
  }
  const auto limit = static_cast<double>(system::memory_limit_bytes(run.memory_limit_bytes));
  const std::size_t n = count_rows(rows);
  if (n == 0) throw DataError("there are no rows");
  const double bytes = 8.0 * static_cast<double>(n) * static_cast<double>(rows.cols());
  const auto decision = decide(n, rows.cols(), kernel, options, limit);
  if (decision.exact && bytes > limit) {
    throw MemoryLimitError(fmt::format(
        "the rows take {}, more than the limit of {}, and exact kernel PCA needs them in memory "
        "({}): raise the limit, or choose a kernel that landmarks can take",
        system::format_bytes(bytes), system::format_bytes(limit), decision.why));
  }
  AutoOptions in_memory = options;
  if (decision.exact || bytes <= limit / 4) {
    const Matrix<double> points = read_all(rows, n, in_memory.weights);
    return fit_auto(points, kernel, in_memory, run);
  }
  Fit fit = fit_landmarks(rows, kernel, options_of<LandmarkOptions>(options), run);
  if (bytes <= limit / 2 && wants_exact(fit, n, rows.cols(), options, limit)) {
    const Matrix<double> points = read_all(rows, n, in_memory.weights);
    return exact_instead(fit, points, kernel, in_memory, run);
  }
  return with_method_choice(fit, decision.why);
}

}  // namespace mercer
