#include "cli/projection_flags.h"

#include <fmt/format.h>

#include <mercer/projection.h>

#include "cli/named_values.h"

namespace mercer::cli {
namespace {

constexpr Names<ProjectionMap, 4> kMaps{{{"signs", ProjectionMap::signs},
                                         {"sparse", ProjectionMap::sparse},
                                         {"coordinates", ProjectionMap::coordinates},
                                         {"rotated", ProjectionMap::rotated}}};

}  // namespace

void ProjectionFlags::add(Arguments& arguments) {
  arguments.group("Random projection (kept in the model)");
  const Argument by_dimensions =
      arguments.option("--project-dim", "S", dimensions,
                       "Map the columns, after the scaling, to S random combinations of them");
  arguments
      .option("--project-error", "E", error,
              "As many as keep all squared distances of rows to a factor 1 +- E, nearly certainly")
      .excludes(by_dimensions);
  arguments
      .option("--project-map", "MAP", map,
              "signs (default), sparse (two thirds zeros), coordinates (just some of the columns) "
              "or rotated (orthonormal directions)")
      .one_of(all_names(kMaps));
}

std::vector<const char*> ProjectionFlags::given() const {
  std::vector<const char*> options;
  if (dimensions) options.push_back("--project-dim");
  if (error) options.push_back("--project-error");
  if (map) options.push_back("--project-map");
  return options;
}

void ProjectionFlags::require_fitting(const Kernel& kernel) const {
  if (map && !is_given())
    throw UsageError("--project-map says how to project; add --project-dim or --project-error");
  if (error && map == "coordinates")
    throw UsageError(
        "columns picked at random keep no distances for certain; give their number by "
        "--project-dim, or choose another --project-map");
  if (is_given()) require_projectable(kernel);
}

ColumnProjection ProjectionFlags::projection(std::size_t columns, std::optional<std::size_t> rows,
                                             const RunOptions& run) const {
  if (!is_given()) return {};
  ProjectionMap chosen = ProjectionMap::signs;
  assign_named(map, kMaps, chosen);
  if (dimensions) return random_projection(columns, *dimensions, chosen, run);
  if (!rows)
    throw UsageError(
        "--project-error needs the number of all rows, and others will follow these: say "
        "--project-dim");
  const std::size_t needed = projection_dimensions(*rows, *error);
  if (needed >= columns)
    throw UsageError(
        fmt::format("an error of {:g} for {} rows takes {} dimensions, and they have {} columns: "
                    "allow more (--project-error), say how many (--project-dim), or do not project",
                    *error, *rows, needed, columns));
  return random_projection(columns, needed, chosen, run);
}

std::optional<Choice> ProjectionFlags::choice(const ColumnProjection& projection) const {
  if (projection.empty()) return std::nullopt;
  return Choice{.what = "projection",
                .value = fmt::format("{} of {} columns, {}", projection.matrix.cols(),
                                     projection.matrix.rows(), map.value_or("signs")),
                .why = error
                           ? fmt::format("squared distances of rows to a factor 1 +- {:g}", *error)
                           : "asked for"};
}

}  // namespace mercer::cli
