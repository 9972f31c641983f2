// gram_adapter POINTS.npy GAMMA THREADS
//
// mercer's side of the task `gram`. It stands here and not in bench/peers because the public
// interface has no function that returns a kernel matrix.

#include <string>
#include <vector>

#include <mercer/mercer.h>

#include "bench/peers/mercer_facts.h"
#include "engine/kernel_matrix.h"
#include "engine/parallel.h"

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const auto table = mercer::read_table(argv[1]);
  const mercer::Kernel kernel = mercer::Gaussian{.gamma = std::stod(argv[2])};
  const mercer::RunOptions run{.threads = std::stoul(argv[3])};
  mercer::bench::serve(
      mercer::bench::mercer_facts(),
      [&] {
        mercer::engine::Workers workers(run);
        return mercer::engine::kernel_matrix(kernel, table.points, table.points, workers);
      },
      // One entry of every row, the same ones that the other adapters report.
      [](const mercer::Matrix<double>& gram) {
        std::vector<double> entries;
        for (std::size_t i = 0; i < gram.rows(); ++i) {
          entries.push_back(gram(i, (31 * i + 7) % gram.cols()));
        }
        return entries;
      });
}
