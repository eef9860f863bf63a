import { userInfo } from 'node:os';
import type { Decider } from '../../contracts/decider.ts';
import { readDeciderKey } from '../../policy/decider-key.ts';
import { mayDecide, type DecidedAbout, type Standing } from '../../policy/may-decide.ts';
import { shellWord } from '../../policy/shell-word.ts';
import { readSecret, type Settings } from '../../temporal/settings.ts';
import { readKeyFile, type KeyInFile } from './key-file.ts';
import { keyFiles } from './key-places.ts';

/** Who decides, as the decision names them, and what they sign with; unsigned where nobody asks for it. */
export interface Signer {
  readonly by: string;
  readonly signWith?: string;
}

export interface SignerSearch {
  /** --by and --key, where they were given. */
  readonly by: string | undefined;
  readonly key: string | undefined;
  /** As the configuration has them. Undefined: there are none, or there is no configuration here. */
  readonly deciders: readonly Decider[] | undefined;
  /** Undefined where nobody can say: then only the name is looked at. */
  readonly about: DecidedAbout | undefined;
  readonly settings: Pick<Settings, 'dataDir' | 'env'>;
}

/**
 * Whose decision it is: that of --by, of whoever has the key of --key, or of this machine's user; and their key, from --key or
 * from where keys lie. @throws where the decision would be refused: not theirs to make, no key, another one's key.
 */
export async function findSigner({ by, key, deciders, about, settings }: SignerSearch): Promise<Signer> {
  const given = key === undefined ? undefined : await needKeyFile(key);
  const owner = deciders?.find((decider) => decider.key === given?.public)?.name;
  const name = by ?? owner ?? userInfo().username;
  const found = given ?? (await findKeyOf(name, settings));
  if (deciders === undefined) return { by: name, ...(found && { signWith: found.secret }) };
  const decider = needDecider(deciders, { name, isNamed: by !== undefined, about });
  return { by: name, signWith: await secretOf(decider, { found, isGiven: given !== undefined, settings }) };
}

async function needKeyFile(file: string): Promise<KeyInFile> {
  const key = await readKeyFile(file);
  if (key) return key;
  throw new Error(`there is no key file ${file} (--key). Make one with: npx holdfast key new NAME --out FILE`);
}

/** The key of that name from where keys lie; undefined when there is none. */
export async function findKeyOf(name: string, places: SignerSearch['settings']): Promise<KeyInFile | undefined> {
  for (const file of keyFiles(name, places)) {
    const key = await readKeyFile(file);
    if (key) return key;
  }
  return undefined;
}

function needDecider(
  deciders: readonly Decider[],
  { name, isNamed, about }: { readonly name: string; readonly isNamed: boolean } & Pick<SignerSearch, 'about'>,
): Decider {
  const standing = about ? mayDecide(deciders, { ...about, by: name }) : isDecider(deciders, name);
  if (standing.is === 'decider') return standing.decider;
  throw new Error(`${standing.why}${isNamed ? '' : '\n  Say who you are: add --by NAME, or --key FILE.'}`);
}

function isDecider(deciders: readonly Decider[], name: string): Standing {
  const decider = deciders.find((one) => one.name === name);
  if (decider) return { is: 'decider', decider };
  return { is: 'refused', why: `"${name}" is no decider. There are: ${deciders.map((one) => one.name).join(', ')}.` };
}

async function secretOf(
  { name, key }: Decider,
  { found, isGiven, settings }: Pick<SignerSearch, 'settings'> & { found: KeyInFile | undefined; isGiven: boolean },
): Promise<string> {
  const wanted = readDeciderKey(key);
  if (wanted.is === 'hmac') {
    if (isGiven)
      throw new Error(`${name} signs with the secret in ${wanted.env}, not with a key file. Leave --key out.`);
    const secret = readSecret(wanted.env, settings.env);
    if (secret !== undefined) return secret;
    throw new Error(`${name} signs with the secret in ${wanted.env}, and ${wanted.env} is not set. Set it.`);
  }
  if (!found) throw new Error(noKey(name, keyFiles(name, settings)));
  if (found.public === key) return found.secret;
  throw new Error(
    `the key in ${found.file} is not the one of ${name} in the configuration.\n` +
      `  The file has      ${found.public}\n  The configuration ${key}`,
  );
}

const noKey = (name: string, files: readonly string[]): string =>
  `decisions here are signed, and there is no key of ${name}. Looked for:\n${files.map((file) => `  ${file}`).join('\n')}\n` +
  `  Elsewhere?  add --key FILE\n  None yet?   npx holdfast key new ${shellWord(name)}, and put what it prints into the configuration`;
