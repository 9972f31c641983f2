#pragma once

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include <mercer/error.h>

namespace mercer::cli {

/// Removed with everything in it, also when the command is interrupted.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "mercer-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw FileError(fmt::format("cannot create a temporary folder '{}': {}", name,
                                  std::generic_category().message(errno)));
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace mercer::cli
