# SPDX-License-Identifier: GPL-3.0-or-later
# Completion of shardwise-cli for bash. What can be completed is asked of the program, so that nothing
# is listed twice.

# The commands, the options of a command, and what an option accepts, one a line.
_shardwise_cli_commands () {
  LC_ALL=C "$1" --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p'
}
_shardwise_cli_options () {
  LC_ALL=C "$1" "$2" --help-all 2>/dev/null | sed -n 's/^ .*\(--[a-z0-9-]*\)\(=*\).*/\1\2/p'
}
_shardwise_cli_values () {
  case $3 in
    --model) "$1" models 2>/dev/null | cut -d' ' -f1 ;;
    --gpu) "$1" gpus 2>/dev/null | cut -d' ' -f1 ;;
    --method) printf '%s\n' analytical playbook quick-score ;;
    --launcher) printf '%s\n' torchrun slurm kubernetes ;;
    --to) LC_ALL=C "$1" export --help 2>/dev/null | sed -n 's/^  --to=FRAMEWORK *//p' | sed 's/ or /, /' | tr -d ' ' | tr , '\n' ;;
    # What a key accepts stands in the message about a value that it does not.
    --*) LC_ALL=C "$1" advise "$3=?" --model llama-3-8b --gpus 8 2>&1 >/dev/null | sed -n 's/.*[;.] *[Aa]llowed: //p' |
           sed 's/,* or /,/g; s/, /,/g' | tr , '\n' | grep -x '[a-z][a-z0-9+-]*' ;;
  esac
}

_shardwise_cli () {
  local program=${COMP_WORDS[0]} command=${COMP_WORDS[1]:-} current=${COMP_WORDS[COMP_CWORD]} option= values
  COMPREPLY=()
  if [ "$COMP_CWORD" -le 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_shardwise_cli_commands "$program")" -- "$current")
    return
  fi
  # "=" is a word of its own.
  if [ "$current" = "=" ]; then
    option=${COMP_WORDS[COMP_CWORD-1]} current=
  elif [ "${COMP_WORDS[COMP_CWORD-1]}" = "=" ]; then
    option=${COMP_WORDS[COMP_CWORD-2]}
  elif [[ ${COMP_WORDS[COMP_CWORD-1]} == --* && $current != -* ]]; then
    option=${COMP_WORDS[COMP_CWORD-1]}
  fi
  case "$command $option" in *"probe --to") option=--output ;; esac # a folder
  if [ -n "$option" ] && [ "$option" != --output ]; then
    values=$(_shardwise_cli_values "$program" "$command" "$option")
    if [ -n "$values" ]; then
      mapfile -t COMPREPLY < <(compgen -W "$values" -- "$current")
      return
    fi
  fi
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_shardwise_cli_options "$program" "$command")" -- "$current")
    if [[ ${COMPREPLY[0]:-} == *= ]]; then compopt -o nospace; fi
    return
  fi
  compopt -o filenames
  if [ "$option" = --output ]; then
    mapfile -t COMPREPLY < <(compgen -d -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
}

complete -F _shardwise_cli shardwise-cli
