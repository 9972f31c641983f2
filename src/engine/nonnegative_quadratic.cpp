#include "engine/nonnegative_quadratic.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <mercer/error.h>

#include "engine/principal_cholesky.h"

namespace mercer::engine {

namespace {

constexpr double kRidge = 1e-9;
/// Variables and gradients this far on the wrong side of 0, in units where M and z are of size 1,
/// are there by rounding, which is near 1e-16 sqrt(m).
constexpr double kWrongSide = 1e-12;
constexpr double kConverged = 1e-9;
/// Full exchanges that may fail to help before variables move one at a time (Kim & Park: 3).
constexpr int kPatience = 3;
constexpr std::size_t kMaxExchanges = 300;
/// As many variables at most change sides by updates of the factor, more by a new one: an update
/// takes a twentieth of the time of a factor of 2000 variables, and more of smaller ones.
constexpr std::size_t kMostUpdates = 8;

/// The power of two that brings `value` into [1, 2), as an exponent; 0 for 0.
int unit_exponent(double value) {
  if (!(value > 0)) return 0;
  return std::min(-std::ilogb(value), std::numeric_limits<double>::max_exponent - 1);
}

using Indices = std::vector<std::size_t>;

/// The problem in units where M and z are of size 1, exactly: neither overflows, and tolerances
/// are plain numbers.
class Problem {
 public:
  Problem(MatrixView<const double> m, std::span<const double> z) : m_(m), z_(z.begin(), z.end()) {
    if (m.rows() != z.size() || m.cols() != z.size()) {
      throw InvalidArgument(fmt::format("a {} x {} matrix does not fit {} linear coefficients",
                                        m.rows(), m.cols(), z.size()));
    }
    check_finite();
    double mean = 0;
    double largest = 0;
    for (std::size_t i = 0; i < z.size(); ++i) {
      mean += m(i, i) / static_cast<double>(z.size());
      largest = std::max(largest, std::abs(z[i]));
    }
    m_exponent_ = unit_exponent(mean);
    m_scale_ = std::ldexp(1.0, m_exponent_);
    ridge_ = std::max(0.0, kRidge * static_cast<double>(z.size()) * (m_scale_ * mean));
    z_exponent_ = unit_exponent(largest);
    for (double& value : z_) value = std::ldexp(value, z_exponent_);
    largest_z_ = std::ldexp(largest, z_exponent_);
  }

  std::size_t size() const { return z_.size(); }
  double m(std::size_t i, std::size_t j) const {
    return m_scale_ * m_(i, j) + (i == j ? ridge_ : 0);
  }
  double z(std::size_t i) const { return z_[i]; }

  /// M x - z.
  std::vector<double> gradient(std::span<const double> x, Workers& workers) const {
    Indices support;
    for (std::size_t j = 0; j < x.size(); ++j) {
      if (x[j] != 0) support.push_back(j);
    }
    std::vector<double> gradient(size());
    workers.for_each(size(), [&](std::size_t i) {
      const auto row = m_.row(i);
      double sum = 0;
      for (const std::size_t j : support) sum += row[j] * x[j];
      gradient[i] = m_scale_ * sum + ridge_ * x[i] - z_[i];
    });
    return gradient;
  }

  double kkt_residual(std::span<const double> x, std::span<const double> gradient) const {
    double worst = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      worst = std::max(worst, x[i] > 0 ? std::abs(gradient[i]) : -gradient[i]);
    }
    return worst > 0 ? worst / largest_z_ : 0;
  }

  /// A solution in the units that were given.
  std::vector<double> unscaled(std::vector<double> x) const {
    for (double& value : x) value = std::ldexp(value, m_exponent_ - z_exponent_);
    return x;
  }

 private:
  void check_finite() const {
    const auto finite = [](std::span<const double> values) {
      return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
    };
    bool all = finite(z_);
    for (std::size_t i = 0; i < z_.size(); ++i) all = all && finite(m_.row(i));
    if (all) return;
    throw NumericalError("kernel values overflowed: scale the data or the kernel's parameters");
  }

  MatrixView<const double> m_;
  std::vector<double> z_;
  int m_exponent_ = 0;
  int z_exponent_ = 0;
  double m_scale_ = 1;
  double ridge_ = 0;
  double largest_z_ = 0;
};

/// Solves M_FF x_F = z_F for sets F of free variables.
class FreeSystem {
 public:
  FreeSystem(const Problem& problem, Workers& workers)
      : problem_(problem), workers_(workers), factor_(problem.size()) {}

  /// F, in no particular order.
  const Indices& free() const { return free_; }
  std::size_t solves() const { return solves_; }

  /// False when M_FF is not positive definite; the set is then empty.
  bool set_free(const std::vector<bool>& wanted) {
    workers_.check_cancelled();
    auto missing = wanted;
    Indices leaving;  // positions, the last first: removing one leaves those before it in place
    for (std::size_t position = free_.size(); position-- > 0;) {
      if (!wanted[free_[position]]) leaving.push_back(position);
      missing[free_[position]] = false;
    }
    const Indices entering = listed(missing);
    if (entering.size() + leaving.size() > kMostUpdates) return factorize(listed(wanted));
    for (const std::size_t position : leaving) {
      factor_.remove(position);
      free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(position));
    }
    return std::ranges::all_of(entering, [&](std::size_t i) { return append(i); }) ||
           factorize(listed(wanted));
  }

