#include <fmt/format.h>

#include <mercer/error.h>
#include <mercer/files.h>

#include "model/container.h"

namespace mercer {

FileKind file_kind(const std::filesystem::path& path) {
  const auto [kind, metadata] = model::read_head(path);
  if (kind == "model") return FileKind::model;
  if (kind == "accumulator") return FileKind::landmark_part;
  if (kind == "cover") return FileKind::cover;
  if (kind == "distance") return FileKind::distance;
  if (kind == "block") {
    return metadata.contains("stream") ? FileKind::stream : FileKind::block;
  }
  throw FileError(fmt::format("{}: holds a '{}', which this version of mercer does not know",
                              path.string(), kind));
}

}  // namespace mercer
