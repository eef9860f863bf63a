import { SECRET_PATTERNS } from './secret-patterns.ts';

/** A shorter one would be found in any text. */
const SHORTEST_KNOWN = 6;
const MASK = '***';
const MAX_PASSES = 8;

/**
 * The text without what looks like a key, a token or a password, each left as `***`, and without the secrets that are known, be
 * they written as they are, as JSON or in an address. Again changes nothing more.
 * @param known whole secrets, of 6 characters or more
 */
export function maskSecrets(text: string, known: readonly string[] = []): string {
  return replaceSecrets(maskKnown(text, known), () => MASK);
}

/** The same with a mark of your own, which `***` and `[REDACTED:…]` may be: those are not taken for secrets. */
export function replaceSecrets(text: string, markOf: (rule: string) => string): string {
  let left = text;
  // What is taken out may show where another begins.
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const next = replaceOnce(left, markOf);
    if (next === left) break;
    left = next;
  }
  return left;
}

function replaceOnce(text: string, markOf: (rule: string) => string): string {
  return SECRET_PATTERNS.reduce(
    (left, { rule, pattern }) =>
      left.replace(pattern, (...found: unknown[]) => {
        const [whole, groups] = [String(found[0]), found.at(-1)];
        const kept = typeof groups === 'object' ? ((groups as { readonly kept?: string }).kept ?? '') : '';
        const quote = /^\\?["']/.exec(whole.slice(kept.length))?.[0] ?? '';
        return `${kept}${quote}${markOf(rule)}`;
      }),
    text,
  );
}

function maskKnown(text: string, known: readonly string[]): string {
  const spellings = known
    .filter((secret) => secret.length >= SHORTEST_KNOWN)
    .flatMap((secret) => [secret, encodeURIComponent(secret.toWellFormed()), JSON.stringify(secret).slice(1, -1)])
    .sort((a, b) => b.length - a.length);
  return spellings.reduce((left, secret) => left.replaceAll(secret, MASK), text);
}

/** Does a field of this name hold a secret? Goes by its last words: `sessionToken` does, `tokenCount` does not. */
export function isSecretName(name: string): boolean {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '');
  const last = words.at(-1) ?? '';
  if (words.length === 1 && ALONE.includes(last)) return true;
  return SECRET_WORDS.includes(last) || (last === 'key' && KEY_OF.includes(words.at(-2) ?? ''));
}

const SECRET_WORDS = [
  ...['authorization', 'cookie', 'password', 'passwd', 'passphrase', 'pwd', 'secret', 'token', 'apikey', 'ssn'],
  ...['credential', 'credentials'],
];
const ALONE = ['pass'];
const KEY_OF = ['api', 'private', 'access', 'secret', 'auth'];
