#include "cli/browser.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <optional>
#include <spawn.h>
#include <sstream>
#include <string_view>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include <mercer/data.h>
#include <mercer/error.h>

#include "cli/interrupt.h"
#include "cli/temporary_folder.h"

namespace mercer::cli {
namespace {

constexpr int kWidth = 1200;   // of the picture, in pixels of the page
constexpr int kHeight = 1000;  // of the window in which the page finds out its own height
constexpr int kMostHeight = 16000;
constexpr std::chrono::seconds kPatience{60};

std::optional<std::filesystem::path> in_path(const std::string& name) {
  const auto is_program = [](const std::filesystem::path& file) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(file, ignored) && access(file.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos)
    return is_program(name) ? std::optional<std::filesystem::path>(name) : std::nullopt;
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (folder.empty()) continue;
    std::filesystem::path file = std::filesystem::path(folder) / name;
    if (is_program(file)) return file;
  }
  return std::nullopt;
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.find_last_of('\n') + 1);
}

/// A process with all that it starts, which are ended with it.
class ProcessGroup {
 public:
  ProcessGroup(std::vector<std::string> command, const std::filesystem::path& output,
               const std::filesystem::path& errors) {
    posix_spawn_file_actions_t files{};
    posix_spawnattr_t attributes{};
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    constexpr int kWrite = O_WRONLY | O_CREAT | O_TRUNC;
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, output.c_str(), kWrite, 0600);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, errors.c_str(), kWrite, 0600);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    std::vector<char*> words;
    for (std::string& word : command) words.push_back(word.data());
    words.push_back(nullptr);
    const int error = posix_spawn(&id_, words[0], &files, &attributes, words.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    if (error != 0)
      throw FileError(
          fmt::format("cannot run '{}': {}", command[0], std::generic_category().message(error)));
  }
  ~ProcessGroup() {
    kill(-id_, SIGKILL);
    if (running_) waitpid(id_, nullptr, 0);
  }
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  /// The exit code, 128 + signal when a signal ended it; nothing when that takes too long.
  std::optional<int> wait(std::chrono::seconds patience) {
    const auto end = std::chrono::steady_clock::now() + patience;
    while (std::chrono::steady_clock::now() < end) {
      throw_if_interrupted();
      int status = 0;
      if (waitpid(id_, &status, WNOHANG) == id_) {
        running_ = false;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return std::nullopt;
  }

 private:
  pid_t id_ = -1;
  bool running_ = true;
};

/// Shows the page in a window of this height. Returns what the browser prints.
std::string show(const std::filesystem::path& browser, const TemporaryFolder& folder, int height,
                 const std::string& what_to_do) {
  std::vector<std::string> command{browser.string(),
                                   "--headless",
                                   "--disable-gpu",
                                   "--no-first-run",
                                   "--disable-background-networking",
                                   "--disable-component-update",
                                   "--disable-sync",
                                   "--disable-dev-shm-usage",
                                   "--disable-quic",
                                   "--hide-scrollbars",
                                   fmt::format("--user-data-dir={}", (folder / "profile").string()),
                                   fmt::format("--window-size={},{}", kWidth, height),
                                   what_to_do,
                                   fmt::format("file://{}", (folder / "page.html").string())};
  // Chromium refuses to run as root with its sandbox; the page is our own and loads nothing.
  if (geteuid() == 0) command.insert(command.begin() + 1, "--no-sandbox");
  ProcessGroup process(command, folder / "output", folder / "errors");
  const std::optional<int> code = process.wait(kPatience);
  if (!code)
    throw FileError(fmt::format("{} has not drawn the picture within {} s", browser.string(),
                                kPatience.count()));
  if (*code != 0)
    throw FileError(fmt::format("{} ended with code {}: {}", browser.string(), *code,
                                last_line(read_file(folder / "errors"))));
  return read_file(folder / "output");
}

int height_in(std::string_view page, const std::filesystem::path& browser) {
  constexpr std::string_view kMark = "data-height=\"";
  const std::size_t at = page.find(kMark);
  int height = 0;
  if (at != std::string_view::npos) {
    const std::string_view number = page.substr(at + kMark.size());
    std::from_chars(number.data(), number.data() + number.size(), height);
  }
  if (height <= 0 || height > kMostHeight)
    throw FileError(fmt::format("{} does not draw the page", browser.string()));
  return height;
}

}  // namespace

std::filesystem::path find_browser() {
  constexpr std::array kNames = {"chromium", "chromium-browser", "google-chrome",
                                 "google-chrome-stable"};
  if (const char* named = std::getenv("MERCER_BROWSER"); named != nullptr && *named != '\0') {
    if (const auto found = in_path(named)) return *found;
    throw FileError(fmt::format("MERCER_BROWSER names '{}', which cannot be run", named));
  }
  for (const char* name : kNames)
    if (const auto found = in_path(name)) return *found;
  throw FileError(
      "pictures are drawn by Chromium or Google Chrome, and neither is in PATH: install chromium, "
      "or name a browser of that kind in MERCER_BROWSER");
}

std::string picture_of_page(const std::string& html, const std::filesystem::path& browser) {
  constexpr std::string_view kSignature = "\x89PNG";
  const TemporaryFolder folder;
  write_text(folder / "page.html", html);
  const int height = height_in(show(browser, folder, kHeight, "--dump-dom"), browser);
  const std::filesystem::path picture = folder / "page.png";
  show(browser, folder, height, fmt::format("--screenshot={}", picture.string()));
  std::string bytes = read_file(picture);
  if (!bytes.starts_with(kSignature))
    throw FileError(fmt::format("{} made no picture: {}", browser.string(),
                                last_line(read_file(folder / "errors"))));
  return bytes;
}

}  // namespace mercer::cli
