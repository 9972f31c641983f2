#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <mercer/kernel.h>
#include <mercer/matrix.h>
#include <mercer/model.h>
#include <mercer/run.h>

namespace mercer {

/// A method as it takes part in a comparison, with one value of what it is varied by.
struct Contender {
  std::string method;       ///< as it is called in tables, for example "landmarks"
  std::string parameter{};  ///< what is varied, for example "landmarks"; empty: nothing
  double value = 0;         ///< of the parameter
  std::function<Fit(MatrixView<const double> points, const Kernel& kernel, const RunOptions& run)>
      fit{};
};

struct CompareOptions {
  /// Which of the contenders the others are measured against.
  std::size_t baseline = 0;
  /// Random splits into rows to fit on and rows to test on; contenders get another seed in each.
  std::size_t repeats = 3;
  /// Of the rows, to test on.
  double test_fraction = 0.3;
  /// Instead of `test_fraction`: in every repetition each of so many parts of the rows is the test
  /// once. 0: no cross-validation.
  std::size_t folds = 0;
  /// Of the nearest neighbour classifier, where there are labels.
  std::size_t neighbors = 3;

  void validate() const;
};

/// One contender on one split.
struct Measurement {
  std::size_t contender = 0;
  std::size_t split = 0;
  double fit_seconds = 0;
  double transform_seconds = 0;  ///< of all test rows
  double fit_speedup = 0;        ///< over the baseline on this split
  double transform_speedup = 0;
  std::size_t library_size = 0;
  double retained = 0;  ///< library points as a share of the rows to fit on
  /// min over M of |A - B M| / |A|, A the scores of the test rows by the baseline, B by this one:
  /// what part of the baseline's components cannot be had from these.
  double embedding_error = 0;
  /// |difference| / |values| of the baseline's eigenvalues, over those that both have. Empty for
  /// methods without eigenvalues of the Gram matrix.
  std::optional<double> eigenvalue_error{};
  std::optional<double> residual_trace_fraction{};
  std::optional<double> accuracy{};  ///< of nearest neighbours among the scores
  /// Most memory during the fit beyond what was held before it. Empty where the system does not
  /// tell.
  std::optional<double> memory_bytes{};
  std::string failure{};  ///< why there is no result; the numbers then mean nothing
};

/// Mean and standard deviation (division by count - 1; 0 for one) over splits.
struct Spread {
  double mean = 0;
  double deviation = 0;
};

/// A contender over all splits. Measures that it never had are empty.
struct ContenderSummary {
  std::size_t contender = 0;
  std::size_t splits = 0;  ///< that it finished
  std::string failure{};   ///< of the first that it did not
  Spread fit_seconds{};
  Spread transform_seconds{};
  Spread fit_speedup{};
  Spread transform_speedup{};
  Spread library_size{};
  Spread retained{};
  Spread embedding_error{};
  std::optional<Spread> eigenvalue_error{};
  std::optional<Spread> residual_trace_fraction{};
  std::optional<Spread> accuracy{};
  std::optional<Spread> memory_bytes{};
};

struct Comparison {
  std::vector<Contender> contenders;
  std::size_t baseline = 0;
  Kernel kernel;  ///< every parameter set, the same for all
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t splits = 0;
  std::size_t neighbors = 0;
  bool labelled = false;
  std::vector<Measurement> measurements;
  /// For pictures: rows of the first split that were not fitted on, at most 2000 of them, drawn at
  /// random.
  std::vector<std::size_t> picture_rows;
  std::size_t picture_rows_of = 0;  ///< how many they were drawn from
  /// The first two components of these rows for every contender, mapped onto those of the baseline
  /// by least squares; empty for a contender that failed.
  std::vector<Matrix<double>> pictures;

  std::vector<ContenderSummary> summaries() const;
  /// "landmarks 500", "shadow, ell 3.5"
  std::string label(std::size_t contender) const;
  /// A table of the summaries, for people.
  std::string text() const;
  /// A line for every measurement; no line end after the last.
  std::string csv() const;
  /// Summaries and measurements (docs/comparison.schema.json).
  std::string json() const;
  /// What a page needs to draw the pictures, as JSON: rows, labels and their names (both empty
  /// where there are none), points.
  std::string pictures_json(std::span<const std::size_t> labels,
                            const std::vector<std::string>& names) const;
};

/// Fits every contender to the same rows, one after another, and measures how fast it is, how much
/// it keeps, and how far it is from the baseline. What the kernel leaves open is chosen once, from
/// all rows. `labels` are any numbers, one a row, or empty.
///
/// A contender that throws a mercer error is recorded with its message; the baseline's error is
/// passed on, and so is cancellation. Times are wall times of this process; the same seed gives the
/// same splits and results, not the same times.
///
/// Throws InvalidArgument on options out of range or without a fit, DataError on fewer than 4 rows
/// or labels that are not one a row.
Comparison compare(MatrixView<const double> points, std::span<const std::size_t> labels,
                   const Kernel& kernel, std::vector<Contender> contenders,
                   const CompareOptions& options = {}, const RunOptions& run = {});

}  // namespace mercer
