#include "model/cover_file.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <mercer/error.h>

#include "model/container_parts.h"
#include "model/input_maps.h"
#include "model/strict_json.h"

namespace mercer::model {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kKind = "cover";

bool fits_together(const CoverNumbers& cover) {
  const auto not_negative = [](double value) { return value >= 0 && std::isfinite(value); };
  return cover.columns > 0 && cover.weights.size() == cover.centres.rows() &&
         (cover.centres.rows() == 0 || cover.centres.cols() == cover.columns) &&
         std::ranges::all_of(cover.weights, not_negative) && not_negative(cover.radius) &&
         cover.reach >= cover.radius && not_negative(cover.weight) &&
         not_negative(cover.squared_distance) && not_negative(cover.feature_distance) &&
         not_negative(cover.operator_distance);
}

}  // namespace

void write_cover(const std::filesystem::path& path, const CoverNumbers& cover) {
  std::map<std::string, std::string> metadata{
      {"kernel", kernel_json(cover.kernel)},
      {"method", "shadow"},
      {"scalars", Json{{"columns", cover.columns},
                       {"radius", cover.radius},
                       {"reach", cover.reach},
                       {"rows", cover.rows},
                       {"total_weight", cover.weight},
                       {"squared_distance", cover.squared_distance},
                       {"feature_distance", cover.feature_distance},
                       {"operator_distance", cover.operator_distance}}
                      .dump()}};
  std::vector<TensorView> tensors;
  if (!cover.weights.empty()) {
    tensors = {as_tensor("centers", cover.centres), as_tensor("weights", cover.weights)};
  }
  add_input(cover.input, metadata, tensors);
  write_container(path, kKind, metadata, tensors);
}

CoverNumbers read_cover(const std::filesystem::path& path) {
  return cover_from_container(read_container(path), path.string());
}

CoverNumbers cover_from_container(Container container, const std::string& file) {
  ContainerReader reader(std::move(container), kKind, file);
  CoverNumbers cover;
  cover.kernel = reader.kernel();
  if (!is_resolved(cover.kernel)) {
    throw FileError(fmt::format("{}: the kernel lacks a parameter", reader.file()));
  }
  cover.input = reader.input();
  cover.centres = reader.matrix("centers");
  cover.weights = reader.vector("weights");
  const Json scalars = reader.parse("scalars");
  const ObjectReader numbers(scalars, reader.file() + ": scalars");
  cover.columns = numbers.count("columns");
  cover.radius = numbers.number("radius");
  cover.reach = numbers.number("reach");
  cover.rows = numbers.count("rows");
  cover.weight = numbers.number("total_weight");
  cover.squared_distance = numbers.number("squared_distance");
  cover.feature_distance = numbers.number("feature_distance");
  cover.operator_distance = numbers.number("operator_distance");
  reader.require_all_taken();
  if (!fits_together(cover)) {
    throw FileError(fmt::format("{}: the numbers of the cover do not fit together", reader.file()));
  }
  check_input_of_file(cover.input, cover.kernel, cover.columns, reader.file());
  return cover;
}

}  // namespace mercer::model
