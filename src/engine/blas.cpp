#include "engine/blas.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include <fmt/format.h>

#include <mercer/error.h>
#include <mercer/platform.h>

#include "engine/simd.h"

extern "C" {
// NOLINTBEGIN(readability-identifier-naming): names of Fortran
// LAPACK's Fortran interface; the trailing lengths of the character arguments are left out, as
// every C caller does: single letters are read by their address alone.
void dsyevd_(const char* jobz, const char* uplo, const int* n, double* a, const int* lda, double* w,
             double* work, const int* lwork, int* iwork, const int* liwork, int* info);
void dsyevr_(const char* jobz, const char* range, const char* uplo, const int* n, double* a,
             const int* lda, const double* vl, const double* vu, const int* il, const int* iu,
             const double* abstol, int* m, double* w, double* z, const int* ldz, int* isuppz,
             double* work, const int* lwork, int* iwork, const int* liwork, int* info);
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info);
void dtrsm_(const char* side, const char* uplo, const char* transa, const char* diag, const int* m,
            const int* n, const double* alpha, const double* a, const int* lda, double* b,
            const int* ldb);
void dgesdd_(const char* jobz, const int* m, const int* n, double* a, const int* lda, double* s,
             double* u, const int* ldu, double* vt, const int* ldvt, double* work, const int* lwork,
             int* iwork, int* info);
void dgeqp3_(const int* m, const int* n, double* a, const int* lda, int* jpvt, double* tau,
             double* work, const int* lwork, int* info);
void dorgqr_(const int* m, const int* n, const int* k, double* a, const int* lda, const double* tau,
             double* work, const int* lwork, int* info);
// NOLINTEND(readability-identifier-naming)

// Only OpenBLAS has these; with another BLAS they are null.
__attribute__((weak)) char* openblas_get_corename();
__attribute__((weak)) int openblas_get_num_threads();
__attribute__((weak)) void openblas_set_num_threads(int threads);
}

namespace mercer::engine {

namespace {

/// Holds OpenBLAS to one thread: its results would otherwise depend on the number of threads. The
/// setting belongs to the whole process, so it is put back as soon as the last call has returned.
class OneBlasThread {
 public:
  OneBlasThread() {
    if (openblas_set_num_threads == nullptr || openblas_get_num_threads == nullptr) return;
    const std::lock_guard lock(mutex);
    if (users++ == 0) {
      threads_before = openblas_get_num_threads();
      if (threads_before != 1) openblas_set_num_threads(1);
    }
  }
  ~OneBlasThread() {
    if (openblas_set_num_threads == nullptr || openblas_get_num_threads == nullptr) return;
    const std::lock_guard lock(mutex);
    if (--users == 0 && threads_before != 1) openblas_set_num_threads(threads_before);
  }
  OneBlasThread(const OneBlasThread&) = delete;
  OneBlasThread& operator=(const OneBlasThread&) = delete;

 private:
  static inline std::mutex mutex;
  static inline int users = 0;
  static inline int threads_before = 1;
};

/// Checks what LAPACK would stop the process for, and what would send it into endless iterations.
int checked_size(MatrixView<const double> a) {
  constexpr std::size_t kLargest = std::numeric_limits<int>::max() / 32;  // workspace of 26 n ints
  if (a.rows() != a.cols() || a.rows() == 0 || a.stride() < a.cols() || a.rows() > kLargest ||
      a.stride() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw InvalidArgument(fmt::format("cannot decompose a {} x {} matrix (stride {})", a.rows(),
                                      a.cols(), a.stride()));
  }
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      if (!std::isfinite(a(i, j))) {
        throw NumericalError("kernel values overflowed: scale the data or the kernel's parameters");
      }
    }
  }
  return static_cast<int>(a.rows());
}

void check_converged(int info, int n) {
  if (info == 0) return;
  throw NumericalError(
      fmt::format("LAPACK found no eigenpairs of a {0} x {0} matrix (info {1})", n, info));
}

