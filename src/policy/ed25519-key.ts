import { fromBase64url, toBase64url } from './base64url.ts';

/** How a decider's private key begins; 32 bytes of seed follow, base64url. */
export const ED25519_SECRET = 'holdfast-ed25519:';

const SEED_BYTES = 32;

// The DER of a PKCS #8 Ed25519 key up to its seed (RFC 8410, section 7).
const PKCS8_PREFIX = [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];

/** What a decider keeps, and what the configuration shows of it: `key` of a `Decider`. */
export interface Ed25519Key {
  readonly secret: string;
  readonly public: `ed25519:${string}`;
}

/** The pair of keys that 32 random bytes make. */
export async function makeEd25519Key(seed: Uint8Array): Promise<Ed25519Key> {
  const secret = `${ED25519_SECRET}${toBase64url(seed)}`;
  const { x } = await crypto.subtle.exportKey('jwk', await importEd25519Secret(secret));
  return { secret, public: `ed25519:${x ?? ''}` };
}

/** @throws when the text is not a key of ours; the message does not show it. */
export async function importEd25519Secret(secret: string) {
  const seed = secret.startsWith(ED25519_SECRET) ? fromBase64url(secret.slice(ED25519_SECRET.length)) : undefined;
  if (seed?.length !== SEED_BYTES) {
    throw new Error(
      `The secret key is not "${ED25519_SECRET}" and 43 characters. Use the text that holdfast key printed, whole and on one line.`,
    );
  }
  return crypto.subtle.importKey('pkcs8', new Uint8Array([...PKCS8_PREFIX, ...seed]), 'Ed25519', true, ['sign']);
}
