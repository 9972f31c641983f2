// mercer POINTS.npy GAMMA COMPONENTS THREADS

#include <string>

#include <mercer/mercer.h>

#include "bench/peers/mercer_facts.h"

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const auto table = mercer::read_table(argv[1]);
  const mercer::Gaussian kernel{.gamma = std::stod(argv[2])};
  const mercer::ExactOptions options{.components = std::stoul(argv[3])};
  const mercer::RunOptions run{.threads = std::stoul(argv[4])};
  mercer::bench::serve(
      mercer::bench::mercer_facts(),
      [&] { return mercer::fit_exact(table.points, kernel, options, run); },
      [](const mercer::Fit& fit) { return fit.summary.eigenvalues; });
}