/// Keeps the lower triangle of a symmetric matrix in the upper one, which LAPACK does not touch.
class SpareTriangle {
 public:
  explicit SpareTriangle(MatrixView<double> a) : a_(a) {
    for (std::size_t i = 0; i < a.rows(); ++i) {
      for (std::size_t j = 0; j < i; ++j) a(j, i) = a(i, j);
      diagonal_.push_back(a(i, i));
    }
  }
  void restore() const {
    for (std::size_t i = 0; i < a_.rows(); ++i) {
      for (std::size_t j = 0; j < i; ++j) a_(i, j) = a_(j, i);
      a_(i, i) = diagonal_[i];
    }
  }

 private:
  MatrixView<double> a_;
  std::vector<double> diagonal_;
};

/// dsyevr over ranks il..iu (1-based, ascending); vectors only when z is given. May find fewer than
/// asked for: its bisection loses count where many eigenvalues are equal to rounding.
std::vector<double> eigen_range(MatrixView<double> a, int il, int iu, double* z) {
  const int n = checked_size(a);
  const int lda = static_cast<int>(a.stride());
  const char* jobz = z == nullptr ? "N" : "V";
  const double unused = 0;
  const double abstol = 0;
  int found = 0;
  int info = 0;
  double work_size = 0;
  int iwork_size = 0;
  const int query = -1;
  std::vector<double> values(a.rows());
  std::vector<int> support(2 * static_cast<std::size_t>(std::max(1, iu - il + 1)));
  const OneBlasThread guard;
  // Row-major lower triangle = column-major upper triangle.
  dsyevr_(jobz, "I", "U", &n, a.data(), &lda, &unused, &unused, &il, &iu, &abstol, &found,
          values.data(), z, &n, support.data(), &work_size, &query, &iwork_size, &query, &info);
  const int lwork = static_cast<int>(work_size);
  std::vector<double> work(static_cast<std::size_t>(lwork));
  std::vector<int> iwork(static_cast<std::size_t>(iwork_size));
  dsyevr_(jobz, "I", "U", &n, a.data(), &lda, &unused, &unused, &il, &iu, &abstol, &found,
          values.data(), z, &n, support.data(), work.data(), &lwork, iwork.data(), &iwork_size,
          &info);
  check_converged(info, n);
  values.resize(static_cast<std::size_t>(found));
  return values;
}

/// b := op(L)^-1 b. In column-major order these are b^T := b^T U^-1 or b^T U^-T with U = L^T.
void triangular_solve(MatrixView<const double> l, MatrixView<double> b, const char* transpose) {
  constexpr std::size_t kLargest = std::numeric_limits<int>::max();
  if (l.rows() != l.cols() || l.rows() != b.rows() || l.stride() < l.cols() ||
      b.stride() < b.cols() || l.stride() > kLargest || b.stride() > kLargest) {
    throw InvalidArgument(
        fmt::format("cannot solve a {} x {} triangular system (stride {}) for {} x {} right-hand "
                    "sides (stride {})",
                    l.rows(), l.cols(), l.stride(), b.rows(), b.cols(), b.stride()));
  }
  if (b.empty()) return;
  const int n = static_cast<int>(l.rows());
  const int columns = static_cast<int>(b.cols());
  const int ldl = static_cast<int>(l.stride());
  const int ldb = static_cast<int>(b.stride());
  const double one = 1;
  const OneBlasThread guard;
  dtrsm_("R", "U", transpose, "N", &columns, &n, &one, l.data(), &ldl, b.data(), &ldb);
}

}  // namespace

