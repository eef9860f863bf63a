import type { Screen } from './screen.ts';

export interface ShownKey {
  readonly name: string;
  readonly file: string;
  readonly public: string;
  readonly isNew: boolean;
}

/** A decider's key: where it lies, and the line that makes it count. */
export function keyLines({ name, file, public: publicKey, isNew }: ShownKey, { paint }: Screen): string {
  return [
    isNew ? `${paint.bold(name)}: a new key, in ${file}` : `${paint.bold(name)}: ${file}`,
    ...(isNew ? ['  Only you can read it. Keep it: nothing else can sign in your name.'] : []),
    '  Its public part, for deciders in holdfast.config.ts:',
    `  { name: ${quoted(name)}, key: '${publicKey}' },`,
  ].join('\n');
}

/** As the house style of a TypeScript file has it. */
const quoted = (name: string): string => `'${name.replace(/[\\']/g, '\\$&')}'`;

export interface ListedKey {
  readonly name: string;
  readonly file: string;
  readonly public?: string;
  /** Why it cannot be used. */
  readonly trouble?: string;
}

/** All keys that lie here. */
export function keyListLines(keys: readonly ListedKey[], { paint }: Screen): string {
  if (keys.length === 0) return 'No keys here.   Make one: npx holdfast key new NAME';
  return keys
    .map(({ name, file, public: publicKey, trouble }) =>
      trouble === undefined
        ? `${paint.bold(name)}  ${file}\n  ${publicKey ?? ''}`
        : `${paint.bold(name)}  ${paint.red('cannot be used')}\n  ${trouble}`,
    )
    .join('\n');
}
