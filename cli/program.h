#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace mercer::cli {

// The command line as the subcommands see it. CLI11 stays behind this header, because compiling it
// takes longer than everything else here together.

/// Arguments that are well-formed one by one but make no sense together.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An interrupt that left something behind, which the text says.
class Halted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An option as completion scripts need it.
struct OptionDescription {
  std::string names;  ///< "-o,--output", or the name of a positional
  std::string value;  ///< what it takes, e.g. "FILE"; empty for a flag
  std::string help;
  std::vector<std::string> choices;
  bool repeated = false;  ///< a positional that takes all words that follow
};

struct CommandDescription {
  std::string group;  ///< the word before the name; empty for most
  std::string name;
  std::string help;
  std::deque<OptionDescription> options;  ///< references stay valid while it grows
};

/// One option that was added to a subcommand.
class Argument {
 public:
  Argument(CLI::Option* option, OptionDescription& description)
      : option_(option), description_(&description) {}
  const Argument& required() const;
  const Argument& one_of(const std::vector<std::string>& values) const;
  const Argument& excludes(const Argument& other) const;

 private:
  CLI::Option* option_;
  OptionDescription* description_;
};

/// The options of one subcommand. Every target must outlive the program.
class Arguments {
 public:
  Arguments(CLI::App* app, CommandDescription& description)
      : app_(app), description_(&description) {}

  /// Heading of the options that follow.
  void group(const std::string& name) { group_ = name; }

  Argument positional(const std::string& name, std::string& target, const std::string& help);
  /// One or more words.
  Argument positionals(const std::string& name, std::vector<std::string>& targets,
                       const std::string& help);
  Argument flag(const std::string& names, bool& target, const std::string& help);
  /// `value` names what the option takes, e.g. "FILE"; shells complete FILE with file names. The
  /// target is a string, double or std::size_t, or an optional of one.
  template <class Target>
  Argument option(const std::string& names, const std::string& value, Target& target,
                  const std::string& help);
  /// May be given several times; every time adds a text.
  Argument repeated_option(const std::string& names, const std::string& value,
                           std::vector<std::string>& targets, const std::string& help);

 private:
  CLI::App* app_;
  CommandDescription* description_;
  std::string group_ = "Options";
};

/// What makes a subcommand.
struct Command {
  std::string group{};  ///< of `Program::add_group`, or empty
  std::string name;
  std::string help;
  std::string examples;  ///< shown below the options
  /// Spends its time in dense linear algebra, so that a badly chosen BLAS core matters.
  bool heavy = false;
  std::function<void()> run;
};

class Program {
 public:
  Program();
  ~Program();

  Arguments add(Command command);
  /// A word that commands stand behind: mercer GROUP COMMAND.
  void add_group(const std::string& name, const std::string& help);

  /// The exit code when there is nothing to run: help, version, or a mistake, which is reported.
  std::optional<int> parse(int argc, const char* const* argv);
  bool is_heavy() const;
  /// Runs the subcommand that was parsed; reports errors and returns the exit code.
  int run() const;

  const std::deque<CommandDescription>& commands() const;
  struct Group {
    std::string name;
    std::string help;
  };
  const std::vector<Group>& groups() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mercer::cli
