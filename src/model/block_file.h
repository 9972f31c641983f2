#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <mercer/incremental.h>
#include <mercer/input.h>
#include <mercer/kernel.h>
#include <mercer/matrix.h>

#include "model/container.h"

namespace mercer::model {

/// The numbers of a BlockModel. Expansions have one coefficient for each point of the library, or
/// for each column of the points with a linear kernel, which has no library.
struct BlockNumbers {
  Kernel kernel;
  InputMaps input;
  std::size_t columns = 0;
  bool centered = true;
  Matrix<double> library;                 ///< C, s x d
  Matrix<double> components;              ///< A, s x r
  std::vector<double> singular_values;    ///< r, descending
  std::vector<double> mean_coefficients;  ///< nu, s
  std::vector<double> mean_scores;        ///< A^T K nu, r
  double mean_norm2 = 0;                  ///< nu^T K nu
  std::uint64_t rows = 0;
  double weight = 0;
  double trace = 0;
  double residual = 0;
  double lost = 0;
  double lost_mean = 0;
  double deviation = 0;
  std::uint64_t kernel_evaluations = 0;

  bool linear() const { return std::holds_alternative<Linear>(kernel); }
  /// Coefficients of an expansion.
  std::size_t terms() const { return mean_coefficients.size(); }
};

/// What it takes to go on with a stream, beside its model.
struct StreamNumbers {
  std::uint64_t blocks = 0;
  IncrementalOptions options;
};

struct BlockFile {
  BlockNumbers block;
  std::optional<StreamNumbers> stream;
};

/// Throws FileError, and InvalidArgument for custom kernels, whose function no file can hold.
void write_block(const std::filesystem::path& path, const BlockNumbers& block,
                 const std::optional<StreamNumbers>& stream = std::nullopt);
/// Throws FileError on whatever does not fit together.
BlockFile read_block(const std::filesystem::path& path);
/// The same from a checked container; `file` is for messages.
BlockFile block_from_container(Container container, const std::string& file);

}  // namespace mercer::model