std::vector<double> symmetric_eigen(MatrixView<double> a) {
  const int n = checked_size(a);
  const int lda = static_cast<int>(a.stride());
  int info = 0;
  double work_size = 0;
  int iwork_size = 0;
  const int query = -1;
  std::vector<double> values(a.rows());
  const OneBlasThread guard;
  dsyevd_("V", "U", &n, a.data(), &lda, values.data(), &work_size, &query, &iwork_size, &query,
          &info);
  const int lwork = static_cast<int>(work_size);
  std::vector<double> work(static_cast<std::size_t>(lwork));
  std::vector<int> iwork(static_cast<std::size_t>(iwork_size));
  dsyevd_("V", "U", &n, a.data(), &lda, values.data(), work.data(), &lwork, iwork.data(),
          &iwork_size, &info);
  check_converged(info, n);
  return values;
}

EigenPairs largest_eigenpairs(MatrixView<double> a, std::size_t count) {
  const std::size_t n = a.rows();
  if (count == 0 || count > n) {
    throw InvalidArgument(
        fmt::format("cannot take {} eigenpairs of a {} x {} matrix", count, n, n));
  }
  const int last = checked_size(a);
  const SpareTriangle spare(a);
  Matrix<double> ascending(count, n);
  auto values = eigen_range(a, last - static_cast<int>(count) + 1, last, ascending.data());
  if (values.size() < count) {
    spare.restore();
    values = symmetric_eigen(a);
    values.erase(values.begin(), values.end() - static_cast<std::ptrdiff_t>(count));
    ascending = Matrix<double>(MatrixView<const double>(a).rows_from(n - count, count));
  }
  EigenPairs pairs{.values = {values.rbegin(), values.rend()}, .vectors = Matrix<double>(count, n)};
  for (std::size_t i = 0; i < count; ++i) {
    std::ranges::copy(ascending.row(count - 1 - i), pairs.vectors.row(i).begin());
  }
  return pairs;
}

std::vector<double> symmetric_eigenvalues(MatrixView<double> a) {
  const int last = checked_size(a);
  const SpareTriangle spare(a);
  auto values = eigen_range(a, 1, last, nullptr);
  if (values.size() < a.rows()) {
    spare.restore();
    values = symmetric_eigen(a);
  }
  std::ranges::reverse(values);
  return values;
}

bool cholesky_lower(MatrixView<double> a) {
  const int n = checked_size(a);
  const int lda = static_cast<int>(a.stride());
  int info = 0;
  const OneBlasThread guard;
  dpotrf_("U", &n, a.data(), &lda, &info);
  return info == 0;
}

void solve_lower(MatrixView<const double> l, MatrixView<double> b) {
  triangular_solve(l, b, "N");
}

void solve_lower_transposed(MatrixView<const double> l, MatrixView<double> b) {
  triangular_solve(l, b, "T");
}

double dense_eigen_bytes(std::size_t n, std::size_t count) {
  return static_cast<double>(n) * (2 * static_cast<double>(count) + 64) * sizeof(double);
}

namespace {

/// The workspace of dgesdd is counted in ints too: at most 7 r^2 + O(r) doubles with r = min(m, n).
void check_decomposable(MatrixView<const double> a) {
  constexpr std::size_t kLargestRank = 12'000;
  constexpr std::size_t kLargestSide = std::numeric_limits<int>::max() / 256;
  if (a.empty() || a.stride() < a.cols() || std::min(a.rows(), a.cols()) > kLargestRank ||
      std::max(a.rows(), a.stride()) > kLargestSide) {
    throw InvalidArgument(fmt::format("cannot find singular values of a {} x {} matrix (stride {})",
                                      a.rows(), a.cols(), a.stride()));
  }
  for (std::size_t i = 0; i < a.rows(); ++i) {
    if (!std::ranges::all_of(a.row(i), [](double value) { return std::isfinite(value); })) {
      throw NumericalError(
          fmt::format("row {} of a matrix to decompose overflowed: scale the data", i + 1));
    }
  }
}

}  // namespace

