#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <mercer/kernel.h>
#include <mercer/matrix.h>

#include "engine/gram.h"
#include "engine/parallel.h"
#include "methods/deflated_operator.h"

// Matrices of the graph with nodes c_j of weight w_j and edges k(c_i, c_j), through products with
// the kernel matrix K alone. A node of weight w is w copies of a point: what is restricted to
// vectors that are constant on copies, and made symmetric by W^1/2 = diag(sqrt w), is the matrix of
// the graph of all copies.
namespace mercer::methods {

/// Throws InvalidArgument for parameters out of range, for kernels whose values may be negative,
/// which edges cannot be, and for precomputed ones.
void check_graph_kernel(const Kernel& kernel);

/// d_i = sum_j w_j k(c_i, c_j). Throws NumericalError, naming the node, where that is not positive
/// and finite.
std::vector<double> graph_degrees(engine::KernelOperator& gram, std::span<const double> weights,
                                  engine::Workers& workers);

/// d_i less the self-loop k(c_i, c_i), which each copy has once. Throws NumericalError for a node
/// that is left without edges.
std::vector<double> without_self_loops(std::vector<double> degrees, std::span<const double> loops);

/// diag(a) K diag(a) + diag(t), one eigenvector g of which is known.
struct GraphMatrixParts {
  std::vector<double> scaling;       ///< a
  std::vector<double> diagonal;      ///< t; empty: zeros
  std::vector<double> known_vector;  ///< g, of norm 1
  double known_value = 0;            ///< its eigenvalue
  double sink = 0;                   ///< an eigenvalue below those of interest
};

/// The random walk in symmetric form, S = D^-1/2 W^1/2 K W^1/2 D^-1/2 (Shi & Malik 2000; Coifman &
/// Lafon 2006). Its eigenvalues are at most 1, that of g = sqrt(w d) / |sqrt(w d)|.
GraphMatrixParts random_walk(std::span<const double> weights, std::span<const double> degrees);

/// The same without self-loops, D^-1/2 (W^1/2 K W^1/2 - diag(loops)) D^-1/2, for degrees without
/// them.
GraphMatrixParts random_walk_without_loops(std::span<const double> weights,
                                           std::span<const double> degrees,
                                           std::span<const double> loops);

/// -L / unit = (W^1/2 K W^1/2 - D) / unit, whose largest eigenvalues are the smallest of the
/// Laplacian (Belkin & Niyogi 2003). The eigenvalue of g = sqrt(w / N) is 0. `unit` is a power of
/// two near the largest degree: squares of products stay in range.
struct NegatedLaplacian {
  GraphMatrixParts parts;
  double unit = 1;
};
NegatedLaplacian negated_laplacian(std::span<const double> weights,
                                   std::span<const double> degrees);

/// Such a matrix as an operator, its known eigenvector projected out.
class GraphMatrix final : public DeflatedOperator {
 public:
  GraphMatrix(engine::KernelOperator& gram, GraphMatrixParts parts, engine::Workers& workers);

  std::size_t size() const override { return gram_.size(); }
  std::span<const double> null_vector() const override { return parts_.known_vector; }
  void apply(MatrixView<const double> v, MatrixView<double> y) override;
  /// With the known eigenvalue moved to `sink`.
  Matrix<double> dense() override;

 private:
  engine::KernelOperator& gram_;
  GraphMatrixParts parts_;
  engine::Workers& workers_;
  Matrix<double> work_;
};

}  // namespace mercer::methods
