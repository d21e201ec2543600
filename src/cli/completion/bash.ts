// The completion script for bash 3.2 and later. It needs no package of completions.

import type { Command } from '../command.js';
import { choicesOf, wordsOf, type Value } from './words.js';

/** Where the value may be left out, another option can follow. */
function listing(choices: readonly string[], isOptional: boolean): string {
  return `${isOptional ? '[[ $cur == -* ]] || ' : ''}kind=words list='${choices.join(' ')}'`;
}

export function bash(commands: readonly Command[]): string {
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
  local cur=\${COMP_WORDS[COMP_CWORD]} option=\${COMP_WORDS[COMP_CWORD - 1]} command=run options= operands= list= kind= word i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    [[ \${COMP_WORDS[i]} == -- ]] && return
  done
  case \${COMP_WORDS[1]-} in
    ${commands.map(({ name }) => name).join('|')}) ((COMP_CWORD > 1)) && command=\${COMP_WORDS[1]} ;;
  esac
  # --option=value comes as three words.
  if [[ $cur == = ]]; then
    cur=
  elif [[ $option == = ]]; then
    option=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  case $command in
${cases.join('\n')}
  esac
  if [[ $kind == any ]]; then
    return
  elif [[ $kind == '' ]]; then
    kind=words
    if [[ $cur == -* ]]; then
      list=$options
    elif ((COMP_CWORD == 1)); then
      list='${commands.map(({ name }) => name).join(' ')}'
    else
      list=$operands
    fi
  fi
  case $kind in
    file) compopt -o filenames 2>/dev/null; while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$cur") ;;
    directory) compopt -o filenames 2>/dev/null; while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -d -- "$cur") ;;
    words) while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$list" -- "$cur") ;;
  esac
}
complete -F _mcp_hotline mcp-hotline`;
}
