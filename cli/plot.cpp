#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <mercer/data.h>
#include <mercer/error.h>
#include <mercer/kernel.h>
#include <mercer/model.h>

#include "cli/browser.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/plot_page.h"
#include "cli/program.h"
#include "cli/run_flags.h"
#include "cli/scores.h"

namespace mercer::cli {
namespace {

constexpr std::size_t kGridSide = 101;
constexpr std::size_t kMostContours = 6;
constexpr std::size_t kMostClasses = 64;  // as many as the page has colours and shapes for

struct PlotFlags {
  std::vector<std::string> files;
  std::string output;
  std::string png;
  std::string title;
  std::string components;
  std::string label_column;
  std::string labels_file;
  std::size_t max_points = 10000;
  std::optional<std::size_t> contours;
  RunFlags run;

  const std::string& model() const { return files[0]; }
  bool has_data() const { return files.size() > 1; }
  const std::string& data() const { return files[1]; }
};

/// Mistakes that can be seen before anything is read.
void check(const PlotFlags& flags) {
  if (flags.files.size() > 2)
    throw UsageError(fmt::format("unexpected argument '{}': a model and a table are all there is",
                                 flags.files[2]));
  if (flags.output.empty() && flags.png.empty())
    throw UsageError("nowhere to write: give -o FILE.html, --png FILE.png or both");
  if (flags.max_points == 0) throw UsageError("--max-points is 0: no point would be drawn");
  const char* of_rows = !flags.components.empty()     ? "--components"
                        : !flags.label_column.empty() ? "--label-column"
                        : !flags.labels_file.empty()  ? "--labels"
                        : flags.contours              ? "--contours"
                                                      : nullptr;
  if (!flags.has_data() && of_rows != nullptr)
    throw UsageError(fmt::format("{} is about rows: name the data after the model", of_rows));
  std::vector<std::filesystem::path> others{flags.files.begin(), flags.files.end()};
  if (!flags.labels_file.empty()) others.emplace_back(flags.labels_file);
  for (const std::string& path : {flags.output, flags.png}) {
    if (path.empty()) continue;
    require_other_file(path, others);
    require_writable(path);
    others.emplace_back(path);
  }
}

std::size_t parse_component(std::string_view text, const std::string& all, std::size_t count) {
  std::size_t component = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), component);
  if (error != std::errc{} || end != text.data() + text.size())
    throw UsageError(fmt::format("--components takes two numbers, such as 1,2, and not '{}'", all));
  if (component == 0 || component > count)
    throw UsageError(
        fmt::format("there is no component {}: the model has 1 to {}", component, count));
  return component - 1;
}

/// The two components to be drawn against each other.
std::array<std::size_t, 2> chosen_components(const std::string& text, std::size_t count) {
  if (count < 2)
    throw UsageError(
        "the model has one component, and a scatter needs two; without data the plot shows what "
        "the component explains");
  if (text.empty()) return {0, 1};
  const std::size_t comma = text.find(',');
  const std::string_view first = std::string_view(text).substr(0, comma);
  const std::string_view second =
      comma == std::string::npos ? "" : std::string_view(text).substr(comma + 1);
  const std::array chosen{parse_component(first, text, count),
                          parse_component(second, text, count)};
  if (chosen[0] == chosen[1])
    throw UsageError(fmt::format("--components {} names one component twice", text));
  return chosen;
}

/// Rows drawn at random, all with the same probability.
struct Sample {
  Matrix<double> points;
  std::vector<std::size_t> rows;  ///< where they stand in the table
  std::size_t rows_of_all = 0;
};

/// One pass over the rows, in the memory of those that are kept: Vitter's Algorithm R.
Sample sample_rows(const PlotFlags& flags, const Model& model, ProgressBar& bar) {
  const auto source = open_new_rows(flags.data(), model, flags.run);
  std::mt19937_64 random(flags.run.seed);
  Sample sample;
  std::vector<double> kept;
  for_each_block(model, *source, "read", bar, [&](MatrixView<const double> block) {
    for (std::size_t i = 0; i < block.rows(); ++i) {
      const std::size_t row = sample.rows_of_all++;
      if (sample.rows.size() < flags.max_points) {
        sample.rows.push_back(row);
        kept.insert(kept.end(), block.row(i).begin(), block.row(i).end());
      } else if (const std::size_t place = random() % (row + 1); place < flags.max_points) {
        sample.rows[place] = row;
        std::ranges::copy(block.row(i),
                          kept.begin() + static_cast<std::ptrdiff_t>(place * block.cols()));
      }
    }
  });
  sample.points = Matrix<double>::uninitialized(sample.rows.size(), source->cols());
  for (std::size_t i = 0; i < sample.rows.size(); ++i)
    std::copy_n(kept.begin() + static_cast<std::ptrdiff_t>(i * source->cols()), source->cols(),
                sample.points.row(i).begin());
  return sample;
}

std::vector<std::size_t> used_columns(const ColumnRules& rules) {
  std::vector<std::size_t> used;
  for (std::size_t j = 0; j < rules.table_columns; ++j)
    if (std::ranges::find(rules.left_out, j) == rules.left_out.end()) used.push_back(j);
  return used;
}

