#pragma once

#include <filesystem>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace mercer::testing {

struct ProcessOptions {
  std::filesystem::path folder = ".";                              ///< where it runs
  std::vector<std::pair<std::string, std::string>> environment{};  ///< added to ours
  std::filesystem::path output{};  ///< takes standard output instead of `Outcome::out`
  bool terminal = false;           ///< standard error is a pseudo-terminal
};

struct Outcome {
  int exit_code = 0;  ///< 128 + signal when a signal ended it
  std::string out;
  std::string err;
};

/// A running command whose output is collected.
class Process {
 public:
  Process(const std::vector<std::string>& command, const ProcessOptions& options);
  ~Process();  ///< kills it when it still runs
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void send(int signal) const;
  Outcome wait();

 private:
  std::filesystem::path folder_;  ///< of the files that take its output
  std::filesystem::path output_;
  pid_t id_ = -1;
  int terminal_ = -1;
};

Outcome run(const std::vector<std::string>& command, const ProcessOptions& options = {});

/// The mercer command of this build with these arguments.
std::vector<std::string> mercer(const std::vector<std::string>& arguments);

}  // namespace mercer::testing
