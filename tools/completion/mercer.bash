# shellcheck shell=bash
# Completion of the mercer command. It asks the command's own help, so it never falls behind it.

_mercer() {
  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local program=${COMP_WORDS[0]} subcommand='' candidates
  COMPREPLY=()
  ((COMP_CWORD > 1)) && subcommand=${COMP_WORDS[1]}
  if [[ $word == -* ]]; then
    # shellcheck disable=SC2086 # no subcommand must be no word
    candidates=$("$program" $subcommand --help 2>/dev/null | grep -oE -- '--[a-z][a-z0-9-]*' | sort -u)
    mapfile -t COMPREPLY < <(compgen -W "$candidates" -- "$word")
  elif ((COMP_CWORD == 1)); then
    candidates=$("$program" --help 2>/dev/null |
      sed -n '/^Subcommands:/,/^[^ ]/ s/^  \([a-z]\{2,\}\).*/\1/p')
    mapfile -t COMPREPLY < <(compgen -W "$candidates" -- "$word")
  elif [[ $previous == --kernel ]]; then
    candidates=$("$program" "$subcommand" --help 2>/dev/null |
      sed -n 's/.*--kernel[^{]*{\([^}]*\)}.*/\1/p' | tr ',' ' ')
    mapfile -t COMPREPLY < <(compgen -W "$candidates" -- "$word")
  else
    compopt -o default
  fi
}
complete -F _mercer mercer
