#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/program.h"

namespace mercer::cli {
namespace {

bool takes_file(const OptionDescription& option) {
  return option.value == "FILE" || option.value == "DATA" || option.value == "MODEL" ||
         option.value == "PART" || option.value == "STATE";
}

bool is_positional(const OptionDescription& option) {
  return option.names[0] != '-';
}

std::vector<std::string> split_names(const OptionDescription& option) {
  std::vector<std::string> names;
  std::size_t begin = 0;
  for (std::size_t end = 0; end != std::string::npos; begin = end + 1) {
    end = option.names.find(',', begin);
    names.push_back(option.names.substr(begin, end - begin));
  }
  return names;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

/// Inside single quotes of a POSIX shell.
std::string quoted(const std::string& text) {
  return fmt::format("'{}'", replaced(text, "'", R"('\'')"));
}

/// One word for a command, also behind a group.
std::string label(const CommandDescription& command) {
  return command.group.empty() ? command.name : fmt::format("{}-{}", command.group, command.name);
}

/// The commands of a group; of no group ("") with the names of groups.
std::string command_names(const Program& program, const std::string& group = "") {
  std::vector<std::string> names;
  for (const CommandDescription& command : program.commands())
    if (command.group == group) names.push_back(command.name);
  if (group.empty())
    for (const auto& [name, help] : program.groups()) names.push_back(name);
  return fmt::format("{}", fmt::join(names, " "));
}

std::string bash_script(const Program& program) {
  std::string options, values, groups;
  for (const auto& [name, help] : program.groups())
    groups += fmt::format("    {}) members={} ;;\n", name, quoted(command_names(program, name)));
  for (const CommandDescription& command : program.commands()) {
    std::vector<std::string> names{"--help"};
    for (const OptionDescription& option : command.options) {
      if (is_positional(option)) {
        if (!option.choices.empty())
          values += fmt::format("    {}:) candidates={} ;;\n", label(command),
                                quoted(fmt::format("{}", fmt::join(option.choices, " "))));
        continue;
      }
      for (const std::string& name : split_names(option)) {
        names.push_back(name);
        if (!option.choices.empty())
          values += fmt::format("    {}:{}) candidates={} ;;\n", label(command), name,
                                quoted(fmt::format("{}", fmt::join(option.choices, " "))));
      }
    }
    options += fmt::format("    {}) candidates={} ;;\n", label(command),
                           quoted(fmt::format("{}", fmt::join(names, " "))));
  }
  return fmt::format(R"(# bash completion of the mercer command.
# For this shell: source <(mercer completion bash)
# For all: mercer completion bash > ~/.local/share/bash-completion/completions/mercer
_mercer() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}}
  local command=${{COMP_WORDS[1]}} candidates='' members=''
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W {} -- "$word")
    return
  fi
  case $command in
{}  esac
  if [[ -n $members ]]; then
    if ((COMP_CWORD == 2)); then
      mapfile -t COMPREPLY < <(compgen -W "$members" -- "$word")
      return
    fi
    command+=-${{COMP_WORDS[2]}}
  fi
  [[ $previous == -* ]] || previous=''
  if [[ $word == -* ]]; then
    case $command in
{}    esac
  else
    case $command:$previous in
{}    esac
  fi
  if [[ -n $candidates ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$candidates" -- "$word")
  else
    compopt -o default
  fi
}}
complete -F _mercer mercer)",
                     quoted(command_names(program) + " --help --version"), groups, options, values);
}

std::string zsh_option(const OptionDescription& option, const std::string& name) {
  // In a zsh specification brackets and colons separate the parts.
  std::string help = replaced(replaced(option.help, "[", "("), "]", ")");
  help = replaced(help, ":", "\\:");
  if (option.value.empty()) return quoted(fmt::format("{}[{}]", name, help));
  std::string action;
  if (takes_file(option)) action = "_files";
  if (!option.choices.empty()) action = fmt::format("({})", fmt::join(option.choices, " "));
  return quoted(fmt::format("{}[{}]:{}:{}", name, help, option.value, action));
}

std::string zsh_positional(const OptionDescription& option) {
  if (!option.choices.empty())
    return quoted(fmt::format(":{}:({})", option.value, fmt::join(option.choices, " ")));
  return quoted(fmt::format("{}:{}:_files", option.repeated ? "*" : "", option.value));
}

