#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <mercer/auto.h>
#include <mercer/exact.h>
#include <mercer/kronecker.h>
#include <mercer/landmarks.h>
#include <mercer/random_features.h>
#include <mercer/randomized.h>
#include <mercer/reduced_set.h>

#include "cli/block_flags.h"
#include "cli/component_flags.h"
#include "cli/feature_flags.h"
#include "cli/manifold_flags.h"
#include "cli/program.h"
#include "cli/randomized_flags.h"
#include "cli/reduction_flags.h"

namespace mercer::cli {

struct MethodChoice {
  std::string method;  ///< one of the words that --method takes
  std::string why;     ///< the option that chose it; empty when --method did, or the default
};

/// --method and what each method can be told.
struct MethodFlags {
  std::string method = "auto";
  ComponentFlags components;
  std::string precision = "double";

  std::optional<std::size_t> landmarks;
  std::optional<std::string> selection;
  std::optional<std::string> evaluation;
  std::optional<std::string> landmark_rows_file;
  std::optional<double> subspace_tolerance;
  std::optional<double> tolerance;
  std::optional<std::size_t> max_landmarks;
  std::optional<std::string> polish;
  bool certify = false;

  std::optional<std::size_t> frequencies;
  bool orthogonal = false;

  std::optional<std::string> kronecker_order;
  std::optional<std::size_t> kronecker_groups;

  ReductionFlags reduction;
  bool verify = false;
  BlockFlags blocks;
  FeatureFlags features;
  ManifoldFlags manifold;
  RandomizedFlags randomized;

  std::optional<std::string> solver;
  std::optional<double> solver_tolerance;
  std::optional<std::string> storage;

  void add_problem(Arguments& arguments);
  void add_landmarks(Arguments& arguments);
  void add_reduced_sets(Arguments& arguments);
  void add_random_features(Arguments& arguments);
  void add_kronecker(Arguments& arguments);
  void add_precision(Arguments& arguments);
  void add_solver(Arguments& arguments);

  /// Throws UsageError when an option is none of the method's, or no method has all options.
  MethodChoice choose() const;

  // What the methods are told, checked, without weights.
  AutoOptions auto_options() const;
  ExactOptions exact_options() const;
  /// Reads the file of row numbers.
  LandmarkOptions landmark_options() const;
  RandomFeatureOptions random_feature_options() const;
  KroneckerOptions kronecker_options() const;
  RandomizedOptions randomized_options() const;
  ReducedSetOptions reduced_set_options(const std::string& of_method) const;
  FeatureAnalysisOptions feature_options(const std::string& of_method) const;

 private:
  struct Given {
    const char* option;
    std::vector<std::string> methods;  ///< that have it; the first is meant when none is named
  };
  std::vector<Given> given() const;
};

/// Row numbers from 0, one a line or an NPY array. Throws FileError or DataError naming the place.
std::vector<std::size_t> read_row_numbers(const std::string& path);

}  // namespace mercer::cli
