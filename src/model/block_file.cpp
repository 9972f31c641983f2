#include "model/block_file.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <mercer/error.h>

#include "model/container_parts.h"
#include "model/strict_json.h"

namespace mercer::model {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kKind = "block";

bool not_negative(double value) {
  return value >= 0 && std::isfinite(value);
}

bool fits_together(const BlockNumbers& block) {
  const ColumnScaling& scaling = block.input.scaling;
  const std::size_t terms = block.linear() ? block.columns : block.library.rows();
  const std::size_t components = block.singular_values.size();
  return block.columns > 0 && block.terms() == terms && block.components.rows() == terms &&
         (block.library.rows() == 0 ||
          (!block.linear() && block.library.cols() == block.columns)) &&
         block.components.cols() == components && block.mean_scores.size() == components &&
         std::ranges::all_of(block.singular_values, [](double s) { return s > 0; }) &&
         std::ranges::is_sorted(block.singular_values, std::greater<>{}) &&
         scaling.shift.size() == scaling.multiply.size() &&
         (scaling.empty() || scaling.shift.size() == block.columns) &&
         (block.rows == 0) == (block.weight == 0) && not_negative(block.weight) &&
         not_negative(block.mean_norm2) && not_negative(block.trace) &&
         not_negative(block.residual) && not_negative(block.lost) &&
         not_negative(block.lost_mean) && not_negative(block.deviation);
}

}  // namespace

void write_block(const std::filesystem::path& path, const BlockNumbers& block,
                 const std::optional<std::string>& stream) {
  if (std::holds_alternative<Custom>(block.kernel)) {
    throw InvalidArgument(
        "a block over a custom kernel cannot be saved: no file can hold its function");
  }
  std::map<std::string, std::string> metadata{
      {"kernel", kernel_json(block.kernel)},
      {"method", "partitioned"},
      {"scalars", Json{{"columns", block.columns},
                       {"centered", block.centered},
                       {"mean_norm2", block.mean_norm2},
                       {"rows", block.rows},
                       {"total_weight", block.weight},
                       {"trace", block.trace},
                       {"residual", block.residual},
                       {"lost", block.lost},
                       {"lost_mean", block.lost_mean},
                       {"deviation", block.deviation},
                       {"kernel_evaluations", block.kernel_evaluations}}
                      .dump()}};
  if (stream) metadata["stream"] = *stream;
  // Tensors without entries are left out: one point has no components, a linear kernel no library.
  std::vector<TensorView> tensors;
  const auto add = [&](const TensorView& tensor) {
    if (!tensor.values.empty()) tensors.push_back(tensor);
  };
  add(as_tensor("library", block.library));
  add(as_tensor("components", block.components));
  add(as_tensor("singular_values", block.singular_values));
  add(as_tensor("mean_coefficients", block.mean_coefficients));
  add(as_tensor("mean_scores", block.mean_scores));
  add_input(block.input, metadata, tensors);
  write_container(path, kKind, metadata, tensors);
}

BlockFile read_block(const std::filesystem::path& path) {
  return block_from_container(read_container(path), path.string());
}

BlockFile block_from_container(Container container, const std::string& file) {
  BlockFile result;
  if (const auto it = container.metadata.find("stream"); it != container.metadata.end()) {
    result.stream = it->second;
  }
  ContainerReader reader(std::move(container), kKind, file);
  BlockNumbers& block = result.block;
  block.kernel = reader.kernel();
  const bool unusable = std::holds_alternative<Custom>(block.kernel) ||
                        std::holds_alternative<Precomputed>(block.kernel);
  if (unusable || (!result.stream && !is_resolved(block.kernel))) {
    throw FileError(fmt::format("{}: the kernel is not one of a block", reader.file()));
  }
  block.input = reader.input();
  block.library = reader.matrix("library");
  block.components = reader.matrix("components");
  block.singular_values = reader.vector("singular_values");
  block.mean_coefficients = reader.vector("mean_coefficients");
  block.mean_scores = reader.vector("mean_scores");
  const Json scalars = reader.parse("scalars");
  const ObjectReader numbers(scalars, reader.file() + ": scalars");
  block.columns = numbers.count("columns");
  block.centered = numbers.flag("centered");
  block.mean_norm2 = numbers.number("mean_norm2");
  block.rows = numbers.count("rows");
  block.weight = numbers.number("total_weight");
  block.trace = numbers.number("trace");
  block.residual = numbers.number("residual");
  block.lost = numbers.number("lost");
  block.lost_mean = numbers.number("lost_mean");
  block.deviation = numbers.number("deviation");
  block.kernel_evaluations = numbers.count("kernel_evaluations");
  reader.require_all_taken();
  if (block.components.empty()) block.components = Matrix<double>(block.terms(), 0);
  if (!fits_together(block)) {
    throw FileError(fmt::format("{}: the numbers of the block do not fit together", reader.file()));
  }
  return result;
}

}  // namespace mercer::model
