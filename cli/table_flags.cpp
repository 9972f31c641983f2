#include "cli/table_flags.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "cli/interrupt.h"

namespace mercer::cli {
namespace {

/// How many there are, which may take a pass over them.
std::size_t counted_rows(RowSource& rows) {
  constexpr std::size_t kRows = 4096;
  std::size_t count = 0;
  if (const auto known = rows.rows()) return *known;
  rows.rewind();
  while (const auto block = rows.next(kRows)) {
    throw_if_interrupted();
    count += block->rows();
  }
  return count;
}

}  // namespace

void TableFlags::add(Arguments& arguments) {
  arguments.group("Columns (numbered from 1)");
  const Argument label = arguments.option(
      "--label-column", "COLUMN", label_column,
      "Classes, kept apart from the data: first, last, a number, a header name, none (default)");
  arguments
      .option("--labels", "FILE", labels_file, "Classes from a file of their own: npy, idx, text")
      .excludes(label);
  arguments.option("--ignore-columns", "LIST", ignore_columns,
                   "Columns to leave out, e.g. 2,5-7,age");
  arguments.option("--one-hot", "LIST", one_hot,
                   "Columns of categories; each becomes one 0/1 column per category");
  arguments.option("--sample-weight-column", "COLUMN", weight_column,
                   "Positive weights of the rows, kept apart from the data");

  arguments.group("Scaling (kept in the model)");
  const Argument scale_option =
      arguments
          .option("--scale", "HOW", scale,
                  "none (default), standard (mean 0, deviation 1), minmax (to [-1, 1])")
          .one_of({"none", "standard", "minmax"});
  const Argument standardize_option =
      arguments.flag("--standardize", standardize, "The same as --scale standard")
          .excludes(scale_option);
  // Standardising undoes any shift and factor, so asking for both is a mistake.
  arguments.option("--shift", "A", shift, "Use (x + A) * B with --multiply B (default 1)")
      .excludes(scale_option)
      .excludes(standardize_option);
  arguments.option("--multiply", "B", multiply, "Use (x + A) * B with --shift A (default 0)")
      .excludes(scale_option)
      .excludes(standardize_option);
  projection.add(arguments);
}

TableOptions TableFlags::options(std::size_t memory_limit_bytes) const {
  TableOptions options;
  options.label = ColumnName::parse(label_column);
  options.weight = ColumnName::parse(weight_column);
  if (!ignore_columns.empty()) options.ignore = parse_columns(ignore_columns);
  if (!one_hot.empty()) options.one_hot = parse_columns(one_hot);
  options.memory_limit_bytes = memory_limit_bytes;
  options.cancelled = interrupted;
  return options;
}

ColumnScaling TableFlags::scaling(MatrixView<const double> points) const {
  if (standardize || scale == "standard") return standard_scaling(points);
  if (scale == "minmax") return minmax_scaling(points);
  return fixed(points.cols());
}

ColumnScaling TableFlags::scaling(RowSource& rows) const {
  if (standardize || scale == "standard") return standard_scaling(rows);
  if (scale == "minmax") return minmax_scaling(rows);
  return fixed(rows.cols());
}

InputMaps TableFlags::maps(ColumnRules rules, MatrixView<const double> rows,
                           const RunOptions& run) const {
  return {.columns = std::move(rules),
          .scaling = scaling(rows),
          .projection = projection.projection(rows.cols(), rows.rows(), run)};
}

InputMaps TableFlags::maps(ColumnRules rules, RowSource& rows, const RunOptions& run) const {
  ColumnScaling of_columns = scaling(rows);
  std::optional<std::size_t> count;
  if (projection.needs_count()) count = counted_rows(rows);
  return {.columns = std::move(rules),
          .scaling = std::move(of_columns),
          .projection = projection.projection(rows.cols(), count, run)};
}

InputMaps TableFlags::maps_of_part(ColumnRules rules, RowSource& rows,
                                   const RunOptions& run) const {
  return {.columns = std::move(rules),
          .scaling = scaling(rows),
          .projection = projection.projection(rows.cols(), std::nullopt, run)};
}

ColumnScaling TableFlags::fixed(std::size_t columns) const {
  if (!shift && !multiply) return {};
  return fixed_scaling(columns, shift.value_or(0), multiply.value_or(1));
}

std::vector<const char*> TableFlags::given_rules() const {
  std::vector<const char*> options;
  const auto add = [&](bool is_given, const char* option) {
    if (is_given) options.push_back(option);
  };
  add(label_column != "none", "--label-column");
  add(!ignore_columns.empty(), "--ignore-columns");
  add(!one_hot.empty(), "--one-hot");
  add(standardize, "--standardize");
  add(scale != "none", "--scale");
  add(shift.has_value(), "--shift");
  add(multiply.has_value(), "--multiply");
  std::ranges::copy(projection.given(), std::back_inserter(options));
  return options;
}

}  // namespace mercer::cli
