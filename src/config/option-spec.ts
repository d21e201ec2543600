// The shape of one row in the table of options: which kinds of values there are, and what a row may say about them.
// options.ts has the rows, check.ts checks values.

export const groups = [
  'Checking',
  'Watching',
  'Building',
  'Reloading',
  'Limits',
  'Agent',
  'HTTP',
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

/** A form that a text must have, besides not being empty. */
interface Form {
  /** A regular expression in its `u` form, for the whole text. */
  readonly pattern: string;
  /** Completes the word "expected". */
  readonly expected: string;
}

interface ListSpec extends Common {
  readonly type: 'list';
  /** The form of each item. */
  readonly form?: Form;
  /** The items are file endings: `ts,tsx` is two of them, and a leading dot is dropped. */
  readonly endings?: true;
}
interface NumberSpec extends Common {
  readonly type: 'number';
  readonly unit?: 'milliseconds' | 'MiB';
  readonly min: number;
  readonly max: number;
  readonly default?: number;
  /**
   * The value of the bare option; one that has it can also be negated: `--no-poll`. `true`: the bare option means
   * something that no number says.
   */
  readonly bare?: number | true;
}
interface TextSpec extends Common {
  readonly type: 'text';
  readonly form?: Form;
  readonly default?: string;
  readonly bare?: string;
  /** The value must not be shown: neither in an error nor anywhere else. */
  readonly secret?: true;
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
/** An option as a user sees it. */
export type OptionSpec = ListSpec | NumberSpec | TextSpec | ChoiceSpec | SwitchSpec | SignalSpec;

/** What only an option of the proxy itself says: where else its value comes from, and what becomes of it. */
interface InForce {
  /** A variable of older programs that sets it too. */
  readonly variable?: string;
  /**
   * Values are paths, written relative to the configuration file or to where the user stands. `relative`: they stay as
   * they are written where that is possible. `pattern`: so do globs that match in any directory. `absolute`: they are
   * made absolute.
   */
  readonly path?: 'relative' | 'pattern' | 'absolute';
  /**
   * The key of `Config` that gets the value, if it is not the option's own name. `rules`: rules.ts makes the rules of
   * it. `nothing`: it says which file is read, and can't be in that file.
   */
  readonly becomes?: string;
  /** When an edit of the value in the configuration file takes effect. */
  readonly takesEffect: TakesEffect;
  /** The proxy may replace the value by what it learns; to write the same value again then counts as an edit. */
  readonly learned?: true;
}

/**
 * `now`: whoever needs the value asks for it each time. `new-server`: a server is started with it, so an edit starts
 * one. `next-start`: the proxy itself is built on it, so an edit waits until mcp-hotline is started again.
 */
export type TakesEffect = 'now' | 'new-server' | 'next-start';

export type ProxyOptionSpec = OptionSpec & InForce;

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
