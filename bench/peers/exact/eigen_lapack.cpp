// eigen_lapack POINTS.npy GAMMA COMPONENTS THREADS
//
// The program that a C++ user writes without a kernel PCA library: Gram matrix by Eigen's product
// and exponential, centring by row means, LAPACK's dsyevr for the top eigenpairs.

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "bench/peers/adapter.h"
#include "bench/peers/npy.h"

// NOLINTNEXTLINE(readability-identifier-naming): LAPACK's name
extern "C" void dsyevr_(const char* jobz, const char* range, const char* uplo, const int* n,
                        double* a, const int* lda, const double* vl, const double* vu,
                        const int* il, const int* iu, const double* abstol, int* m, double* w,
                        double* z, const int* ldz, int* isuppz, double* work, const int* lwork,
                        int* iwork, const int* liwork, int* info);

namespace {

using Points = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::MatrixXd centred_gram(const Points& x, double gamma) {
  const Eigen::Index n = x.rows();
  Eigen::MatrixXd k = x * x.transpose();
  const Eigen::VectorXd squares = k.diagonal();
#pragma omp parallel for
  for (Eigen::Index j = 0; j < n; ++j) {
    k.col(j) =
        (-gamma * (squares.array() + squares[j] - 2 * k.col(j).array()).max(0.0)).exp().matrix();
  }
  const Eigen::VectorXd means = k.colwise().mean();
  const double mean = means.mean();
#pragma omp parallel for
  for (Eigen::Index j = 0; j < n; ++j) k.col(j).array() += mean - means[j] - means.array();
  return k;
}

struct Components {
  std::vector<double> eigenvalues;  ///< descending
  Eigen::MatrixXd vectors;
};

Components largest(Eigen::MatrixXd k, int count) {
  const int n = static_cast<int>(k.rows());
  const int first = n - count + 1;
  const double unused = 0;
  int found = 0;
  int info = 0;
  Components result{std::vector<double>(static_cast<std::size_t>(n)), Eigen::MatrixXd(n, count)};
  std::vector<int> support(2 * static_cast<std::size_t>(count));
  std::vector<double> work(1);
  std::vector<int> integer_work(1);
  for (int query : {-1, 0}) {  // first how much workspace, then the eigenpairs
    const int work_size = query < 0 ? -1 : static_cast<int>(work.size());
    const int integer_work_size = query < 0 ? -1 : static_cast<int>(integer_work.size());
    dsyevr_("V", "I", "L", &n, k.data(), &n, &unused, &unused, &first, &n, &unused, &found,
            result.eigenvalues.data(), result.vectors.data(), &n, support.data(), work.data(),
            &work_size, integer_work.data(), &integer_work_size, &info);
    if (info != 0) throw std::runtime_error(fmt::format("dsyevr failed with {}", info));
    if (query < 0) {
      work.resize(static_cast<std::size_t>(work[0]));
      integer_work.resize(static_cast<std::size_t>(integer_work[0]));
    }
  }
  result.eigenvalues.resize(static_cast<std::size_t>(found));
  std::ranges::reverse(result.eigenvalues);
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const auto array = mercer::bench::read_npy(argv[1]);
  const Points x =
      Eigen::Map<const Points>(array.values.data(), static_cast<Eigen::Index>(array.rows),
                               static_cast<Eigen::Index>(array.cols));
  const double gamma = std::stod(argv[2]);
  const int components = std::stoi(argv[3]);
  Eigen::setNbThreads(std::stoi(argv[4]));
  const std::string library =
      fmt::format("Eigen {}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION);
  mercer::bench::serve(
      {{"library", mercer::bench::json_text(library)}},
      [&] { return largest(centred_gram(x, gamma), components); },
      [](const Components& result) { return result.eigenvalues; });
}
