#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <mercer/matrix.h>

namespace mercer::model {

// The one file format of mercer (docs/model_file.md): the safetensors layout, with metadata that
// says what the tensors are and a checksum over every byte.

/// The newest version that is read, and the one that is written.
inline constexpr int kFormatVersion = 1;

/// Numbers to be written. Kept by reference: they may be larger than what memory holds twice.
struct TensorView {
  std::string name;
  std::vector<std::size_t> shape;
  std::span<const double> values;  ///< row-major, as many as the shape says
};

/// Numbers that were read: the first entry of the shape as rows, the product of the others as
/// columns (one for a vector).
struct Tensor {
  std::vector<std::size_t> shape;
  Matrix<double> values;
};

struct Container {
  std::string kind;                             ///< "model", "cover", ...
  std::map<std::string, std::string> metadata;  ///< without version, kind and checksum
  std::map<std::string, Tensor> tensors;
};

/// Throws InvalidArgument when a text is not UTF-8 or the metadata are too large to be read again,
/// FileError when the file cannot be written.
void write_container(const std::filesystem::path& path, const std::string& kind,
                     const std::map<std::string, std::string>& metadata,
                     const std::vector<TensorView>& tensors);

/// Reads and checks everything: sizes before anything is allocated, then version, checksum and that
/// all numbers are finite. Throws FileError.
Container read_container(const std::filesystem::path& path);

/// What a file says of itself.
struct FileHead {
  std::string kind;
  std::map<std::string, std::string> metadata;  ///< without version, kind and checksum
};

/// From the header alone: the rest is not looked at. Throws FileError.
FileHead read_head(const std::filesystem::path& path);

/// The same as read_container from memory; `name` stands for the file in messages.
Container parse_container(std::span<const std::byte> bytes, const std::string& name);

}  // namespace mercer::model
