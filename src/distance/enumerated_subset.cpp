#include "distance/enumerated_subset.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include <mercer/error.h>

#include "distance/gram_powers.h"
#include "engine/blas.h"
#include "engine/dense_product.h"

namespace mercer::distance {

namespace {

constexpr double kMostSubsets = 1e6;
/// Keeps (K^2)_RR of equal items positive definite. Absolute: distances are of the order of 1 and
/// more where this serves (Hamming).
constexpr double kJitter = 1e-11;

double subsets(std::size_t n, std::size_t m) {
  double count = 1;
  for (std::size_t i = 0; i < m; ++i) {
    count *= static_cast<double>(n - i) / static_cast<double>(i + 1);
  }
  return count;
}

class TraceScore {
 public:
  TraceScore(MatrixView<const double> gram, engine::Workers& workers)
      : square_(engine::dense_product(gram, gram, workers)),
        cube_(engine::dense_product(square_, gram, workers)) {}

  /// Smaller is better.
  double operator()(std::span<const std::size_t> rows) const {
    const std::size_t m = rows.size();
    Matrix<double> a(m, m);
    Matrix<double> b(m, m);
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < m; ++j) {
        a(i, j) = square_(rows[i], rows[j]);
        b(i, j) = cube_(rows[i], rows[j]);
      }
      a(i, i) += kJitter;
    }
    if (!engine::cholesky_lower(a)) return std::numeric_limits<double>::infinity();
    engine::solve_lower(a, b);
    engine::solve_lower_transposed(a, b);
    double trace = 0;
    for (std::size_t i = 0; i < m; ++i) trace += b(i, i);
    return -trace;
  }

 private:
  Matrix<double> square_;
  Matrix<double> cube_;
};

class AbsoluteScore {
 public:
  explicit AbsoluteScore(MatrixView<const double> gram) : gram_(gram) {}

  double operator()(std::span<const std::size_t> rows) const {
    const std::size_t n = gram_.rows();
    std::vector<std::vector<double>> basis;
    for (const std::size_t row : rows) {
      std::vector<double> u(gram_.row(row).begin(), gram_.row(row).end());
      const double length = std::sqrt(dot(u, u));
      for (int pass = 0; pass < 2; ++pass) {
        for (const auto& b : basis) {
          const double share = dot(u, b);
          for (std::size_t i = 0; i < n; ++i) u[i] -= share * b[i];
        }
      }
      const double left = std::sqrt(dot(u, u));
      if (!(left > kIndependent * length)) continue;
      for (double& value : u) value /= left;
      basis.push_back(std::move(u));
    }
    double sum = 0;
    std::vector<double> residual(n);
    for (std::size_t j = 0; j < n; ++j) {
      std::ranges::copy(gram_.row(j), residual.begin());
      for (const auto& b : basis) {
        const double share = dot(gram_.row(j), b);
        for (std::size_t i = 0; i < n; ++i) residual[i] -= share * b[i];
      }
      for (const double value : residual) sum += std::abs(value);
    }
    return sum;
  }

 private:
  MatrixView<const double> gram_;
};

/// The next choice of positions in lexicographic order with the first one fixed; false at the end.
bool advance(std::vector<std::size_t>& positions, std::size_t n) {
  const std::size_t m = positions.size();
  for (std::size_t i = m; i-- > 1;) {
    if (positions[i] + (m - i) < n) {
      std::iota(positions.begin() + static_cast<std::ptrdiff_t>(i), positions.end(),
                positions[i] + 1);
      return true;
    }
  }
  return false;
}

template <class Score>
EnumeratedSubset best_subset(const Score& score, std::span<const std::size_t> candidates,
                             std::size_t m, engine::Workers& workers) {
  // A task for each first member; the results are compared in order.
  const std::size_t tasks = candidates.size() - m + 1;
  std::vector<EnumeratedSubset> best(tasks);
  workers.for_each(tasks, [&](std::size_t first) {
    std::vector<std::size_t> positions(m);
    std::iota(positions.begin(), positions.end(), first);
    std::vector<std::size_t> rows(m);
    best[first].value = std::numeric_limits<double>::infinity();
    do {
      workers.poll();
      for (std::size_t i = 0; i < m; ++i) rows[i] = candidates[positions[i]];
      const double value = score(rows);
      if (value < best[first].value) best[first] = {.rows = rows, .value = value};
    } while (advance(positions, candidates.size()));
  });
  return *std::ranges::min_element(best, {}, &EnumeratedSubset::value);
}

}  // namespace

EnumeratedSubset enumerate_subsets(MatrixView<const double> gram,
                                   std::span<const std::size_t> candidates, std::size_t m,
                                   EnumeratedObjective objective, engine::Workers& workers) {
  if (m == 0 || m > candidates.size()) return {};
  const double count = subsets(candidates.size(), m);
  if (count > kMostSubsets) {
    throw InvalidArgument(
        fmt::format("there are {:.3g} subsets of {} among {} items, more than the {:.0e} that can "
                    "be gone through: choose by greedy or swap",
                    count, m, candidates.size(), kMostSubsets));
  }
  std::vector<std::size_t> ascending(candidates.begin(), candidates.end());
  std::ranges::sort(ascending);
  if (objective == EnumeratedObjective::l1) {
    return best_subset(AbsoluteScore(gram), ascending, m, workers);
  }
  EnumeratedSubset best = best_subset(TraceScore(gram, workers), ascending, m, workers);
  best.value = -best.value;
  return best;
}

}  // namespace mercer::distance
