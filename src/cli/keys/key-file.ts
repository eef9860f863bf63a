import { mkdir, open, writeFile } from 'node:fs/promises';
import { platform } from 'node:os';
import { dirname } from 'node:path';
import { shellWord } from '../../policy/shell-word.ts';
import { ED25519_SECRET, importEd25519Secret, makeEd25519Key, type Ed25519Key } from '../../policy/ed25519-key.ts';
import { fromBase64url } from '../../policy/base64url.ts';

/** A decider's key, and the file it lies in. */
export interface KeyInFile extends Ed25519Key {
  readonly file: string;
}

/** Undefined when there is no such file. @throws for one that others can read, or that holds no key of ours. */
export async function readKeyFile(file: string): Promise<KeyInFile | undefined> {
  const text = await readPrivate(file);
  if (text === undefined) return undefined;
  const secret = text.trim();
  try {
    await importEd25519Secret(secret);
  } catch {
    throw new Error(
      `${file} holds no key: one line is wanted that begins with "${ED25519_SECRET}". Make one with: npx holdfast key new NAME`,
    );
  }
  const seed = fromBase64url(secret.slice(ED25519_SECRET.length));
  if (!seed) throw new Error(`${file} was read as a key a moment ago and is none now.`);
  return { ...(await makeEd25519Key(seed)), file };
}

/** Mode and text are read from one open file: nobody can put another in its place in between. */
async function readPrivate(file: string): Promise<string | undefined> {
  const handle = await open(file, 'r').catch((error: unknown) => {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new Error(`cannot read the key in ${file}: ${message}`, { cause: error });
  });
  if (!handle) return undefined;
  try {
    const { mode } = await handle.stat();
    // Windows has no such bits; its profile folders are their user's own.
    if (platform() !== 'win32' && (mode & 0o077) !== 0) throw new Error(readableByOthers(file, mode));
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

const readableByOthers = (file: string, mode: number): string =>
  `others can read or change the key in ${file} (mode ${(mode & 0o777).toString(8)}). Make it yours alone:\n` +
  `  chmod 600 ${shellWord(file)}\n  If somebody may have read it, make a new one.`;

/** Writes a secret key where nothing is, for its owner only. @throws when something is there. */
export async function writeKeyFile(file: string, { secret }: Ed25519Key): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  try {
    await writeFile(file, `${secret}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new Error(
      `${file} is there already, and a key is never overwritten.\n` +
        `  Use it:           npx holdfast key show ${shellWord(file)}\n` +
        '  Or make another:  add --out FILE',
      { cause: error },
    );
  }
}
