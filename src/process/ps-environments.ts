/**
 * Reads what `ps` of macOS says about the environments of processes. With -E it prints the variables behind the command
 * and its arguments, with nothing to tell them apart, so the same list without -E says where they begin. Pure;
 * marked.ts runs `ps`.
 */

export interface PsProcess {
  readonly pid: number;
  readonly group: number;
  readonly name: string;
  /** Of the variable that was asked for. */
  readonly value: string;
}

/**
 * Both texts have lines of pid, group and command. Processes without the variable, and those that are in one text only,
 * are left out.
 */
export function parseEnvironments(commands: string, environments: string, variable: string): PsProcess[] {
  const known = new Map(linesOf(commands).map(({ pid, rest }) => [pid, rest]));
  return linesOf(environments).flatMap(({ pid, group, rest }) => {
    const command = known.get(pid);
    // Another process by the same number, or one that has started another program in between: nothing is proved.
    if (command === undefined || !rest.startsWith(`${command} `)) return [];
    const words = rest.slice(command.length + 1).split(' ');
    const found = words.find((word) => word.startsWith(`${variable}=`));
    if (found === undefined) return [];
    const [program = ''] = command.split(' ');
    return [{ pid, group, name: program.slice(program.lastIndexOf('/') + 1), value: found.slice(variable.length + 1) }];
  });
}

function linesOf(text: string): { readonly pid: number; readonly group: number; readonly rest: string }[] {
  return text.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(.+?)\s*$/.exec(line);
    return match === null ? [] : [{ pid: Number(match[1]), group: Number(match[2]), rest: match[3] ?? '' }];
  });
}
