#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include <mercer/block_model.h>
#include <mercer/kernel.h>
#include <mercer/matrix.h>

#include "engine/blas.h"
#include "engine/reference.h"

// Kernel PCA of parts in the feature space itself: what block models do with kernel values, done
// with vectors. Slow and plain.
namespace mercer::testing {

inline double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// a b^T.
inline Matrix<double> times_transposed(MatrixView<const double> a, MatrixView<const double> b) {
  Matrix<double> c(a.rows(), b.rows());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < b.rows(); ++j) c(i, j) = dot(a.row(i), b.row(j));
  }
  return c;
}

inline Matrix<double> transposed(MatrixView<const double> a) {
  Matrix<double> c(a.cols(), a.rows());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < a.cols(); ++j) c(j, i) = a(i, j);
  }
  return c;
}

inline Matrix<double> stack(MatrixView<const double> a, MatrixView<const double> b) {
  Matrix<double> c(a.rows() + b.rows(), std::max(a.cols(), b.cols()));
  for (std::size_t i = 0; i < a.rows(); ++i) std::ranges::copy(a.row(i), c.row(i).begin());
  for (std::size_t i = 0; i < b.rows(); ++i) {
    std::ranges::copy(b.row(i), c.row(a.rows() + i).begin());
  }
  return c;
}

/// Coordinates of feature vectors in the span of some points: K = F F^T by eigenvectors.
class FeatureSpace {
 public:
  FeatureSpace(const Kernel& kernel, MatrixView<const double> points)
      : kernel_(kernel), points_(points) {
    auto gram = engine::reference::kernel_matrix(kernel, points_, points_);
    const auto values = engine::symmetric_eigen(gram);
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] > 1e-13 * values.back()) kept.push_back(i);
    }
    axes_ = Matrix<double>(kept.size(), points.rows());
    for (std::size_t j = 0; j < kept.size(); ++j) {
      for (std::size_t i = 0; i < points.rows(); ++i) {
        axes_(j, i) = gram(kept[j], i) / std::sqrt(values[kept[j]]);
      }
    }
  }

  /// A row for each point.
  Matrix<double> operator()(MatrixView<const double> points) const {
    return times_transposed(engine::reference::kernel_matrix(kernel_, points, points_), axes_);
  }

  /// Orthonormal rows that span the features of the points (Gram-Schmidt, twice).
  Matrix<double> basis(MatrixView<const double> points) const {
    Matrix<double> rows = (*this)(points);
    std::size_t count = 0;
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      std::vector<double> v(rows.row(i).begin(), rows.row(i).end());
      const double before = std::sqrt(dot(v, v));
      for (int pass = 0; pass < 2; ++pass) {
        for (std::size_t j = 0; j < count; ++j) {
          const double product = dot(v, rows.row(j));
          for (std::size_t l = 0; l < v.size(); ++l) v[l] -= product * rows(j, l);
        }
      }
      const double norm = std::sqrt(dot(v, v));
      if (norm <= 1e-6 * before) continue;
      for (std::size_t l = 0; l < v.size(); ++l) rows(count, l) = v[l] / norm;
      ++count;
    }
    return Matrix<double>(rows.view().rows_from(0, count));
  }

  /// The features of points, projected on the span of those of a library.
  Matrix<double> projected(MatrixView<const double> points,
                           MatrixView<const double> library) const {
    const auto orthonormal = basis(library);
    const auto coordinates = times_transposed((*this)(points), orthonormal);
    return times_transposed(coordinates, transposed(orthonormal));
  }

 private:
  Kernel kernel_;
  Matrix<double> points_;
  Matrix<double> axes_;
};

inline std::vector<double> mean_of(MatrixView<const double> rows) {
  std::vector<double> mean(rows.cols(), 0.0);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t j = 0; j < rows.cols(); ++j) {
      mean[j] += rows(i, j) / static_cast<double>(rows.rows());
    }
  }
  return mean;
}

inline Matrix<double> centred(MatrixView<const double> rows, std::span<const double> mean) {
  Matrix<double> out(rows);
  for (std::size_t i = 0; i < out.rows(); ++i) {
    for (std::size_t j = 0; j < out.cols(); ++j) out(i, j) -= mean[j];
  }
  return out;
}

/// Principal components of vectors.
struct VectorPca {
  std::vector<double> mean;
  Matrix<double> axes;  ///< a row each
  std::vector<double> values;
  Matrix<double> right;  ///< the paper's V*: a row for every vector seen, a column for each axis
  std::size_t count = 0;

  /// Absolute scores of the first components.
  std::vector<double> scores(std::span<const double> feature, std::size_t components) const {
    std::vector<double> v(feature.begin(), feature.end());
    for (std::size_t j = 0; j < v.size(); ++j) v[j] -= mean[j];
    std::vector<double> result;
    for (std::size_t j = 0; j < components; ++j) result.push_back(std::abs(dot(v, axes.row(j))));
    return result;
  }
};

inline VectorPca pca_of(MatrixView<const double> rows) {
  VectorPca pca;
  pca.mean = mean_of(rows);
  pca.count = rows.rows();
  auto work = centred(rows, pca.mean);
  auto svd = engine::singular_values(work);
  while (!svd.values.empty() && svd.values.back() <= 1e-7 * svd.values.front()) {
    svd.values.pop_back();
  }
  const std::size_t r = svd.values.size();
  pca.values = svd.values;
  pca.axes = Matrix<double>(svd.right.view().rows_from(0, r));
  pca.right = Matrix<double>(svd.left.view().cols_from(0, r));
  return pca;
}

