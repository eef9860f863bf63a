import type { Cli } from './cli.ts';
import type { ExitCode } from './exit-code.ts';

/** Flags as commander reads them (`--turns <n>`), what the option is for, and how its value is read or which values it has. */
export type OptionRow = readonly [flags: string, help: string, rule?: ((text: string) => unknown) | readonly string[]];

/** A command reads its arguments and options from one object, each under its own name. */
export interface CommandRow<Input> {
  readonly name: string;
  readonly arguments: readonly (readonly [name: string, help: string, choices?: readonly string[]])[];
  readonly options: readonly OptionRow[];
  /** One line. */
  readonly help: string;
  /** Without `npx holdfast`. */
  readonly example: string;
  /** It runs also where Temporal's settings cannot be read, and says so itself. */
  readonly isTolerant?: true;
  /** Loaded only when it is called: most of them need Temporal's client, and that takes its time. */
  readonly load: () => Promise<(cli: Cli, input: Input) => Promise<ExitCode>>;
}
