#pragma once

#include <filesystem>

namespace mercer {

/// What a file that mercer wrote holds.
enum class FileKind {
  model,          ///< Model::load
  landmark_part,  ///< LandmarkPart::load
  cover,          ///< Cover::load
  block,          ///< BlockModel::load
  distance,       ///< SparseDistance::load
  stream,         ///< IncrementalFit::load, and BlockModel::load for its model
};

/// From the beginning of the file; whether the rest is sound is for loading to tell. Throws
/// FileError when mercer did not write the file, or a newer mercer a kind that is unknown here.
FileKind file_kind(const std::filesystem::path& path);

}  // namespace mercer
