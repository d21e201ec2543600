// What a command of the program says about itself. The command line is read by it, and help and completion are made of
// it, so that each fact is written once. A new command is a file in commands/ and one line in commands.ts.

import type { Result } from '../config/check.js';
import type { CommandLineOptions } from '../config/config.js';
import type { OptionSpec } from '../config/option-spec.js';

export interface Command {
  readonly name: string;
  /** Its line in the list of commands. */
  readonly summary: string;
  /** The form of what follows the name, for its page of help. */
  readonly form: string;
  /** The paragraph that opens its page of help. */
  readonly about: string;
  readonly operands: Operands;
  readonly options: readonly OptionSpec[];
  /** The options that its page of help shows, if these are not all. */
  readonly ownOptions?: readonly OptionSpec[];
  /** Options that it has not but people may expect, with what is right instead. */
  readonly misplaced?: Readonly<Record<string, string>>;
  readonly examples: readonly (readonly [line: string, what: string])[];
  /** The paragraph that ends its page of help. */
  readonly epilogue?: string;
  /** Imports what it needs only when it is called, because a start of the proxy loads every file in commands/. */
  perform(invocation: Invocation): Promise<Outcome>;
}

/** The operands of a command: the command of a server, nothing, or words of its own. */
export type Operands =
  | { readonly kind: 'server' | 'none' }
  | {
      readonly kind: 'words';
      /** The name of an operand, for error messages and completion. */
      readonly name: string;
      /** The largest number of operands; any number if this is left out. */
      readonly max?: number;
      /** The words that are allowed; any word if this is left out. */
      choices?(commands: readonly Command[]): readonly string[];
      /** Options of the proxy may follow `--`. */
      readonly proxyOptions?: true;
    };

/** One use of a command. A command with options of its own names them in `Values`, which their table has checked. */
export interface Invocation<Values = CommandLineOptions> {
  /** The values of the options, and the server's command among them. */
  readonly given: Values;
  readonly operands: readonly string[];
  /** The words of the options as they were typed. */
  readonly typed: readonly string[];
  /** Options of the proxy that follow `--`, checked, as they were typed. */
  readonly proxyOptions: readonly string[];
  readonly commands: readonly Command[];
  /** Resolves when the text and a line end have been written to stdout. */
  print(text: string): Promise<void>;
}

/** The exit code; or what is wrong, for exit code 1, and a text that is shown below it. */
export type Outcome = Result<number> | { readonly ok: false; readonly error: string; readonly notice?: string };

/** The form of commands that start a server. */
export const serverForm = '[options] -- <command> [args…]';

/** How the command is typed. */
export function usageOf({ name, form }: Command): string {
  return `mcp-hotline ${name === 'run' ? '' : `${name} `}${form}`.trimEnd();
}
