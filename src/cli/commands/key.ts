import { randomBytes } from 'node:crypto';
import { userInfo } from 'node:os';
import { assertNever } from '../../policy/assert-never.ts';
import { makeEd25519Key } from '../../policy/ed25519-key.ts';
import { prepareDataFolder } from '../../temporal/data-folder.ts';
import type { Cli } from '../cli.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { findKeyOf } from '../keys/find-signer.ts';
import { readKeyFile, writeKeyFile, type KeyInFile } from '../keys/key-file.ts';
import { keyFiles, listKeyFiles } from '../keys/key-places.ts';
import { didYouMean } from '../../policy/near-matches.ts';
import { shellWord } from '../../policy/shell-word.ts';
import { keyLines, keyListLines } from '../screens/key-lines.ts';
import { UsageError } from '../usage-error.ts';

export interface KeyInput {
  readonly what: 'new' | 'show' | 'ls';
  readonly name?: string;
  readonly out?: string;
}

/** Makes a decider's key, or shows the public part of one. No secret is ever printed. */
export async function key(cli: Cli, { what, name, out }: KeyInput): Promise<ExitCode> {
  switch (what) {
    case 'new':
      return make(cli, needName(name, what), out);
    case 'show':
      return show(cli, name ?? userInfo().username);
    case 'ls':
      return list(cli);
    default:
      return assertNever(what);
  }
}

/** As a decider's name may be. */
function needName(name: string | undefined, what: string): string {
  const trimmed = name?.trim() ?? '';
  if (trimmed !== '' && trimmed === name) return name;
  throw new UsageError(`key ${what} needs a name, as deciders have one: npx holdfast key ${what} ada`);
}

async function make(cli: Cli, name: string, out: string | undefined): Promise<ExitCode> {
  const file = out ?? keyFiles(name, cli.settings)[0] ?? '';
  const made = await makeEd25519Key(randomBytes(32));
  // Made now if need be, so that git never sees what lies in it.
  if (out === undefined) await prepareDataFolder(cli.settings.dataDir);
  await writeKeyFile(file, made);
  cli.answer({ name, file, public: made.public, isNew: true }, keyLines);
  return EXIT.done;
}

async function show(cli: Cli, name: string): Promise<ExitCode> {
  const found = await findKey(cli, name);
  cli.answer({ name, file: found.file, public: found.public, isNew: false }, keyLines);
  return EXIT.done;
}

/** By name, or by file. */
async function findKey({ settings }: Cli, name: string): Promise<KeyInFile> {
  const found = (await findKeyOf(name, settings)) ?? (await readKeyFile(name));
  if (found) return found;
  const places = keyFiles(name, settings).map((file) => `\n  ${file}`);
  const known = listKeyFiles(settings).map((key) => key.name);
  throw new Error(
    `there is no key of "${name}".${didYouMean(name, known)} Looked for:${places.join('')}\n` +
      `  Make one: npx holdfast key new ${shellWord(name)}`,
  );
}

async function list(cli: Cli): Promise<ExitCode> {
  const files = listKeyFiles(cli.settings);
  const rows = await Promise.all(
    files.map(async ({ name, file }) => {
      const read = await readKeyFile(file).catch((error: unknown) => error as Error);
      return { name, file, ...(read instanceof Error ? { trouble: read.message } : { public: read?.public ?? '' }) };
    }),
  );
  cli.answer(rows, keyListLines);
  return EXIT.done;
}
