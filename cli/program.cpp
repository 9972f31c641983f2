#include "cli/program.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <map>
#include <new>
#include <numeric>
#include <sstream>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <mercer/error.h>
#include <mercer/platform.h>

#include "cli/interrupt.h"

namespace mercer::cli {
namespace {

constexpr int kFailure = 1;
constexpr int kUsage = 2;
constexpr std::size_t kHelpColumn = 34;
constexpr std::size_t kHelpWidth = 100;

void report(const std::string& command, const std::string& message) {
  fmt::print(stderr, "{}: error: {}\n", command, message);
}

std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

/// "; did you mean --components?", or nothing when no name is near.
std::string suggestion(const std::string& word, const std::vector<std::string>& names) {
  constexpr std::size_t kNear = 2;
  const auto nearest = std::ranges::min_element(
      names, {}, [&](const std::string& name) { return edit_distance(word, name); });
  if (nearest == names.end() || edit_distance(word, *nearest) > kNear) return {};
  return fmt::format("; did you mean {}?", *nearest);
}

std::vector<std::string> names_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::string unexpected(const CLI::App& app) {
  const std::vector<std::string> extras = app.remaining(true);
  const std::string word = extras.empty() ? "" : extras.front().substr(0, extras.front().find('='));
  return fmt::format("unexpected argument '{}'{}", word, suggestion(word, names_of(app)));
}

template <class Number>
bool parse_all(const std::string& text, Number& number) {
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  return error == std::errc{} && end == last;
}

// Not CLI11's own conversions: they take -3 for a very large count, and nan for a number.
void assign(const std::string& names, const std::string& text, double& target) {
  if (!parse_all(text, target) || !std::isfinite(target))
    throw CLI::ValidationError(names, fmt::format("'{}' is not a number", text));
}

void assign(const std::string& names, const std::string& text, std::size_t& target) {
  if (!parse_all(text, target))
    throw CLI::ValidationError(names,
                               fmt::format("'{}' is not a whole number, zero or positive", text));
}

void assign(const std::string&, const std::string& text, std::string& target) {
  target = text;
}

template <class T>
void assign(const std::string& names, const std::string& text, std::optional<T>& target) {
  assign(names, text, target.emplace());
}

/// Breaks a text at blanks into lines of at most `width` characters.
std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> lines(1);
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width)
      lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
  }
  return lines;
}

/// Names on the left, wrapped explanations on the right.
class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    std::string left = "  " + option->get_name(is_positional, !is_positional);
    if (!option->get_type_name().empty()) left += " " + option->get_type_name();
    std::string help = option->get_description();
    if (option->get_required() && !is_positional) help += " (required)";
    return entry(left, help);
  }
  std::string make_subcommand(const CLI::App* command) const override {
    return entry("  " + command->get_name(), command->get_description());
  }

 private:
  static std::string entry(std::string left, const std::string& help) {
    std::string text;
    if (left.size() + 2 > kHelpColumn) {
      text = left + "\n";
      left.clear();
    }
    for (const std::string& line : wrapped(help, kHelpWidth - kHelpColumn)) {
      text += fmt::format("{:<{}}{}\n", left, kHelpColumn, line);
      left.clear();
    }
    return text;
  }
};

/// The command that was parsed, behind its group; their names are added to `name`.
const CLI::App* deepest(const CLI::App& app, std::string& name) {
  const CLI::App* found = &app;
  for (auto below = found->get_subcommands(); !below.empty(); below = found->get_subcommands()) {
    found = below.front();
    name += " " + found->get_name();
  }
  return found;
}

/// CLI11's words, made clearer where they are terse.
std::string mistake(const CLI::App& app, const CLI::ParseError& e) {
  if (dynamic_cast<const CLI::ExtrasError*>(&e) != nullptr ||
      (dynamic_cast<const CLI::RequiredError*>(&e) != nullptr && !app.remaining().empty()))
    return unexpected(app);
  std::string text = e.what();
  const std::size_t excludes = text.find(" excludes ");
  if (dynamic_cast<const CLI::ExcludesError*>(&e) != nullptr && excludes != std::string::npos)
    return fmt::format("{} and {} exclude each other", text.substr(0, excludes),
                       text.substr(excludes + 10));
  return text;
}

}  // namespace

const Argument& Argument::required() const {
  option_->required();
  return *this;
}

const Argument& Argument::one_of(const std::vector<std::string>& values) const {
  option_->check([values](const std::string& text) {
    if (std::ranges::find(values, text) != values.end()) return std::string{};
    return fmt::format("'{}' is none of {}{}", text, fmt::join(values, ", "),
                       suggestion(text, values));
  });
  description_->choices = values;
  return *this;
}

const Argument& Argument::excludes(const Argument& other) const {
  option_->excludes(other.option_);
  return *this;
}

Argument Arguments::positional(const std::string& name, std::string& target,
                               const std::string& help) {
  CLI::Option* option = app_->add_option(name, target, help)->type_name("")->required();
  return {option, description_->options.emplace_back(OptionDescription{name, name, help, {}})};
}

Argument Arguments::positionals(const std::string& name, std::vector<std::string>& targets,
                                const std::string& help) {
  CLI::Option* option = app_->add_option(name, targets, help)->type_name("")->required();
  auto& description = description_->options.emplace_back(OptionDescription{name, name, help, {}});
  description.repeated = true;
  return {option, description};
}

