#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <mercer/matrix.h>

#include "distance/gram_powers.h"
#include "engine/parallel.h"

namespace mercer::distance {

/// What landmarks are chosen for; N = I - P projects away from the span of their columns of K.
enum class SubsetObjective {
  trace,      ///< Tr(P K), largest: the sum of the estimated distances of items to themselves
  frobenius,  ///< |N K|_F^2, smallest: the error that regression makes
};

/// Landmarks one after another, the largest gain each time. With r_j = N K e_j the gain of item j
/// is H_j / G_j, G_j = |r_j|^2 and H_j = r_j^T K r_j (K^2 for the Frobenius norm).
///
/// Both follow from one landmark to the next by recurrences, n^2 flops for all candidates together.
/// Those lose digits once most of K is explained. The gain of the item taken is also known exactly;
/// when the two differ, G and H are made anew from the residuals themselves, at n^3.
class GreedySubset {
 public:
  /// The matrix must stay. Candidates are rows of it.
  GreedySubset(MatrixView<const double> gram, std::span<const std::size_t> candidates,
               SubsetObjective objective, std::size_t capacity, engine::Workers& workers);

  /// Takes one more; false when no candidate adds anything.
  bool grow();

  const std::vector<std::size_t>& rows() const { return rows_; }
  /// Of each row when it was taken.
  const std::vector<double>& gains() const { return gains_; }
  std::size_t refreshes() const { return refreshes_; }
  const PowerDiagonals& powers() const { return powers_; }

 private:
  struct Proposal {
    std::size_t row = 0;
    double score = 0;
  };
  struct Step {
    std::vector<double> u;  ///< unit vector that the row adds to the basis
    std::vector<double> v;  ///< K u
    std::vector<double> w;  ///< what the objective sees of it: v, or K v
    double gain = 0;
  };

  bool propose(Proposal& best) const;
  bool try_step(std::size_t row, Step& step);
  void accept(std::size_t row, Step step);
  void orthogonalise(std::span<double> x) const;
  void refresh();

  MatrixView<const double> gram_;
  SubsetObjective objective_;
  engine::Workers& workers_;
  PowerDiagonals powers_;
  std::vector<char> open_;  // candidates that were not taken
  std::vector<double> g_;
  std::vector<double> h_;
  Matrix<double> basis_;  // a row for each landmark
  std::vector<std::size_t> rows_;
  std::vector<double> gains_;
  std::size_t refreshes_ = 0;
};

}  // namespace mercer::distance
