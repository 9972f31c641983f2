#include "cli/process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

#include "model/temporary_folder.h"

namespace mercer::testing {
namespace {

int open_terminal(std::string& name) {
  const int descriptor = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (descriptor < 0 || grantpt(descriptor) != 0 || unlockpt(descriptor) != 0)
    throw std::runtime_error("cannot open a pseudo-terminal");
  name = ptsname(descriptor);
  return descriptor;
}

void redirect(int descriptor, const std::string& path) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_NOCTTY, 0600);
  if (file < 0 || dup2(file, descriptor) < 0) _exit(126);
  close(file);
}

std::string read_terminal(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer{};
  // Linux reports the end of a pseudo-terminal as an input error.
  for (ssize_t count = 0; (count = read(descriptor, buffer.data(), buffer.size())) > 0;)
    text.append(buffer.data(), static_cast<std::size_t>(count));
  return text;
}

}  // namespace

Process::Process(const std::vector<std::string>& command, const ProcessOptions& options) {
  std::string folder = (std::filesystem::temp_directory_path() / "mercer-out-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error("cannot create " + folder);
  folder_ = folder;
  output_ = options.output.empty() ? folder_ / "out" : options.output;
  std::string error = (folder_ / "err").string();
  if (options.terminal) terminal_ = open_terminal(error);

  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  id_ = fork();
  if (id_ < 0) throw std::runtime_error("cannot fork");
  if (id_ > 0) return;
  for (const auto& [name, value] : options.environment) setenv(name.c_str(), value.c_str(), 1);
  redirect(STDOUT_FILENO, output_.string());
  redirect(STDERR_FILENO, error);
  if (chdir(options.folder.c_str()) != 0) _exit(126);
  execv(arguments[0], arguments.data());
  _exit(127);
}

Process::~Process() {
  if (id_ > 0) {
    send(SIGKILL);
    waitpid(id_, nullptr, 0);
  }
  if (terminal_ >= 0) close(terminal_);
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void Process::send(int signal) const {
  kill(id_, signal);
}

Outcome Process::wait() {
  Outcome outcome;
  if (terminal_ >= 0) outcome.err = read_terminal(terminal_);
  int status = 0;
  while (waitpid(id_, &status, 0) < 0 && errno == EINTR) {
  }
  id_ = -1;
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (output_.parent_path() == folder_) outcome.out = read_bytes(output_);
  if (terminal_ < 0) outcome.err = read_bytes(folder_ / "err");
  return outcome;
}

Outcome run(const std::vector<std::string>& command, const ProcessOptions& options) {
  return Process(command, options).wait();
}

std::vector<std::string> mercer(const std::vector<std::string>& arguments) {
  std::vector<std::string> command{MERCER_COMMAND};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

}  // namespace mercer::testing
