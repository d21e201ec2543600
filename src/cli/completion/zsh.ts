// The completion script for zsh: one call of its own _arguments a command.

import type { Command } from '../command.js';
import { choicesOf, commandNames, quoted, valuedOptions, wordsOf, type Word } from './words.js';

export function zsh(commands: readonly Command[]): string {
  const { all, ofServers } = commandNames(commands);
  const argumentsOf = (command: Command): string =>
    wordsOf(command)
      .flatMap((word) => {
        const { name, alias, repeatable } = word;
        const text = `[${word.description.replace(/[[\]:\\]/g, '\\$&')}]${zshValue(word)}`;
        const forms = alias === undefined ? [`--${name}`] : [`-${alias}`, `--${name}`];
        return forms.map((form) => {
          const equals = word.value.kind === 'none' ? '' : form.startsWith('--') ? '=' : '+';
          const others = repeatable ? '*' : forms.length > 1 ? `(${forms.join(' ')})` : '';
          return `        ${quoted(`${others}${form}${equals}${text}`)}`;
        });
      })
      .join(' \\\n');
  const branches = commands.map((command) => {
    const choices = choicesOf(command, commands).join(' ');
    const rest = choices === '' ? '' : ` \\\n        ${quoted(`${operandPattern(command)}:(${choices})`)}`;
    return `    ${command.name})\n      _arguments -s -S \\\n${argumentsOf(command)}${rest}\n      ;;`;
  });
  const described = commands.map(({ name, summary }) => `      ${quoted(`${name}:${summary.replaceAll(':', '\\:')}`)}`);
  return `#compdef mcp-hotline
# Completion of mcp-hotline for zsh. In ~/.zshrc, after compinit: source <(mcp-hotline completion zsh)
_mcp_hotline() {
  local command=run named server
  integer i=2
  # Options may stand before the command, which is taken out.
  while (( i < CURRENT )); do
    case $words[i] in
      (--) server=$(( i + 1 )) ;;
      (${valuedOptions(commands).join('|')}) [[ $words[i+1] == -* ]] || (( i++ )) ;;
      (-*) ;;
      (*)
        if [[ -z $named && $words[i] == (${all.join('|')}) ]]; then
          named=yes command=$words[i]
          words[i]=()
          (( CURRENT--, i-- ))
        elif [[ $command == (${ofServers.join('|')}) ]]; then
          server=$i
        fi
        ;;
    esac
    [[ -n $server ]] && break
    (( i++ ))
  done
  if [[ -n $server ]]; then
    shift $(( server - 1 )) words
    (( CURRENT -= server - 1 ))
    (( CURRENT == 1 )) && _files
    _normal
    return
  fi
  if [[ -z $named && i -eq CURRENT && $PREFIX != -* ]]; then
    local -a commands=(
${described.join('\n')}
    )
    _describe command commands
    return
  fi
  case $command in
${branches.map((branch) => branch.replace(/^ {4}(\w+\))/, '    ($1')).join('\n')}
  esac
}
if [[ $funcstack[1] == _mcp_hotline ]]; then
  _mcp_hotline "$@"
else
  compdef _mcp_hotline mcp-hotline
fi`;
}

/** One, or any number of them. */
function operandPattern({ operands }: Command): string {
  if (operands.kind !== 'words') return '';
  return `${operands.max === 1 ? '1' : '*'}:${operands.name}`;
}

function zshValue({ value, name }: Word): string {
  switch (value.kind) {
    case 'none':
      return '';
    case 'file':
      return `:${name}:_files`;
    case 'directory':
      return `:${name}:_files -/`;
    case 'choice':
      return `${value.optional === true ? '::' : ':'}${name}:(${value.choices.join(' ')})`;
    case 'optional':
      return `::${name}: `;
    case 'any':
      return `:${name}: `;
  }
}
