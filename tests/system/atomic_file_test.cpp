#include "system/atomic_file.h"

#include <csignal>
#include <string>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include <mercer/error.h>

#include "model/error_message.h"
#include "model/temporary_folder.h"

namespace mercer::system {
namespace {

using testing::message_of;
using testing::read_bytes;
using testing::TemporaryFolder;
using testing::write_bytes;

void write_file(const std::filesystem::path& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

mode_t permissions(const std::filesystem::path& path) {
  struct stat status{};
  EXPECT_EQ(stat(path.c_str(), &status), 0);
  return status.st_mode & 07777;
}

TEST(AtomicFile, AppearsOnlyWhenCommitted) {
  const TemporaryFolder folder;
  AtomicFile file(folder / "new");
  file.write("hello ");
  file.write("world");
  EXPECT_FALSE(std::filesystem::exists(folder / "new"));
  file.commit();
  EXPECT_EQ(read_bytes(folder / "new"), "hello world");
  EXPECT_EQ(folder.file_count(), 1U);
}

TEST(AtomicFile, LeavesTheOldFileAndNoTemporaryWhenAbandoned) {
  const TemporaryFolder folder;
  write_bytes(folder / "old", "before");
  {
    AtomicFile file(folder / "old");
    file.write("half of");
  }
  EXPECT_EQ(read_bytes(folder / "old"), "before");
  EXPECT_EQ(folder.file_count(), 1U);
}

TEST(AtomicFile, OverwritesBytesWrittenBefore) {
  const TemporaryFolder folder;
  AtomicFile file(folder / "new");
  file.write("count: ?? rows");
  const std::string count = "17";
  file.overwrite(7, std::as_bytes(std::span(count)));
  file.write("!");
  file.commit();
  EXPECT_EQ(read_bytes(folder / "new"), "count: 17 rows!");
}

TEST(AtomicFile, TwoWritersOfOneFileDoNotMix) {
  const TemporaryFolder folder;
  AtomicFile first(folder / "new");
  AtomicFile second(folder / "new");
  first.write("first");
  second.write("second");
  second.commit();
  first.commit();
  EXPECT_EQ(read_bytes(folder / "new"), "first");
  EXPECT_EQ(folder.file_count(), 1U);
}

TEST(AtomicFile, NewFilesFollowTheUmaskAndReplacedOnesKeepTheirPermissions) {
  const TemporaryFolder folder;
  const mode_t before = umask(027);
  write_file(folder / "new", "x");
  umask(before);
  EXPECT_EQ(permissions(folder / "new"), 0640U);
  chmod((folder / "new").c_str(), 0604);
  write_file(folder / "new", "y");
  EXPECT_EQ(permissions(folder / "new"), 0604U);
}

TEST(AtomicFile, FollowsSymbolicLinks) {
  const TemporaryFolder folder;
  write_bytes(folder / "target", "old");
  std::filesystem::create_symlink("target", folder / "link");
  write_file(folder / "link", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(read_bytes(folder / "target"), "new");
}

TEST(AtomicFile, WorksForTheLongestNames) {
  const TemporaryFolder folder;
  const std::string name(255, 'n');
  write_file(folder / name, "x");
  EXPECT_EQ(read_bytes(folder / name), "x");
}

TEST(AtomicFile, WorksForANameWithoutFolder) {
  const TemporaryFolder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  write_file("plain", "x");
  std::filesystem::current_path(before);
  EXPECT_EQ(read_bytes(folder / "plain"), "x");
}

TEST(AtomicFile, NamesThePathAndTheReasonWhenItCannotBeCreated) {
  const TemporaryFolder folder;
  write_bytes(folder / "file", "");
  EXPECT_EQ(message_of<FileError>([&] { AtomicFile(folder / "missing/new"); }),
            "cannot write '" + (folder / "missing/new").string() + "': No such file or directory");
  EXPECT_EQ(message_of<FileError>([&] { AtomicFile(folder / "file/new"); }),
            "cannot write '" + (folder / "file/new").string() + "': Not a directory");
  EXPECT_EQ(message_of<FileError>([&] { AtomicFile file(folder.path()); }),
            "cannot write '" + folder.path().string() + "': Is a directory");
}

/// Permissions mean nothing to the superuser; while this lives, the process is somebody else.
class OrdinaryUser {
 public:
  OrdinaryUser() : before_(geteuid()) {
    constexpr uid_t kNobody = 65534;
    if (before_ == 0) {
      EXPECT_EQ(seteuid(kNobody), 0);
    }
  }
  ~OrdinaryUser() { EXPECT_EQ(seteuid(before_), 0); }

 private:
  uid_t before_;
};

TEST(AtomicFile, RespectsReadOnlyFilesAndFolders) {
  const TemporaryFolder folder;
  chmod(folder.path().c_str(), 0777);
  write_bytes(folder / "file", "kept");
  chmod((folder / "file").c_str(), 0444);
  std::filesystem::create_directory(folder / "closed");
  chmod((folder / "closed").c_str(), 0555);
  {
    const OrdinaryUser user;
    EXPECT_EQ(message_of<FileError>([&] { AtomicFile(folder / "file"); }),
              "cannot write '" + (folder / "file").string() + "': Permission denied");
    EXPECT_EQ(message_of<FileError>([&] { AtomicFile(folder / "closed/new"); }),
              "cannot write '" + (folder / "closed/new").string() + "': Permission denied");
    write_file(folder / "new", "x");
  }
  EXPECT_EQ(read_bytes(folder / "file"), "kept");
  EXPECT_EQ(read_bytes(folder / "new"), "x");
}

TEST(AtomicFile, WritesToDevicesDirectly) {
  write_file("/dev/null", "x");
  EXPECT_FALSE(std::filesystem::is_regular_file("/dev/null"));
  AtomicFile full("/dev/full");
  EXPECT_EQ(message_of<FileError>([&] { full.write("x"); }),
            "cannot write '/dev/full': No space left on device");
}

/// Files of this process cannot grow beyond `bytes` while this lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit before_{};
};

TEST(AtomicFile, KeepsTheOldFileWhenTheNewOneDoesNotFit) {
  const TemporaryFolder folder;
  write_bytes(folder / "file", "before");
  const std::string large(1 << 20, 'x');
  {
    const FileSizeLimit limit(100'000);
    EXPECT_EQ(message_of<FileError>([&] { write_file(folder / "file", large); }),
              "cannot write '" + (folder / "file").string() + "': File too large");
  }
  EXPECT_EQ(read_bytes(folder / "file"), "before");
  EXPECT_EQ(folder.file_count(), 1U);
}

TEST(AtomicFile, KeepsTheOldFileWhenTheDiskIsFull) {
  const TemporaryFolder folder;
  if (mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=64k") != 0) {
    GTEST_SKIP() << "a small file system cannot be mounted here";
  }
  write_bytes(folder / "file", "before");
  const std::string large(1 << 20, 'x');
  const std::string message = message_of<FileError>([&] { write_file(folder / "file", large); });
  const std::string kept = read_bytes(folder / "file");
  const std::size_t files = folder.file_count();
  umount(folder.path().c_str());
  EXPECT_EQ(message, "cannot write '" + (folder / "file").string() + "': No space left on device");
  EXPECT_EQ(kept, "before");
  EXPECT_EQ(files, 1U);
}

}  // namespace
}  // namespace mercer::system
