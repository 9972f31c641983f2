// mercer POINTS.npy GAMMA COMPONENTS LANDMARKS THREADS SELECTION PRECISION
//
// SELECTION: uniform, or default for mercer's own choice. PRECISION: double or float.

#include <string>
#include <string_view>
#include <vector>

#include <mercer/mercer.h>

#include "bench/peers/mercer_facts.h"

int main(int argc, char** argv) {
  if (argc != 8) return 2;
  const auto table = mercer::read_table(argv[1]);
  const mercer::Gaussian kernel{.gamma = std::stod(argv[2])};
  const mercer::RunOptions run{.threads = std::stoul(argv[5])};
  const bool uniform = argv[6] == std::string_view("uniform");
  const mercer::LandmarkOptions options{
      .components = std::stoul(argv[3]),
      .precision = argv[7] == std::string_view("float") ? mercer::Precision::float32
                                                        : mercer::Precision::float64,
      .landmarks = std::stoul(argv[4]),
      .selection = uniform ? mercer::Selection::uniform : mercer::Selection::automatic};
  mercer::bench::serve(
      mercer::bench::mercer_facts(),
      [&] { return mercer::fit_landmarks(table.points, kernel, options, run); },
      // Runs with the same landmarks can be compared by their scores too.
      [&](const mercer::Fit& fit) {
        std::vector<double> values = fit.summary.eigenvalues;
        if (!uniform) return values;
        const auto scores = fit.model.transform(table.points.view().rows_from(0, 1000), run);
        values.insert(values.end(), scores.data(), scores.data() + scores.size());
        return values;
      });
}
