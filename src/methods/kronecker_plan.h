#pragma once

#include <cstddef>
#include <optional>

#include <mercer/matrix.h>

namespace mercer::methods {

/// Vectors beside the k wanted ones in the Rayleigh-Ritz step of a centred fit: centring mixes
/// neighbours.
inline constexpr std::size_t kExtraVectors = 5;

/// The sizes of a Kronecker product for the rows of some data, and the memory that they take.
class KroneckerPlan {
 public:
  /// Throws InvalidArgument when there are fewer rows than groups.
  KroneckerPlan(MatrixView<const double> points, std::optional<std::size_t> groups, bool center,
                std::size_t threads);

  std::size_t n1() const { return n1_; }
  std::size_t n2() const { return n2_; }
  /// Rows in the product, the first ones of the data, and those that are left.
  std::size_t used() const { return n1_ * n2_; }
  std::size_t left_over() const { return n_ - used(); }

  /// Bytes for everything but the values of the kernel matrix: ordered, packed and kept points,
  /// factors with their eigenvectors, and so many vectors of all rows.
  double work_bytes(std::size_t vectors) const;
  /// The same with the kernel matrix of the product, or of all rows, stored.
  double bytes_with_blocks(std::size_t vectors) const;
  double bytes_with_gram(std::size_t vectors) const;

  /// Throws MemoryLimitError when the work does not fit.
  void require(std::size_t vectors, double memory_limit_bytes) const;

 private:
  std::size_t n_;
  std::size_t d_;
  std::size_t n1_;
  std::size_t n2_;
  bool center_;
  std::size_t threads_;
};

}  // namespace mercer::methods
