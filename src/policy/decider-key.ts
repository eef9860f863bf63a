import { fromBase64url } from './base64url.ts';

/** A decider's key as its configuration has it: a public key, or the name of the environment variable with the secret. */
export type DeciderKey =
  | { readonly is: 'ed25519'; readonly publicKey: Uint8Array<ArrayBuffer> }
  | { readonly is: 'hmac'; readonly env: string }
  | { readonly is: 'unusable'; readonly why: string };

const ED25519_BYTES = 32;
const VARIABLE = /^[A-Za-z_]\w*$/;

/** Reads `ed25519:` and 43 characters, or `hmac:` and a variable's name. */
export function readDeciderKey(key: unknown): DeciderKey {
  const [, kind, rest = ''] = typeof key === 'string' ? (/^(ed25519|hmac):(.*)$/s.exec(key) ?? []) : [];
  if (kind === 'hmac') {
    if (VARIABLE.test(rest)) return { is: 'hmac', env: rest };
    // Not shown: whoever takes it for the secret's place has just written the secret.
    return { is: 'unusable', why: 'what follows "hmac:" is not the name of an environment variable' };
  }
  if (kind !== 'ed25519') return { is: 'unusable', why: 'it begins with neither "ed25519:" nor "hmac:"' };
  const publicKey = fromBase64url(rest);
  if (publicKey?.length === ED25519_BYTES) return { is: 'ed25519', publicKey };
  return {
    is: 'unusable',
    why: publicKey
      ? `its public key has ${publicKey.length} bytes, not ${ED25519_BYTES}`
      : 'its public key is not base64url (letters, digits, "-" and "_")',
  };
}
