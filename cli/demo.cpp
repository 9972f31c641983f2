#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include <mercer/data.h>
#include <mercer/error.h>
#include <mercer/exact.h>
#include <mercer/generate.h>
#include <mercer/model.h>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/program.h"
#include "cli/run_flags.h"
#include "cli/scatter_plot.h"

namespace mercer::cli {
namespace {

constexpr std::size_t kRows = 1000;

/// Removed with everything in it, also when the demo is interrupted.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "mercer-demo-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw FileError(fmt::format("cannot create a temporary folder '{}': {}", name,
                                  std::generic_category().message(errno)));
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

Labels ring_labels(const std::vector<std::size_t>& codes) {
  Labels labels{.code = codes, .names = {}};
  for (const std::size_t code : codes)
    while (labels.names.size() <= code)
      labels.names.push_back(fmt::format("ring {}", labels.names.size() + 1));
  return labels;
}

void say_command(const std::string& text) {
  fmt::print("\n$ {}\n", text);
}

void run(const RunFlags& flags) {
  const TemporaryFolder folder;
  ScatterOptions picture{.width = 64, .height = 18, .color = isatty(STDOUT_FILENO) == 1};

  fmt::print(
      "Rings inside each other cannot be told apart by any straight line. Kernel PCA with a\n"
      "gaussian kernel finds coordinates in which they can.\n");
  say_command(fmt::format("mercer generate rings -o rings.csv --n {} --labels classes.txt", kRows));
  const Generated rings = generate("rings", {.n = kRows});
  const Labels labels = ring_labels(rings.labels);
  write_points(folder / "rings.csv", rings.points, {"x1", "x2"});
  picture.x_name = "x1";
  picture.y_name = "x2";
  fmt::print("{}", scatter_plot(rings.points, labels, picture));

  say_command("mercer fit rings.csv -o rings.mercer --gamma 0.2 --components 4");
  ProgressBar bar(true);
  const RunOptions run_options = flags.options(bar);
  const Table table = read_table(folder / "rings.csv");
  ExactOptions options;
  options.components = 4;
  Fit fit = fit_exact(table.points, Gaussian{.gamma = 0.2}, options, run_options);
  bar.clear();
  fit.model.with_input({.columns = table.rules}).save(folder / "rings.mercer");
  fmt::print("{}\n", fit.summary.full());

  say_command("mercer transform rings.mercer rings.csv -o z.csv");
  throw_if_interrupted();
  const Model model = Model::load(folder / "rings.mercer");
  picture.x_name = "component 1";
  picture.y_name = "component 2";
  fmt::print("{}", scatter_plot(model.transform(table.points, run_options), labels, picture));

  fmt::print(
      "\nTry next, with a table of your own (csv, npy, libsvm, idx, a folder of images):\n"
      "  mercer fit table.csv -o table.mercer --label-column last --standardize --plot\n"
      "  mercer transform table.mercer new.csv -o z.npy\n"
      "  mercer fit --help\n");
}

}  // namespace

void add_demo(Program& program) {
  auto flags = std::make_shared<RunFlags>();
  Arguments arguments = program.add({.name = "demo",
                                     .help = "Show kernel PCA at work on a small example",
                                     .examples = "  mercer demo",
                                     .heavy = true,
                                     .run = [flags] { run(*flags); }});
  flags->add_threads_and_memory(arguments);
}

}  // namespace mercer::cli
