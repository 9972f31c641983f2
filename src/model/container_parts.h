#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <mercer/input.h>
#include <mercer/kernel.h>
#include <mercer/matrix.h>

#include "model/container.h"

namespace mercer::model {

// What containers of every kind have in common: kernels, rules for columns, tensors by name.

std::string kernel_json(const Kernel& kernel);
std::string columns_json(const ColumnRules& rules);
TensorView as_tensor(const char* name, const Matrix<double>& matrix);
TensorView as_tensor(const char* name, const std::vector<double>& values);

/// Adds the column rules, the scaling and the projection, where there are any.
void add_input(const InputMaps& input, std::map<std::string, std::string>& metadata,
               std::vector<TensorView>& tensors);

/// A checked container, taken apart member by member. Messages begin with the file's name.
class ContainerReader {
 public:
  /// Throws FileError when the container is of another kind.
  ContainerReader(Container container, const char* kind, std::string file);

  const std::string& file() const { return file_; }
  const std::string& metadata(const char* key) const;
  nlohmann::ordered_json parse(const char* key) const;
  /// A custom kernel comes back without its function.
  Kernel kernel() const;
  InputMaps input();

  /// Move a tensor out, or give nothing when the file has none of that name.
  Matrix<double> matrix(const char* name) { return take(name, 2); }
  std::vector<double> vector(const char* name);
  /// Throws FileError when tensors are left that nobody took.
  void require_all_taken() const;

 private:
  Matrix<double> take(const char* name, std::size_t dimensions);
  ColumnRules column_rules() const;

  Container container_;
  std::string file_;
};

}  // namespace mercer::model