  /// Lets one more variable in. False, changing nothing, when M_FF would not be positive definite.
  bool append(std::size_t variable) {
    std::vector<double> row;
    for (const std::size_t j : free_) row.push_back(problem_.m(variable, j));
    row.push_back(problem_.m(variable, variable));
    if (!factor_.append(row)) return false;
    free_.push_back(variable);
    return true;
  }

  /// x of all variables, 0 outside the set.
  std::vector<double> solve() {
    std::vector<double> x(problem_.size(), 0.0);
    if (free_.empty()) return x;
    ++solves_;
    std::vector<double> free_x;
    for (const std::size_t i : free_) free_x.push_back(problem_.z(i));
    factor_.solve(free_x);
    for (std::size_t i = 0; i < free_.size(); ++i) x[free_[i]] = free_x[i];
    return x;
  }

 private:
  static Indices listed(const std::vector<bool>& wanted) {
    Indices variables;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i]) variables.push_back(i);
    }
    return variables;
  }

  bool factorize(Indices free) {
    free_ = std::move(free);
    const auto matrix = factor_.reset(free_.size());
    workers_.for_each(free_.size(), [&](std::size_t i) {
      for (std::size_t j = 0; j <= i; ++j) matrix(i, j) = problem_.m(free_[i], free_[j]);
    });
    if (factor_.factorize()) return true;
    free_.clear();
    return false;
  }

  const Problem& problem_;
  Workers& workers_;
  PrincipalCholesky factor_;
  Indices free_;
  std::size_t solves_ = 0;
};

/// Block principal pivoting. Returns the last iterate, which may have negative entries.
std::vector<double> exchange_blocks(const Problem& problem, FreeSystem& system, Workers& workers) {
  const std::size_t n = problem.size();
  std::vector<bool> is_free(n, false);
  std::vector<double> x(n, 0.0);
  std::size_t fewest = n + 1;
  int patience = kPatience;
  for (std::size_t exchange = 0; exchange < kMaxExchanges; ++exchange) {
    const auto gradient = problem.gradient(x, workers);
    Indices wrong;
    for (std::size_t i = 0; i < n; ++i) {
      if ((is_free[i] ? x[i] : gradient[i]) < -kWrongSide) wrong.push_back(i);
    }
    if (wrong.empty()) break;
    if (wrong.size() < fewest) {
      fewest = wrong.size();
      patience = kPatience;
    } else if (patience > 0) {
      --patience;
    } else {
      wrong = {wrong.back()};
    }
    for (const std::size_t i : wrong) is_free[i] = !is_free[i];
    if (!system.set_free(is_free)) break;
    x = system.solve();
  }
  return x;
}

/// Moves from the feasible x towards the solution of the free system until it or a bound is
/// reached, where variables stop being free. True when it was the solution.
bool step_to_solution(std::vector<double>& x, FreeSystem& system) {
  const auto solution = system.solve();
  // How far variable i can go.
  const auto reach = [&](std::size_t i) {
    return solution[i] < 0 ? x[i] / (x[i] - solution[i]) : 1;
  };
  double step = 1;
  for (const std::size_t i : system.free()) step = std::min(step, reach(i));
  if (step == 1) {
    x = solution;
    return true;
  }
  std::vector<bool> still_free(x.size(), false);
  for (const std::size_t i : system.free()) {
    still_free[i] = reach(i) > step;
    x[i] = still_free[i] ? x[i] + step * (solution[i] - x[i]) : 0;
  }
  if (!system.set_free(still_free)) std::ranges::fill(x, 0.0);
  return false;
}

/// Lawson & Hanson's active set method from a feasible x.
void descend(const Problem& problem, FreeSystem& system, std::vector<double>& x, Workers& workers) {
  const std::size_t n = problem.size();
  std::vector<bool> support(n);
  for (std::size_t i = 0; i < n; ++i) support[i] = x[i] > 0;
  if (!system.set_free(support)) std::ranges::fill(x, 0.0);
  // Variables that were let in and have not been positive since: rounding, or an indefinite M,
  // would make them come and go for ever.
  std::vector<bool> refused(n, false);
  const std::size_t most_solves = system.solves() + 3 * n;
  while (system.solves() < most_solves) {
    workers.check_cancelled();
    if (!step_to_solution(x, system)) continue;
    const auto gradient = problem.gradient(x, workers);
    std::size_t entering = n;
    double steepest = -kWrongSide;
    for (std::size_t i = 0; i < n; ++i) {
      if (x[i] > 0) refused[i] = false;
      if (x[i] > 0 || refused[i] || !(gradient[i] < steepest)) continue;
      steepest = gradient[i];
      entering = i;
    }
    if (entering == n) return;
    refused[entering] = true;
    system.append(entering);
  }
}

}  // namespace

NonnegativeMinimum minimize_nonnegative(MatrixView<const double> m, std::span<const double> z,
                                        Workers& workers) {
  const Problem problem(m, z);
  FreeSystem system(problem, workers);
  const auto judged = [&](const std::vector<double>& x) {
    NonnegativeMinimum minimum;
    minimum.kkt_residual = problem.kkt_residual(x, problem.gradient(x, workers));
    minimum.converged = minimum.kkt_residual <= kConverged;
    minimum.iterations = system.solves();
    minimum.x = problem.unscaled(x);
    return minimum;
  };
  auto x = exchange_blocks(problem, system, workers);
  for (double& value : x) value = std::max(value, 0.0);
  auto minimum = judged(x);
  if (minimum.converged) return minimum;
  descend(problem, system, x, workers);
  return judged(x);
}

}  // namespace mercer::engine
