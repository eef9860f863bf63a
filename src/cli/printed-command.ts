import { isAbsolute, relative, resolve } from 'node:path';
import { shellWord } from '../policy/shell-word.ts';
import type { Settings } from '../temporal/settings.ts';
import type { GlobalFlags } from './global-flags.ts';

/** Writes a command as a person can paste it, here or in a new shell: `command('show', run)`. */
export type PrintedCommand = (...words: readonly string[]) => string;

/** The options that lead a command from a new shell to the same place: `home` to data and configuration, `server` to Temporal. */
export interface Place {
  readonly home: readonly string[];
  readonly server: readonly string[];
}

// npx finds the command in a clone of Holdfast, in a project that depends on it, and where it is installed for all.
const CALL = 'npx holdfast';

export function printedCommand({ home, server }: Place): PrintedCommand {
  return (...words) => [CALL, ...[...words, ...home, ...server].map(shellWord)].join(' ');
}

/** What differs from where a command goes by itself. `cwd` absolute. */
export function placeOf({ dataDir, env }: Pick<Settings, 'dataDir' | 'env'>, flags: GlobalFlags, cwd: string): Place {
  const option = (name: string, value: string | undefined) => (value ? [`--${name}`, value] : []);
  return {
    home: [
      ...(dataDir === resolve(cwd, '.holdfast') ? [] : ['--data', shortPath(dataDir, cwd)]),
      ...option('config', flags.config),
    ],
    server: [
      ...option('address', flags.address ?? env.TEMPORAL_ADDRESS),
      ...option('namespace', flags.namespace ?? env.TEMPORAL_NAMESPACE),
      ...option('profile', flags.profile ?? env.TEMPORAL_PROFILE),
    ],
  };
}

/** Messages of other rooms say `holdfast dev …`, to the line's end, and do not know where that will be pasted. */
export function makePasteable(message: string, { home }: Place): string {
  const rest = home.map((word) => ` ${shellWord(word)}`).join('');
  return message.replace(/(?<!npx )\bholdfast (dev\b[^\n]*)/g, (_, words: string) => `${CALL} ${words}${rest}`);
}

function shortPath(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return short.startsWith('..') || isAbsolute(short) ? path : short;
}