ColumnName at_position(std::size_t position) {
  ColumnName column;
  column.kind = ColumnName::Kind::position;
  column.position = position;
  return column;
}

std::size_t label_position(const ColumnName& column, const std::string& text,
                           const ColumnRules& rules) {
  std::size_t position = column.position;
  if (column.kind == ColumnName::Kind::first) position = 0;
  if (column.kind == ColumnName::Kind::last) position = rules.table_columns - 1;
  if (column.kind == ColumnName::Kind::name)
    position =
        static_cast<std::size_t>(std::ranges::find(rules.names, column.name) - rules.names.begin());
  if (std::ranges::find(rules.left_out, position) == rules.left_out.end())
    throw UsageError(fmt::format(
        "--label-column {}: the model has no such column among those that it leaves out "
        "(mercer info shows them)",
        text));
  return position;
}

/// Labels of a column that the model leaves out. Of the others only one is read along, because a
/// table has to have points.
Labels column_labels(const PlotFlags& flags, const ColumnRules& rules) {
  TableOptions options;
  options.memory_limit_bytes = flags.run.memory_limit_bytes();
  options.cancelled = interrupted;
  if (rules.left_out.empty()) {
    options.rules = rules;
    Labels labels = read_table(flags.data(), options).labels;  // LIBSVM has them in every line
    if (labels.empty())
      throw UsageError(
          "the model uses every column, so that none can hold labels; --labels FILE takes them "
          "from a file of their own");
    return labels;
  }
  options.label = ColumnName::parse(flags.label_column);
  const std::size_t label = label_position(options.label, flags.label_column, rules);
  const std::size_t read_along = used_columns(rules).at(0);
  for (std::size_t j = 0; j < rules.table_columns; ++j)
    if (j != label && j != read_along) options.ignore.push_back(at_position(j));
  if (std::ranges::find(rules.one_hot, read_along, &ColumnRules::OneHot::column) !=
      rules.one_hot.end())
    options.one_hot.push_back(at_position(read_along));
  return read_table(flags.data(), options).labels;
}

Labels sampled_labels(const PlotFlags& flags, const ColumnRules& rules, const Sample& sample) {
  if (flags.labels_file.empty() && flags.label_column.empty()) return {};
  const Labels all =
      flags.labels_file.empty() ? column_labels(flags, rules) : read_labels(flags.labels_file);
  const std::string& where = flags.labels_file.empty() ? flags.data() : flags.labels_file;
  if (all.code.size() != sample.rows_of_all)
    throw DataError(fmt::format("{} has {} labels, but {} has {} rows", where, all.code.size(),
                                flags.data(), sample.rows_of_all));
  if (all.names.size() > kMostClasses)
    throw DataError(fmt::format("the labels of {} name {} classes; at most {} can be told apart",
                                where, all.names.size(), kMostClasses));
  Labels labels{.code = {}, .names = all.names};
  for (const std::size_t row : sample.rows) labels.code.push_back(all.code[row]);
  return labels;
}

/// Whether the rows of the model are points of a plane, all of which it can be applied to.
bool takes_a_plane(const Model& model) {
  return model.input_columns() == 2 && model.input().columns.one_hot.empty() &&
         kernel_name(model.kernel()) != "precomputed";
}

std::size_t contour_count(const PlotFlags& flags, const Model& model) {
  if (takes_a_plane(model))
    return std::min(flags.contours.value_or(kMostContours), model.components());
  if (flags.contours.value_or(0) > 0)
    throw UsageError(
        fmt::format("contours need points of two columns, of numbers; those of the model have {}",
                    model.input_columns()));
  return 0;
}

std::array<std::string, 2> axis_names(const ColumnRules& rules) {
  if (rules.names.empty()) return {"first column", "second column"};
  const std::vector<std::size_t> used = used_columns(rules);
  return {rules.names[used[0]], rules.names[used[1]]};
}

PlotContours contours_over(const Model& model, const Matrix<double>& points, std::size_t components,
                           const RunOptions& run) {
  PlotContours contours{.axes = axis_names(model.input().columns),
                        .side = kGridSide,
                        .values = {},
                        .components = components,
                        .points = points};
  // Kernels of histograms are not defined below zero, where the room around the points may lie.
  const double room = kernel_name(model.kernel()).ends_with("chi2") ? 0 : 0.08;
  for (std::size_t j = 0; j < 2; ++j) {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (std::size_t i = 0; i < points.rows(); ++i) {
      low = std::min(low, points(i, j));
      high = std::max(high, points(i, j));
    }
    const double width = high > low ? high - low : 1;
    contours.low[j] = low - room * width;
    contours.high[j] = low + (1 + room) * width;
  }
  auto grid = Matrix<double>::uninitialized(kGridSide * kGridSide, 2);
  for (std::size_t i = 0; i < grid.rows(); ++i) {
    const std::array place{i % kGridSide, i / kGridSide};
    for (std::size_t j = 0; j < 2; ++j) {
      const double share = static_cast<double>(place[j]) / (kGridSide - 1);
      grid(i, j) = contours.low[j] + share * (contours.high[j] - contours.low[j]);
    }
  }
  contours.values = model.transform(grid, run);
  return contours;
}

