// The shape of one row in the table of options: what kinds of values there are and what a row may say about them. The
// rows themselves are options.ts's, the judging of values check.ts's.

export const groups = [
  'Checking',
  'Watching',
  'Building',
  'Reloading',
  'Limits',
  'Agent',
  'Logging',
  'General',
] as const;

interface Common {
  readonly name: string;
  readonly alias?: string;
  readonly group: (typeof groups)[number];
  readonly description: string;
  /** What stands for the value in the help. */
  readonly placeholder?: string;
  /** What the help calls the default where there is no plain value to show. */
  readonly otherwise?: string;
  /** What `--no-<name>` does, where the help should show it. */
  readonly negated?: string;
}

interface ListSpec extends Common {
  readonly type: 'list';
  /** The items are file endings: `ts,tsx` is two of them, and a leading dot is dropped. */
  readonly endings?: true;
}
interface NumberSpec extends Common {
  readonly type: 'number';
  readonly unit?: 'milliseconds' | 'MiB';
  readonly min: number;
  readonly max: number;
  readonly default?: number;
  /** The value of the bare option; one that has it can also be negated: `--no-poll`. */
  readonly bare?: number;
}
interface TextSpec extends Common {
  readonly type: 'text';
  readonly bare?: string;
}
interface ChoiceSpec extends Common {
  readonly type: 'choice';
  readonly choices: readonly string[];
  readonly default: string;
}
interface SwitchSpec extends Common {
  readonly type: 'switch';
  readonly default: boolean;
  /** What it can be besides on and off. Such a switch takes a value on the command line, and none is needed. */
  readonly modes?: readonly string[];
}
interface SignalSpec extends Common {
  readonly type: 'signal';
  readonly default: NodeJS.Signals;
}
export type OptionSpec = ListSpec | NumberSpec | TextSpec | ChoiceSpec | SwitchSpec | SignalSpec;

/** Whether the option can have a value on the command line: a plain switch has none. */
export function takesValue(spec: OptionSpec): boolean {
  return spec.type !== 'switch' || spec.modes !== undefined;
}

/** The words that a switch with further modes takes; none for every other option. */
export function switchWords(spec: OptionSpec): readonly string[] {
  return spec.type === 'switch' && spec.modes !== undefined ? ['on', 'off', ...spec.modes] : [];
}

/** Whether `--no-<name>` means something: for what can be switched, and for what has a bare form. */
export function negatable(spec: OptionSpec): boolean {
  return spec.type === 'switch' || 'bare' in spec;
}
