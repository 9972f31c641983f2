#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <mercer/block_model.h>
#include <mercer/greedy.h>
#include <mercer/partitioned.h>

#include "cli/component_flags.h"
#include "cli/program.h"

namespace mercer::cli {

/// Which rows make the library of greedy kernel PCA, and how many.
struct LibraryFlags {
  std::optional<std::string> pivot_rule;
  std::optional<std::size_t> candidates;
  std::optional<double> mse;
  std::optional<double> max_error;
  std::optional<std::size_t> max_library;

  void add(Arguments& arguments);
  /// Checked.
  LibraryOptions options() const;
  /// The options that were given.
  std::vector<const char*> given() const;
};

/// What components of blocks survive, and how blocks are merged.
struct DeflationFlags {
  std::optional<std::string> form;
  std::optional<double> deflate;
  std::optional<std::string> rule;
  std::optional<std::size_t> max_components;

  void add(Arguments& arguments);
  /// Where there is no choice of a form.
  void add_without_form(Arguments& arguments);
  /// Checked.
  MergeOptions options() const;
  std::vector<const char*> given() const;
};

/// The components that a model takes from blocks; checked.
BlockFitOptions block_fit_options(const ComponentFlags& components);

/// Greedy kernel PCA of all rows, or of blocks of them that are put together.
struct BlockFlags {
  LibraryFlags library;
  std::optional<std::size_t> blocks;
  std::optional<std::size_t> block_size;
  std::optional<std::string> partition;
  std::optional<std::string> refine;
  DeflationFlags deflation;

  void add(Arguments& arguments);

  // What the methods are told, checked, without weights and labels.
  GreedyOptions greedy_options(const ComponentFlags& components) const;
  /// Blocks of consecutive rows unless others are asked for, so that files and memory give the same
  /// bits.
  PartitionedOptions partitioned_options(const ComponentFlags& components) const;

  /// The options that were given and only the method partitioned has.
  std::vector<const char*> given() const;
};

}  // namespace mercer::cli
