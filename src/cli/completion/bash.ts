// The completion script for bash 3.2 and later. It needs no package of completions.

import type { Command } from '../command.js';
import { choicesOf, commandNames, valuedOptions, wordsOf, type Value } from './words.js';

/** Where the value may be left out, another option can follow. */
function listing(choices: readonly string[], isOptional: boolean): string {
  return `${isOptional ? '[[ $cur == -* ]] || ' : ''}kind=words list='${choices.join(' ')}'`;
}

export function bash(commands: readonly Command[]): string {
  const { all, ofServers } = commandNames(commands);
  const cases = commands.map((command) => {
    const words = wordsOf(command);
    const byValue = (kind: Value['kind']): string =>
      words
        .filter(({ value }) => value.kind === kind)
        .flatMap(({ name, alias }) => [`--${name}`, ...(alias === undefined ? [] : [`-${alias}`])])
        .join('|');
    const kinds: [pattern: string, does: string][] = [
      [byValue('file'), 'kind=file'],
      [byValue('directory'), 'kind=directory'],
      ...words.flatMap(({ name, value }): [string, string][] =>
        value.kind === 'choice' ? [[`--${name}`, listing(value.choices, value.optional === true)]] : [],
      ),
      [byValue('any'), 'kind=any'],
    ];
    const branches = kinds
      .filter(([pattern]) => pattern !== '')
      .map(([pattern, does]) => `        ${pattern}) ${does} ;;`);
    return [
      `    ${command.name})`,
      `      operands='${choicesOf(command, commands).join(' ')}'`,
      `      options='${words.map(({ name }) => `--${name}`).join(' ')}'`,
      `      case $option in`,
      ...branches,
      `      esac`,
      `      ;;`,
    ].join('\n');
  });
  return `# Completion of mcp-hotline for bash. In ~/.bashrc: source <(mcp-hotline completion bash)
_mcp_hotline() {
  local cur=\${COMP_WORDS[COMP_CWORD]} option=\${COMP_WORDS[COMP_CWORD - 1]} command=run named= server= options= operands= list= kind= word next i
  COMPREPLY=()
  # Options may stand before the command. --option=value comes as three words.
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]} next=\${COMP_WORDS[i + 1]-}
    case $word in
      --) server=$((i + 1)) ;;
      -*)
        case $next in
          =) ((i += 2)) ;;
          -*) ;;
          *) case $word in ${valuedOptions(commands).join('|')}) ((i++)) ;; esac ;;
        esac
        ;;
      *)
        case $named:$word in
          ${all.map((name) => `:${name}`).join('|')}) named=yes command=$word ;;
          *) case $command in ${ofServers.join('|')}) server=$i ;; esac ;;
        esac
        ;;
    esac
    [[ -n $server ]] && break
  done
  if [[ -n $server ]]; then
    if ((server < COMP_CWORD)) && declare -F _command_offset >/dev/null; then
      _command_offset "$server"
      return
    fi
    kind=file
    if ((server == COMP_CWORD)) && [[ -n $cur ]]; then kind=program; fi
  fi
  # --option=value comes as three words.
  if [[ $cur == = ]]; then
    cur=
  elif [[ $option == = ]]; then
    option=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  [[ -n $server ]] || case $command in
${cases.join('\n')}
  esac
  if [[ $kind == any ]]; then
    return
  elif [[ $kind == '' ]]; then
    kind=words
    if [[ $cur == -* ]]; then
      list=$options
    elif [[ -z $named ]] && ((i == COMP_CWORD)); then
      list='${all.join(' ')}'
    else
      list=$operands
    fi
  fi
  case $kind in
    file) compopt -o filenames 2>/dev/null; while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$cur") ;;
    program) compopt -o filenames 2>/dev/null; while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -c -f -- "$cur" | sort -u) ;;
    directory) compopt -o filenames 2>/dev/null; while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -d -- "$cur") ;;
    words) while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$list" -- "$cur") ;;
  esac
}
complete -F _mcp_hotline mcp-hotline`;
}
