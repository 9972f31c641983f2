#include "system/atomic_file.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include <mercer/error.h>

namespace mercer::system {

namespace {

/// Follows symbolic links, so that the file is replaced and not the link to it.
std::filesystem::path resolve_links(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_symlink(path, ignored)) return path;
  std::filesystem::path resolved = std::filesystem::canonical(path, ignored);
  return resolved.empty() ? path : resolved;
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

}  // namespace

AtomicFile::AtomicFile(const std::filesystem::path& path) : target_(resolve_links(path)) {
  struct stat status{};
  const bool exists = stat(target_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    fail("write");
  }
  if (exists && !S_ISREG(status.st_mode)) {
    descriptor_ = open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail("write");
    return;
  }
  // Renaming asks only for a writable folder; a file that its owner made read-only stays.
  if (exists && faccessat(AT_FDCWD, target_.c_str(), W_OK, AT_EACCESS) != 0) fail("write");
  create_temporary();
  // Not every file system has permissions, and the contents matter more.
  if (exists) (void)!fchmod(descriptor_, status.st_mode & 07777);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void AtomicFile::create_temporary() {
  // The name does not contain the target's, which may be as long as names can be. O_EXCL settles
  // collisions with other processes and with what killed ones left behind. Unlike mkstemp, the
  // creation mode follows the umask without reading it, which no thread-safe call can.
  static std::atomic<std::uint64_t> counter{0};
  const std::filesystem::path folder = folder_of(target_);
  do {
    temporary_ = folder / fmt::format(".mercer-{}-{}.tmp", getpid(), counter++);
    descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (descriptor_ < 0 && errno == EEXIST);
  if (descriptor_ < 0) {
    temporary_.clear();
    fail("write");
  }
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void AtomicFile::write(std::string_view text) {
  write(std::as_bytes(std::span(text)));
}

void AtomicFile::overwrite(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written =
        pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write");
    offset += static_cast<std::uint64_t>(written);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void AtomicFile::commit() {
  sync();
  close_checked();
  if (temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail("write");
  temporary_.clear();
  sync_folder();
}

void AtomicFile::sync() {
  // Delayed allocation and network file systems report a full disk only here or at close.
  while (fsync(descriptor_) != 0) {
    if (errno == EINVAL || errno == EROFS) return;  // pipes and some devices have nothing to sync
    if (errno != EINTR) fail("write");
  }
}

void AtomicFile::close_checked() {
  // After EINTR Linux has released the descriptor, and fsync has vouched for the contents.
  if (close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) fail("write");
}

void AtomicFile::sync_folder() const {
  const int folder = open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;  // a folder that may be written but not listed
  const bool failed = fsync(folder) != 0 && errno == EIO;
  close(folder);
  if (failed) {
    errno = EIO;
    fail("sync the folder of");
  }
}

void AtomicFile::fail(std::string_view action) const {
  throw FileError(fmt::format("cannot {} '{}': {}", action, target_.string(),
                              std::generic_category().message(errno)));
}

}  // namespace mercer::system
