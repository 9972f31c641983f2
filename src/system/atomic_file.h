#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace mercer::system {

/// A file that appears at its path complete or not at all. What is written goes to a temporary file
/// in the same folder; `commit` syncs it and renames it over the path. A file that is destroyed
/// before is removed, and whatever was at the path stays as it was.
///
/// A file that is replaced keeps its permissions, and a symbolic link keeps pointing to it; new
/// ones follow the umask. Devices and pipes (/dev/stdout) cannot be replaced and are written to
/// directly. Every failure throws FileError with the path and the system's reason.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Appends. Each call is a system call: gather small pieces first.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  /// Overwrites bytes that were written before, such as a header whose counts were not yet known.
  void overwrite(std::uint64_t offset, std::span<const std::byte> bytes);
  /// Makes the file durable and visible; nothing may be written afterwards.
  void commit();

 private:
  [[noreturn]] void fail(std::string_view action) const;
  void create_temporary();
  void sync();
  void close_checked();
  void sync_folder() const;

  std::filesystem::path target_;
  std::filesystem::path temporary_;  ///< empty when the target is written to directly
  int descriptor_ = -1;
};

}  // namespace mercer::system