/// Chin & Suter's merge as it is printed: the rows of the second block are taken apart into what
/// the components of the first span and the rest H, of which a basis J is found; then
///     [S L; 0 K] = U' S' V'^T,   axes [U J] U',   V* = [V* 0; 0 1] V'.
inline VectorPca literal_merge(const VectorPca& first, MatrixView<const double> second) {
  const auto mean2 = mean_of(second);
  const auto d1 = static_cast<double>(first.count);
  const auto d2 = static_cast<double>(second.rows());
  Matrix<double> shift(1, mean2.size());
  for (std::size_t j = 0; j < mean2.size(); ++j) {
    shift(0, j) = std::sqrt(d1 * d2 / (d1 + d2)) * (first.mean[j] - mean2[j]);
  }
  const auto e = stack(centred(second, mean2), shift);
  const auto l = times_transposed(first.axes, e);
  auto h = e;
  const auto inside = times_transposed(transposed(l), transposed(first.axes));
  for (std::size_t i = 0; i < h.size(); ++i) h.data()[i] -= inside.data()[i];
  auto m_h = times_transposed(h, h);
  const auto eigenvalues = engine::symmetric_eigen(m_h);
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < eigenvalues.size(); ++i) {
    if (eigenvalues[i] > 1e-14 * first.values.front() * first.values.front()) kept.push_back(i);
  }
  Matrix<double> j_basis(kept.size(), h.cols());
  for (std::size_t q = 0; q < kept.size(); ++q) {
    for (std::size_t i = 0; i < h.rows(); ++i) {
      const double kappa = m_h(kept[q], i) / std::sqrt(eigenvalues[kept[q]]);
      for (std::size_t c = 0; c < h.cols(); ++c) j_basis(q, c) += kappa * h(i, c);
    }
  }
  const auto k = times_transposed(j_basis, h);
  const std::size_t r = first.values.size();
  Matrix<double> middle(r + kept.size(), r + e.rows());
  for (std::size_t i = 0; i < r; ++i) {
    middle(i, i) = first.values[i];
    for (std::size_t c = 0; c < e.rows(); ++c) middle(i, r + c) = l(i, c);
  }
  for (std::size_t q = 0; q < kept.size(); ++q) {
    for (std::size_t c = 0; c < e.rows(); ++c) middle(r + q, r + c) = k(q, c);
  }
  const auto svd = engine::singular_values(middle);
  VectorPca merged;
  merged.count = first.count + second.rows();
  for (std::size_t j = 0; j < mean2.size(); ++j) {
    merged.mean.push_back((d1 * first.mean[j] + d2 * mean2[j]) / (d1 + d2));
  }
  std::size_t size = svd.values.size();
  while (size > 0 && svd.values[size - 1] <= 1e-7 * svd.values.front()) --size;
  merged.values.assign(svd.values.begin(), svd.values.begin() + static_cast<std::ptrdiff_t>(size));
  const auto old_axes = stack(first.axes, j_basis);
  merged.axes =
      times_transposed(transposed(svd.left.view().cols_from(0, size)), transposed(old_axes));
  Matrix<double> old_right(first.right.rows() + e.rows(), r + e.rows());
  for (std::size_t i = 0; i < first.right.rows(); ++i) {
    std::ranges::copy(first.right.row(i), old_right.row(i).begin());
  }
  for (std::size_t i = 0; i < e.rows(); ++i) old_right(first.right.rows() + i, r + i) = 1;
  merged.right = times_transposed(old_right, svd.right.view().rows_from(0, size));
  return merged;
}

/// How far a block is from what it says it is: A^T K A = 1, A^T K nu, nu^T K nu. By weight
/// components count by their singular values: small ones lose digits, which matter as little.
enum class CountComponents { equally, by_weight };
inline double inconsistency(const BlockModel& block,
                            CountComponents count = CountComponents::equally) {
  const std::size_t s = block.mean_coefficients().size();
  const std::size_t r = block.components();
  if (s == 0) return 0;
  const auto library = block.library();
  Matrix<double> gram(s, s);
  if (library.rows() > 0) {
    gram = engine::reference::kernel_matrix(block.kernel(), library, library);
  } else {
    for (std::size_t i = 0; i < s; ++i) gram(i, i) = 1;
  }
  Matrix<double> columns(r + 1, s);
  for (std::size_t i = 0; i < s; ++i) {
    for (std::size_t j = 0; j < r; ++j) columns(j, i) = block.coefficients()(i, j);
    columns(r, i) = block.mean_coefficients()[i];
  }
  const auto products = times_transposed(times_transposed(columns, gram), columns);
  double worst = std::abs(products(r, r) - block.mean_norm2()) / std::max(block.mean_norm2(), 1.0);
  const auto weight = [&](std::size_t i) {
    return count == CountComponents::equally
               ? 1
               : block.singular_values()[i] / block.singular_values()[0];
  };
  for (std::size_t i = 0; i < r; ++i) {
    const double difference = std::abs(products(i, r) - block.mean_scores()[i]);
    worst = std::max(worst, weight(i) * difference / std::max(std::sqrt(block.mean_norm2()), 1.0));
    for (std::size_t j = 0; j < r; ++j) {
      worst = std::max(worst, weight(i) * weight(j) * std::abs(products(i, j) - (i == j ? 1 : 0)));
    }
  }
  return worst;
}

inline double sum_of_variances(const BlockModel& block) {
  return dot(block.singular_values(), block.singular_values());
}

/// What is missing in trace = variances + N |mean|^2 + residual + lost + lost_mean, relative.
inline double missing_trace(const BlockModel& block) {
  const double accounted = sum_of_variances(block) + block.total_weight() * block.mean_norm2() +
                           block.residual() + block.lost() + block.lost_mean();
  return std::abs(block.trace() - accounted) / block.trace();
}

}  // namespace mercer::testing
