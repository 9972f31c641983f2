#include "model/part_file.h"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <mercer/error.h>

#include "model/container.h"
#include "model/container_parts.h"
#include "model/input_maps.h"
#include "model/strict_json.h"

namespace mercer::model {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kKind = "accumulator";

}  // namespace

void write_part(const std::filesystem::path& path, const PartNumbers& part) {
  if (std::holds_alternative<Custom>(part.kernel)) {
    throw InvalidArgument(
        "sums over a custom kernel cannot be saved: no file can hold its function");
  }
  std::map<std::string, std::string> metadata{
      {"kernel", kernel_json(part.kernel)},
      {"method", "landmarks"},
      {"scalars", Json{{"total_weight", part.weight},
                       {"rows", part.rows},
                       {"trace", part.trace},
                       {"kernel_evaluations", part.kernel_evaluations},
                       {"of_coordinates", part.of_coordinates}}
                      .dump()}};
  std::vector<TensorView> tensors{as_tensor("library", part.library),
                                  as_tensor("shift", part.shift), as_tensor("sum", part.sum),
                                  as_tensor("triangle", part.triangle)};
  add_input(part.input, metadata, tensors);
  write_container(path, kKind, metadata, tensors);
}

PartNumbers read_part(const std::filesystem::path& path) {
  return part_from_container(read_container(path), path.string());
}

PartNumbers part_from_container(Container container, const std::string& file) {
  ContainerReader reader(std::move(container), kKind, file);
  PartNumbers part;
  part.kernel = reader.kernel();
  if (!is_resolved(part.kernel) || std::holds_alternative<Custom>(part.kernel)) {
    throw FileError(fmt::format("{}: the kernel lacks a parameter", reader.file()));
  }
  part.input = reader.input();
  part.library = reader.matrix("library");
  part.shift = reader.vector("shift");
  part.sum = reader.vector("sum");
  part.triangle = reader.vector("triangle");
  const Json scalars = reader.parse("scalars");
  const ObjectReader numbers(scalars, reader.file() + ": scalars");
  part.weight = numbers.number("total_weight");
  part.rows = numbers.count("rows");
  part.trace = numbers.number("trace");
  part.kernel_evaluations = numbers.count("kernel_evaluations");
  part.of_coordinates = numbers.flag("of_coordinates");
  reader.require_all_taken();
  const std::size_t m = part.library.rows();
  if (m == 0 || part.shift.size() != m || part.sum.size() != m ||
      part.triangle.size() != m * (m + 1) / 2 || !(part.weight >= 0 && part.trace >= 0)) {
    throw FileError(fmt::format("{}: the sums do not fit together", reader.file()));
  }
  check_input_of_file(part.input, part.kernel, part.library.cols(), reader.file());
  return part;
}

}  // namespace mercer::model
