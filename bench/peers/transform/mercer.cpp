// mercer POINTS.npy NEW_POINTS.npy GAMMA COMPONENTS THREADS

#include <string>
#include <vector>

#include <mercer/mercer.h>

#include "bench/peers/mercer_facts.h"

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  const auto table = mercer::read_table(argv[1]);
  const auto fresh = mercer::read_table(argv[2]);
  const mercer::RunOptions run{.threads = std::stoul(argv[5])};
  const auto fit = mercer::fit_exact(table.points, mercer::Gaussian{.gamma = std::stod(argv[3])},
                                     {.components = std::stoul(argv[4])}, run);
  mercer::bench::serve(
      mercer::bench::mercer_facts(), [&] { return fit.model.transform(fresh.points, run); },
      [](const mercer::Matrix<double>& scores) {
        std::vector<double> some;
        for (std::size_t i = 0; i < scores.rows(); i += 97) {
          const auto row = scores.row(i);
          some.insert(some.end(), row.begin(), row.end());
        }
        return some;
      });
}
