#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <mercer/auto.h>
#include <mercer/exact.h>
#include <mercer/landmarks.h>
#include <mercer/random_features.h>

#include "cli/component_flags.h"
#include "cli/program.h"

namespace mercer::cli {

struct MethodChoice {
  std::string method;  ///< auto, exact, landmarks or random_features
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

  std::optional<std::string> solver;
  std::optional<double> solver_tolerance;
  std::optional<std::string> storage;

  void add_problem(Arguments& arguments);
  void add_landmarks(Arguments& arguments);
  void add_random_features(Arguments& arguments);
  void add_precision(Arguments& arguments);
  void add_solver(Arguments& arguments);

  /// Throws UsageError when an option belongs to another method than the one asked for, or two
  /// options belong to two methods.
  MethodChoice choose() const;

  // What the methods are told, checked, without weights.
  AutoOptions auto_options() const;
  ExactOptions exact_options() const;
  /// Reads the file of row numbers.
  LandmarkOptions landmark_options() const;
  RandomFeatureOptions random_feature_options() const;

 private:
  struct Given {
    const char* option;
    const char* method;
  };
  std::vector<Given> given() const;
};

/// Row numbers from 0, one a line or an NPY array. Throws FileError or DataError naming the place.
std::vector<std::size_t> read_row_numbers(const std::string& path);

}  // namespace mercer::cli