SingularValues singular_values(MatrixView<double> a) {
  check_decomposable(a);
  // Row-major a is column-major a^T = V S U^T, so the two sides change places.
  const int m = static_cast<int>(a.cols());
  const int n = static_cast<int>(a.rows());
  const int lda = static_cast<int>(a.stride());
  const std::size_t rank = std::min(a.rows(), a.cols());
  const int leading = static_cast<int>(rank);
  SingularValues result{.values = std::vector<double>(rank),
                        .left = Matrix<double>(a.rows(), rank),
                        .right = Matrix<double>(rank, a.cols())};
  std::vector<int> iwork(8 * rank);
  int info = 0;
  double work_size = 0;
  const int query = -1;
  const OneBlasThread guard;
  dgesdd_("S", &m, &n, a.data(), &lda, result.values.data(), result.right.data(), &m,
          result.left.data(), &leading, &work_size, &query, iwork.data(), &info);
  const int lwork = static_cast<int>(work_size);
  std::vector<double> work(static_cast<std::size_t>(lwork));
  dgesdd_("S", &m, &n, a.data(), &lda, result.values.data(), result.right.data(), &m,
          result.left.data(), &leading, work.data(), &lwork, iwork.data(), &info);
  if (info != 0) {
    throw NumericalError(fmt::format(
        "LAPACK found no singular values of a {} x {} matrix (info {})", a.rows(), a.cols(), info));
  }
  return result;
}

PivotedQr pivoted_qr(Matrix<double> a, double tolerance) {
  check_decomposable(a);
  if (a.rows() > a.cols()) {
    throw InvalidArgument(
        fmt::format("pivoted QR is for wide matrices, not for {} x {}", a.rows(), a.cols()));
  }
  // Row-major a is column-major a^T.
  const int m = static_cast<int>(a.cols());
  const int n = static_cast<int>(a.rows());
  std::vector<int> pivots(a.rows(), 0);
  std::vector<double> tau(a.rows());
  int info = 0;
  double work_size = 0;
  const int query = -1;
  const OneBlasThread guard;
  dgeqp3_(&m, &n, a.data(), &m, pivots.data(), tau.data(), &work_size, &query, &info);
  int lwork = static_cast<int>(work_size);
  std::vector<double> work(static_cast<std::size_t>(lwork));
  dgeqp3_(&m, &n, a.data(), &m, pivots.data(), tau.data(), work.data(), &lwork, &info);
  PivotedQr result;
  for (const int pivot : pivots) result.order.push_back(static_cast<std::size_t>(pivot - 1));
  while (result.rank < a.rows() && a(result.rank, result.rank) != 0 &&
         std::abs(a(result.rank, result.rank)) > tolerance * std::abs(a(0, 0))) {
    ++result.rank;
  }
  result.lower = Matrix<double>(a.rows(), result.rank);
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < std::min(i + 1, result.rank); ++j) result.lower(i, j) = a(i, j);
  }
  if (result.rank == 0) return result;
  const int k = static_cast<int>(result.rank);
  dorgqr_(&m, &k, &k, a.data(), &m, tau.data(), &work_size, &query, &info);
  lwork = static_cast<int>(work_size);
  work.resize(static_cast<std::size_t>(lwork));
  dorgqr_(&m, &k, &k, a.data(), &m, tau.data(), work.data(), &lwork, &info);
  result.q = Matrix<double>(MatrixView<const double>(a).rows_from(0, result.rank));
  return result;
}

}  // namespace mercer::engine

namespace mercer {

std::string simd_name() {
  return engine::simd_target();
}

std::string blas_core() {
  return openblas_get_corename == nullptr ? "unknown" : openblas_get_corename();
}

std::optional<std::string> suggested_blas_core() {
  if (openblas_get_corename == nullptr) return std::nullopt;
  const auto targets = engine::simd_targets();
  const auto has = [&](const char* name) {
    return std::ranges::find(targets, name) != targets.end();
  };
  if (!has("AVX2")) return std::nullopt;
  for (const char* modern : {"Haswell", "Zen", "SkylakeX", "Cooperlake", "SapphireRapids"}) {
    if (blas_core() == modern) return std::nullopt;
  }
  return has("AVX3") ? "SkylakeX" : "Haswell";
}

}  // namespace mercer
