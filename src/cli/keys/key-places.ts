import { existsSync, readdirSync } from 'node:fs';
import { homedir, platform } from 'node:os';
import { join, resolve } from 'node:path';
import type { Settings } from '../../temporal/settings.ts';

type Places = Pick<Settings, 'dataDir' | 'env'>;

/** Where a person's key may lie, in the order in which it is looked for: with the project, then with the user. */
export function keyFolders({ dataDir, env }: Places): readonly string[] {
  return [join(dataDir, 'keys'), join(configFolder(env), 'keys')];
}

/** The files that a decider's key may be in, the first one that exists counts. */
export function keyFiles(name: string, places: Places): readonly string[] {
  return keyFolders(places).map((folder) => join(folder, keyFileName(name)));
}

const ENDING = '.key';

/** A name as a file is called: two names never share one, and none leads out of its folder. */
const keyFileName = (name: string): string =>
  `${name.replace(/^\.|[^\p{L}\p{N}._@+-]/gu, (letter) => `%${(letter.codePointAt(0) ?? 0).toString(16)};`)}${ENDING}`;

const nameOfFile = (file: string): string =>
  file
    .slice(0, -ENDING.length)
    .replace(/%([0-9a-f]{1,6});/g, (_, code: string) => String.fromCodePoint(parseInt(code, 16)));

/** Every key file in these places, under the name it is for. */
export function listKeyFiles(places: Places): readonly { readonly name: string; readonly file: string }[] {
  return keyFolders(places)
    .filter(existsSync)
    .flatMap((folder) =>
      readdirSync(folder)
        .filter((file) => file.endsWith(ENDING))
        .sort()
        .map((file) => ({ name: nameOfFile(file), file: join(folder, file) })),
    );
}

/** The user's own folder for settings, on each system where its programs look for them. */
function configFolder(env: Places['env']): string {
  if (env['XDG_CONFIG_HOME']) return resolve(env['XDG_CONFIG_HOME'], 'holdfast');
  if (platform() === 'win32' && env['APPDATA']) return join(env['APPDATA'], 'holdfast');
  const home = env['HOME'] || homedir();
  return platform() === 'darwin'
    ? join(home, 'Library', 'Application Support', 'holdfast')
    : join(home, '.config', 'holdfast');
}