std::string default_title(const PlotFlags& flags) {
  const auto name = [](const std::string& path) {
    return std::filesystem::path(path).filename().string();
  };
  return flags.has_data() ? fmt::format("{} on {}", name(flags.model()), name(flags.data()))
                          : name(flags.model());
}

void add_rows(Plot& plot, const PlotFlags& flags, const Model& model) {
  const std::size_t contours = contour_count(flags, model);
  const auto components = chosen_components(flags.components, model.components());
  ProgressBar bar(!flags.run.quiet);
  const RunOptions run = flags.run.options(bar);
  Sample sample = sample_rows(flags, model, bar);
  if (sample.rows.empty()) throw DataError(fmt::format("{} has no rows", flags.data()));
  Labels labels = sampled_labels(flags, model.input().columns, sample);
  plot.scatter = PlotScatter{.components = components,
                             .scores = model.transform(sample.points, run),
                             .labels = std::move(labels),
                             .rows_of_all = sample.rows_of_all};
  if (contours > 0) plot.contours = contours_over(model, sample.points, contours, run);
  bar.clear();
}

std::string account(const Plot& plot) {
  std::string text = "what the components explain";
  if (plot.scatter)
    text += fmt::format(", components {} and {} of {} rows", plot.scatter->components[0] + 1,
                        plot.scatter->components[1] + 1, plot.scatter->scores.rows());
  if (plot.scatter && plot.scatter->scores.rows() < plot.scatter->rows_of_all)
    text += fmt::format(" drawn from {}", plot.scatter->rows_of_all);
  if (plot.contours) text += fmt::format(", contours of {}", plot.contours->components);
  return text;
}

void run(const PlotFlags& flags) {
  check(flags);
  const auto browser =
      flags.png.empty() ? std::nullopt : std::optional<std::filesystem::path>(find_browser());
  const Model model = Model::load(flags.model());
  Plot plot{.title = flags.title.empty() ? default_title(flags) : flags.title,
            .summary = model.summary(),
            .scatter = std::nullopt,
            .contours = std::nullopt};
  if (flags.has_data()) {
    add_rows(plot, flags, model);
  } else if (plot.summary.eigenvalues.empty() && plot.summary.gains.empty()) {
    throw UsageError(
        fmt::format("{} has no eigenvalues to show; name data after the model", flags.model()));
  }
  throw_if_interrupted();
  const std::string page = plot_page(plot);
  if (browser) write_text(flags.png, picture_of_page(page, *browser));
  if (!flags.output.empty()) write_text(flags.output, page);
  if (flags.run.quiet) return;
  for (const std::string& path : {flags.output, flags.png})
    if (!path.empty()) fmt::print("{}: {}\n", path, account(plot));
}

}  // namespace

void add_plot(Program& program) {
  auto flags = std::make_shared<PlotFlags>();
  Arguments arguments = program.add(
      {.name = "plot",
       .help = "Draw what a model sees in data: components, variance, contours",
       .examples =
           "  mercer plot points.mercer -o plot.html\n"
           "  mercer plot points.mercer points.csv --label-column last -o plot.html\n"
           "  mercer plot rings.mercer rings.csv --labels classes.txt --png rings.png\n\n"
           "The first file is the model, the second, which may be left out, the data. With the\n"
           "model alone the page shows what its components explain; with data also two components\n"
           "of the rows, and where rows have two columns, contours of the components over the\n"
           "plane. Columns are read as they were for the fit.",
       .run = [flags] { run(*flags); }});
  arguments.positionals("FILES", flags->files,
                        "MODEL or MODEL DATA: a .mercer file, from mercer fit, and rows to draw: "
                        "csv, npy, libsvm, idx, images");
  arguments.option("-o,--output", "FILE", flags->output, "Write a page for any browser: .html");
  arguments.option("--png", "FILE", flags->png,
                   "Write a picture of that page, by Chromium or Google Chrome (found in PATH, or "
                   "named by MERCER_BROWSER)");
  arguments.option("--title", "TEXT", flags->title, "Above it all (default: names of the files)");
  flags->run.add_quiet(arguments, "Print nothing");
  arguments.group("Rows");
  arguments.option("--components", "I,J", flags->components,
                   "Which two to draw against each other, counted from 1 (default 1,2)");
  const Argument label = arguments.option(
      "--label-column", "COLUMN", flags->label_column,
      "Colours by a column that the model leaves out: first, last, a number, a header name");
  arguments
      .option("--labels", "FILE", flags->labels_file,
              "Colours by classes from a file of their own: npy, idx, text")
      .excludes(label);
  arguments.option("--max-points", "N", flags->max_points,
                   "Draw so many rows, chosen at random, where there are more (default 10000)");
  arguments.option("--contours", "K", flags->contours,
                   "Contours of the first K components, for rows of two columns (default 6)");
  arguments.group("Running");
  flags->run.add_threads_and_memory(arguments);
  flags->run.add_seed(arguments);
}

}  // namespace mercer::cli