std::string zsh_script(const Program& program) {
  std::string commands, cases, groups;
  for (const auto& [name, help] : program.groups()) {
    commands += fmt::format("    {}\n", quoted(fmt::format("{}:{}", name, help)));
    groups += fmt::format("    {}) members=(", name);
    for (const CommandDescription& command : program.commands())
      if (command.group == name)
        groups += fmt::format(" {}", quoted(fmt::format("{}:{}", command.name, command.help)));
    groups += " ) ;;\n";
  }
  for (const CommandDescription& command : program.commands()) {
    if (command.group.empty())
      commands += fmt::format("    {}\n", quoted(command.name + ":" + command.help));
    cases += fmt::format("    {})\n      _arguments", label(command));
    for (const OptionDescription& option : command.options) {
      if (is_positional(option)) {
        cases += " \\\n        " + zsh_positional(option);
        continue;
      }
      for (const std::string& name : split_names(option))
        cases += " \\\n        " + zsh_option(option, name);
    }
    cases += " \\\n        '--help[Show help]'\n      ;;\n";
  }
  return fmt::format(R"(#compdef mercer
# zsh completion of the mercer command.
# Put it in a folder of $fpath: mercer completion zsh > ~/.zfunc/_mercer
_mercer() {{
  local -a commands=(
{}  )
  if ((CURRENT == 2)); then
    _describe 'command' commands
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  local -a members=()
  case $command in
{}  esac
  if (($#members)); then
    if ((CURRENT == 2)); then
      _describe 'command' members
      return
    fi
    command=$command-$words[2]
    shift words
    ((CURRENT--))
  fi
  case $command in
{}  esac
}}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _mercer "$@"; else compdef _mercer mercer; fi)",
                     commands, groups, cases);
}

/// When fish is to offer what belongs to a command. Words may be commands and members of groups.
std::string fish_condition(const Program& program, const CommandDescription& command) {
  std::string text = fmt::format("__fish_seen_subcommand_from {}", command.name);
  if (!command.group.empty())
    return fmt::format("__fish_seen_subcommand_from {}; and {}", command.group, text);
  for (const CommandDescription& other : program.commands())
    if (!other.group.empty() && other.name == command.name)
      text += fmt::format("; and not __fish_seen_subcommand_from {}", other.group);
  return text;
}

std::string fish_option(const std::string& condition, const OptionDescription& option) {
  std::string line = fmt::format("complete -c mercer -n '{}'", condition);
  if (is_positional(option)) {
    if (!option.choices.empty())
      return line + fmt::format(" -xa '{}'\n", fmt::join(option.choices, " "));
    return line + " -F\n";
  }
  for (const std::string& name : split_names(option))
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!option.choices.empty()) {
    line += fmt::format(" -xa '{}'", fmt::join(option.choices, " "));
  } else if (!option.value.empty()) {
    line += takes_file(option) ? " -rF" : " -x";
  }
  // fish escapes a quote inside single quotes with a backslash.
  return line + fmt::format(" -d '{}'\n", replaced(option.help, "'", "\\'"));
}

std::string fish_script(const Program& program) {
  std::string text =
      "# fish completion of the mercer command.\n"
      "# mercer completion fish > ~/.config/fish/completions/mercer.fish\n"
      "complete -c mercer -f\n";
  const auto offer = [&](const std::string& condition, const std::string& name,
                         const std::string& help) {
    text += fmt::format("complete -c mercer -n {} -a {} -d '{}'\n", condition, name,
                        replaced(help, "'", "\\'"));
  };
  for (const auto& [name, help] : program.groups()) offer("__fish_use_subcommand", name, help);
  for (const CommandDescription& command : program.commands()) {
    if (command.group.empty()) {
      offer("__fish_use_subcommand", command.name, command.help);
    } else {
      offer(fmt::format("'__fish_seen_subcommand_from {0}; and not __fish_seen_subcommand_from "
                        "{1}'",
                        command.group, command_names(program, command.group)),
            command.name, command.help);
    }
    for (const OptionDescription& option : command.options)
      text += fish_option(fish_condition(program, command), option);
  }
  text.pop_back();
  return text;
}

}  // namespace

void add_completion(Program& program) {
  auto shell = std::make_shared<std::string>();
  Arguments arguments =
      program.add({.name = "completion",
                   .help = "Print a script that completes mercer's commands and options in a shell",
                   .examples = "  source <(mercer completion bash)\n"
                               "  mercer completion zsh > ~/.zfunc/_mercer\n"
                               "  mercer completion fish > ~/.config/fish/completions/mercer.fish",
                   .run = [shell, &program] {
                     const auto script = *shell == "bash"  ? bash_script
                                         : *shell == "zsh" ? zsh_script
                                                           : fish_script;
                     fmt::print("{}\n", script(program));
                   }});
  arguments.positional("SHELL", *shell, "bash, zsh or fish").one_of({"bash", "zsh", "fish"});
}

}  // namespace mercer::cli
