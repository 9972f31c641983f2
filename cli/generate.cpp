#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>

#include <mercer/data.h>
#include <mercer/error.h>
#include <mercer/generate.h>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/program.h"

namespace mercer::cli {
namespace {

struct GenerateFlags {
  std::string shape;
  std::string output;
  std::string labels;
  std::optional<std::size_t> d;
  GenerateOptions options;
};

std::string shape_list() {
  std::string text = "\nShapes:\n";
  for (const ShapeInfo& shape : shapes())
    text += fmt::format("  {:<14}{} (from {} column{})\n", shape.name, shape.description,
                        shape.min_d, shape.min_d == 1 ? "" : "s");
  return text;
}

std::vector<std::string> shape_names() {
  std::vector<std::string> names;
  for (const ShapeInfo& shape : shapes()) names.push_back(shape.name);
  return names;
}

std::size_t default_columns(const std::string& name) {
  for (const ShapeInfo& shape : shapes())
    if (shape.name == name) return std::max<std::size_t>(2, shape.min_d);
  return 2;
}

void run(const GenerateFlags& flags) {
  GenerateOptions options = flags.options;
  options.d = flags.d.value_or(default_columns(flags.shape));
  const Generated generated = generate(flags.shape, options);
  throw_if_interrupted();
  write_points(flags.output, generated.points, numbered_names("x", options.d));
  if (flags.labels.empty()) return;
  std::string text;
  for (const std::size_t label : generated.labels) text += fmt::format("{}\n", label);
  write_text(flags.labels, text);
}

}  // namespace

void add_generate(Program& program) {
  auto flags = std::make_shared<GenerateFlags>();
  Arguments arguments = program.add(
      {.name = "generate",
       .help = "Write a well-known shape to try things on",
       .examples = "  mercer generate rings -o rings.csv --n 2000 --labels classes.txt\n"
                   "  mercer generate swiss_roll -o roll.npy --n 100000 --noise 0.05 --seed 7\n" +
                   shape_list(),
       .run = [flags] { run(*flags); }});
  arguments.positional("SHAPE", flags->shape, "Which shape, see below").one_of(shape_names());
  arguments.option("-o,--output", "FILE", flags->output, "Where to write: .npy or .csv").required();
  arguments.option("--labels", "FILE", flags->labels,
                   "Also write which part of the shape each point belongs to, one number a line");
  arguments.option("--n", "ROWS", flags->options.n, "Number of points (default 1000)");
  arguments.option("--d", "COLUMNS", flags->d,
                   "Number of columns (default: what the shape needs); more are filled with noise");
  arguments.option("--noise", "S", flags->options.noise,
                   "Standard deviation of the noise in every column (default 0.1)");
  arguments.option("--seed", "S", flags->options.seed, "Start of the random stream (default 0)");
}

}  // namespace mercer::cli
