import { inspect } from 'node:util';
import pico from 'picocolors';
import { readLocalSettings, readSettings, type Settings } from '../temporal/settings.ts';
import { variablesOf, type GlobalFlags } from './global-flags.ts';
import { placeOf, printedCommand, type Place, type PrintedCommand } from './printed-command.ts';
import { plain } from './screens/plain.ts';
import type { Screen } from './screens/screen.ts';

/** One call of the program: where it works, and how it speaks. */
export interface Cli {
  readonly settings: Settings;
  readonly flags: GlobalFlags;
  /** Why Temporal's settings cannot be used; only a tolerant command meets it. */
  readonly fault?: Error;
  /** Printed commands carry it, so that they work in a new shell. */
  readonly place: Place;
  readonly command: PrintedCommand;
  /** As it is at this moment. */
  screen(): Screen;
  /** The command's answer, on standard output: as JSON on one line, or drawn for people. */
  answer<Data>(data: Data, draw: (data: Data, screen: Screen) => string): void;
  /** A line for people only, while they wait. */
  say(line: string): void;
  /** A remark beside the answer, on standard error. */
  note(line: string): void;
}

/** @throws Error when Temporal's profile or configuration file cannot be read. */
export const openCli = (flags: GlobalFlags): Cli => cliOf(readSettings(undefined, variablesOf(flags)), flags);

/** For a command that goes on with what it can: with the local server where Temporal's settings cannot be read, and why. */
export function openTolerantCli(flags: GlobalFlags): Cli {
  try {
    return openCli(flags);
  } catch (error) {
    const fault = error instanceof Error ? error : new Error(String(error));
    return { ...cliOf(readLocalSettings(undefined, variablesOf(flags)), flags), fault };
  }
}

function cliOf(settings: Settings, flags: GlobalFlags): Cli {
  const place = placeOf(settings, flags, process.cwd());
  const { stdout, stderr } = process;
  const paint = pico.createColors(wantsColour(stdout));
  const command = printedCommand(place);
  const screen = (): Screen => ({ width: stdout.columns || 80, now: Date.now(), paint, command });
  return {
    settings,
    flags,
    place,
    command,
    screen,
    answer: (data, draw) => {
      stdout.write(`${flags.json ? JSON.stringify(data) : draw(plain(data), screen())}\n`);
    },
    say: (line) => {
      if (!flags.json) stdout.write(`${line}\n`);
    },
    note: (line) => {
      stderr.write(`${line}\n`);
    },
  };
}

/** For --verbose: everything an error knows, its causes and stacks included. */
export const inspectError = (error: unknown): string => inspect(error, { depth: 4 });

/** Only a terminal does: asked by name, because picocolors takes CI for one, and `undefined` for yes. */
function wantsColour({ isTTY }: { readonly isTTY?: boolean }): boolean {
  return pico.isColorSupported && isTTY === true;
}
