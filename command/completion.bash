# SPDX-FileCopyrightText: 2026 the cudahisto authors
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash

# Completion of the command `cudahisto` for bash. Commands, options and statistics are those that the command
# lists.

# Completes the last word of a list such as basic+hue.
_cudahisto_list () { # words
  local before=
  if [[ $current == *[+,]* ]]; then
    before=${current%"${current##*[+,]}"}
  fi
  mapfile -t COMPREPLY < <(compgen -P "$before" -W "$1" -- "${current#"$before"}")
}

# Files and folders.
_cudahisto_files () { # [pattern of names]
  local filter=()
  if [ $# -gt 0 ]; then
    filter=(-X "!$1")
  fi
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -f "${filter[@]}" -- "$current"; [ $# = 0 ] || compgen -d -- "$current")
}

_cudahisto_value () { # command option
  case $1,$2 in
  measure,--statistics | measure,-s | scan,--statistics | scan,-s)
    _cudahisto_list "$("$program" measure --statistics=help 2>/dev/null | sed 's/ .*//')"
    ;;
  *,--events | measure,-e | watch,-e | check,-e | report,-e | scan,-e) _cudahisto_list "black freeze scene-change clipped damaged" ;;
  *,--backend | measure,-b | watch,-b | check,-b | scan,-b)
    mapfile -t COMPREPLY < <(compgen -W "auto reference cpu cuda" -- "$current")
    ;;
  *,--reference-offset) mapfile -t COMPREPLY < <(compgen -W "auto" -- "$current") ;;
  *,--bins) mapfile -t COMPREPLY < <(compgen -W "256 native" -- "$current") ;;
  *,--fields) mapfile -t COMPREPLY < <(compgen -W "together apart" -- "$current") ;;
  *,--component | *,-c) mapfile -t COMPREPLY < <(compgen -W "Y U V R G B A GRAY byte" -- "$current") ;;
  events,--format | events,-f) mapfile -t COMPREPLY < <(compgen -W "text json edl ffmetadata" -- "$current") ;;
  light,--format | light,-f)
    mapfile -t COMPREPLY < <(compgen -W "text dovi hdr10plus madvr5 madvr6 scenes" -- "$current")
    ;;
  check,--format | check,-f) mapfile -t COMPREPLY < <(compgen -W "text json junit html" -- "$current") ;;
  check,--show) mapfile -t COMPREPLY < <(compgen -W "$("$program" check --list 2>/dev/null | sed 's/ .*//')" -- "$current") ;;
  check,--policy | check,-p | report,--policy | report,-p | scan,--policy | scan,-p)
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(
      compgen -W "$("$program" check --list 2>/dev/null | sed 's/ .*//')" -- "$current"
      compgen -f -X '!*.policy' -- "$current"
    )
    ;;
  *,--active-picture) mapfile -t COMPREPLY < <(compgen -W "film scene none" -- "$current") ;;
  *,--interval | *,-i) mapfile -t COMPREPLY < <(compgen -W "1s 500ms 100ms 1min" -- "$current") ;;
  *,--from | *,--to) mapfile -t COMPREPLY < <(compgen -W "10s 1min 10min 1h" -- "$current") ;;
  *,--head) mapfile -t COMPREPLY < <(compgen -W "100 10s 1min" -- "$current") ;;
  *,--every) mapfile -t COMPREPLY < <(compgen -W "2 10 25 100" -- "$current") ;;
  *,--lines | *,--output | *,-o | *,--reference | *,-r) _cudahisto_files ;;
  esac
}

_cudahisto () {
  local program=$1 current=$2 before=$3 command=${COMP_WORDS[1]} help option
  COMPREPLY=()
  # Readline splits --option=value.
  if [ "$current" = = ]; then
    current=
  elif [ "$before" = = ]; then
    before=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  if [ "$COMP_CWORD" = 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "$("$program" --help 2>/dev/null |
      sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p') --help --version" -- "$current")
    return
  fi
  help=$("$program" "$command" --help 2>/dev/null) || return
  for option in $(sed -n 's/^  \(-., \)\{0,1\}\(--[a-z-]*\)=.*/\1\2/p' <<<"$help" | tr -d ,); do
    if [ "$before" = "$option" ]; then
      _cudahisto_value "$command" "$before"
      return
    fi
  done
  case $current in
  -*)
    mapfile -t COMPREPLY < <(compgen -W "$(sed -n 's/^  \(-., \)\{0,1\}\(--[a-z-]*\).*/\2/p' <<<"$help")" -- "$current")
    ;;
  *)
    case $command in
    show | csv | events | light | report | merge) _cudahisto_files '*.jsonl' ;;
    *) _cudahisto_files ;;
    esac
    ;;
  esac
}

complete -F _cudahisto cudahisto
