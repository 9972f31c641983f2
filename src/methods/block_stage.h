#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <mercer/greedy.h>
#include <mercer/kernel.h>
#include <mercer/matrix.h>

#include "engine/parallel.h"
#include "engine/random.h"
#include "methods/block_algebra.h"

namespace mercer::methods {

/// Rows of one block.
struct BlockRows {
  Matrix<double> points;
  std::vector<double> weights;  ///< empty: 1 each
};

/// What becomes of every block.
struct BlockPlan {
  Kernel kernel;
  LibraryOptions library;
  MergeOptions merge;
  bool center = true;
  bool with_components = false;  ///< blocks to be merged, instead of their libraries alone
};

/// Greedy choices in one block of rows after another, as many at a time as there are threads. What
/// becomes of a block depends on its rows and its number alone.
class BlockStage {
 public:
  /// The plan must stay.
  BlockStage(const BlockPlan& plan, const engine::RandomStream& stream, double memory_limit_bytes,
             engine::Workers& workers);

  void add(BlockRows rows);
  /// No blocks follow.
  void finish();

  /// Libraries of all blocks, one after another.
  Matrix<double> take_libraries();
  /// The blocks themselves, when they were asked for.
  std::vector<BlockNumbers>& blocks() { return blocks_; }
  std::size_t count() const { return count_; }
  std::size_t library_rows() const { return library_rows_; }
  std::uint64_t kernel_evaluations() const { return evaluations_; }
  /// Mean of k(x, x) over the rows of all blocks.
  double mean_diagonal() const { return trace_ / weight_; }

 private:
  struct Result {
    Matrix<double> library;
    BlockNumbers block;
    std::uint64_t kernel_evaluations = 0;
    double trace = 0;
    double weight = 0;
  };
  Result run(const BlockRows& rows, std::size_t number, engine::Workers& workers) const;
  void run_waiting();

  const BlockPlan& plan_;
  engine::RandomStream stream_;
  double memory_limit_bytes_;
  engine::Workers& workers_;
  std::vector<BlockRows> waiting_;
  std::vector<Matrix<double>> libraries_;
  std::vector<BlockNumbers> blocks_;
  std::size_t count_ = 0;
  std::size_t library_rows_ = 0;
  std::uint64_t evaluations_ = 0;
  double trace_ = 0;
  double weight_ = 0;
};

}  // namespace mercer::methods