Argument Arguments::flag(const std::string& names, bool& target, const std::string& help) {
  CLI::Option* option = app_->add_flag(names, target, help)->group(group_);
  return {option, description_->options.emplace_back(OptionDescription{names, "", help, {}})};
}

template <class Target>
Argument Arguments::option(const std::string& names, const std::string& value, Target& target,
                           const std::string& help) {
  const auto read = [names, &target](const std::string& text) { assign(names, text, target); };
  CLI::Option* option = app_->add_option_function<std::string>(names, read, help);
  option->group(group_)->type_name(value);
  return {option, description_->options.emplace_back(OptionDescription{names, value, help, {}})};
}

Argument Arguments::repeated_option(const std::string& names, const std::string& value,
                                    std::vector<std::string>& targets, const std::string& help) {
  CLI::Option* option = app_->add_option(names, targets, help);
  option->group(group_)->type_name(value)->expected(1)->multi_option_policy(
      CLI::MultiOptionPolicy::TakeAll);
  return {option, description_->options.emplace_back(OptionDescription{names, value, help, {}})};
}

template Argument Arguments::option(const std::string&, const std::string&, std::string&,
                                    const std::string&);
template Argument Arguments::option(const std::string&, const std::string&, double&,
                                    const std::string&);
template Argument Arguments::option(const std::string&, const std::string&, std::size_t&,
                                    const std::string&);
template Argument Arguments::option(const std::string&, const std::string&, std::optional<double>&,
                                    const std::string&);
template Argument Arguments::option(const std::string&, const std::string&,
                                    std::optional<std::size_t>&, const std::string&);
template Argument Arguments::option(const std::string&, const std::string&,
                                    std::optional<std::string>&, const std::string&);

struct Program::State {
  CLI::App app{"Kernel PCA: exact, fast, and honest about its errors.", "mercer"};
  std::deque<CommandDescription> descriptions;
  std::map<const CLI::App*, Command> commands;
  std::vector<Group> groups;
  const Command* selected = nullptr;
};

Program::Program() : state_(std::make_unique<State>()) {
  CLI::App& app = state_->app;
  app.set_version_flag("--version", fmt::format("mercer {}", version()),
                       "Show the version and exit");
  app.set_help_flag("-h,--help", "Show this and exit");
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpFormatter>());
  app.footer(
      "mercer COMMAND --help explains a command and shows examples.\n"
      "Exit codes: 0 done, 1 failed, 2 wrong usage, 128 + signal when interrupted.\n\n"
      "First steps:\n"
      "  mercer demo\n"
      "  mercer fit points.csv -o points.mercer --components 10\n"
      "  mercer transform points.mercer new.csv -o z.npy");
}

Program::~Program() = default;

void Program::add_group(const std::string& name, const std::string& help) {
  CLI::App* group = state_->app.add_subcommand(name, help);
  group->require_subcommand(1);
  group->footer(
      fmt::format("mercer {} COMMAND --help explains a command and shows examples.", name));
  state_->groups.push_back({name, help});
}

Arguments Program::add(Command command) {
  CLI::App* above =
      command.group.empty() ? &state_->app : state_->app.get_subcommand(command.group);
  CLI::App* app = above->add_subcommand(command.name, command.help);
  app->footer("Examples:\n" + command.examples);
  CommandDescription& description = state_->descriptions.emplace_back(
      CommandDescription{command.group, command.name, command.help, {}});
  state_->commands.emplace(app, std::move(command));
  return {app, description};
}

std::optional<int> Program::parse(int argc, const char* const* argv) {
  CLI::App& app = state_->app;
  if (argc < 2) {
    fmt::print(stderr, "{}", app.help());
    return kUsage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked_for_help) {
    app.exit(asked_for_help);
    return 0;
  } catch (const CLI::ParseError& e) {
    std::string name = "mercer";
    const CLI::App& active = *deepest(app, name);
    report(name, fmt::format("{} ({} --help lists what there is)", mistake(active, e), name));
    return kUsage;
  }
  std::string name;
  state_->selected = &state_->commands.at(deepest(app, name));
  return std::nullopt;
}

bool Program::is_heavy() const {
  return state_->selected->heavy;
}

int Program::run() const {
  const Command& command = *state_->selected;
  const std::string name =
      fmt::format("mercer {}{}{}", command.group, command.group.empty() ? "" : " ", command.name);
  try {
    state_->selected->run();
    if (std::fflush(stdout) != 0)
      throw FileError(fmt::format("cannot write to standard output: {}",
                                  std::generic_category().message(errno)));
    return 0;
  } catch (const Cancelled&) {
    fmt::print(stderr, "{}: cancelled, nothing was written\n", name);
    return 128 + interrupting_signal();
  } catch (const Halted& e) {
    fmt::print(stderr, "{}: {}\n", name, e.what());
    return 128 + interrupting_signal();
  } catch (const UsageError& e) {
    report(name, e.what());
    return kUsage;
  } catch (const InvalidArgument& e) {
    report(name, e.what());
    return kUsage;
  } catch (const std::bad_alloc&) {
    report(name, "not enough memory");
    return kFailure;
  } catch (const std::exception& e) {
    report(name, e.what());
    return kFailure;
  }
}

const std::vector<Program::Group>& Program::groups() const {
  return state_->groups;
}

const std::deque<CommandDescription>& Program::commands() const {
  return state_->descriptions;
}

}  // namespace mercer::cli
