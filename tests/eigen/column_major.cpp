// Must not compile: the test looks for the message of the static_assert.
#include <mercer/eigen.h>

int main() {
  const Eigen::MatrixXd column_major(2, 2);
  return static_cast<int>(mercer::as_matrix_view(column_major).rows());
}
