import type { Decider } from '../contracts/decider.ts';
import { assertNever } from './assert-never.ts';
import { fromBase64url, toBase64url } from './base64url.ts';
import { readDeciderKey } from './decider-key.ts';
import { ED25519_SECRET, importEd25519Secret } from './ed25519-key.ts';

export type SignatureCheck = { readonly is: 'valid' } | { readonly is: 'refused'; readonly why: string };

export interface SignatureClaim {
  /** As `signedText` writes it, from what was received. */
  readonly text: string;
  readonly signature: string | undefined;
  readonly decider: Decider;
  /** A secret from the environment by its name; undefined when it is not set. */
  readonly secretOf: (env: string) => string | undefined;
}

// As long as the digest: RFC 2104, section 3, discourages less.
const MIN_SECRET_BYTES = 32;

/**
 * Signs a text, for `signature` of a decision. `secretKey`: what `makeEd25519Key` made, or else the secret of an `hmac:` key.
 * @throws when the key cannot be used; the message does not show it.
 */
export async function signDecision(text: string, secretKey: string): Promise<string> {
  if (secretKey.startsWith(ED25519_SECRET)) {
    const key = await importEd25519Secret(secretKey);
    return toBase64url(new Uint8Array(await crypto.subtle.sign('Ed25519', key, utf8(text))));
  }
  if (isShort(secretKey)) throw new Error(`The secret key ${SHORT}`);
  return toBase64url(new Uint8Array(await crypto.subtle.sign('HMAC', await importHmac(secretKey), utf8(text))));
}

/** Whether a text was signed with a decider's key. Never throws: what cannot be verified is refused, with what to do. */
export async function verifySignature({ text, signature, decider, secretOf }: SignatureClaim): Promise<SignatureCheck> {
  const { name } = decider;
  const key = readDeciderKey(decider.key);
  if (signature === undefined) {
    return refused(`The decision is not signed. Sign it with the key of ${name}: holdfast resolve and approve do.`);
  }
  const bytes = fromBase64url(signature);
  if (!bytes) return refused('The signature is not base64url. Send the text that signing gave, unchanged.');
  switch (key.is) {
    case 'unusable':
      return refused(`The key of ${name} cannot be used: ${key.why}. Correct it in the configuration.`);
    case 'ed25519':
      return toCheck(await isEd25519(bytes, text, key.publicKey), name);
    case 'hmac': {
      const secret = secretOf(key.env);
      if (secret === undefined) {
        return refused(`The worker has no ${key.env} to verify ${name} with. Set it in the worker's environment.`);
      }
      if (isShort(secret)) return refused(`The secret in the worker's ${key.env} ${SHORT}`);
      return toCheck(await crypto.subtle.verify('HMAC', await importHmac(secret), bytes, utf8(text)), name);
    }
    default:
      return assertNever(key);
  }
}

const refused = (why: string): SignatureCheck => ({ is: 'refused', why });

function toCheck(isValid: boolean, name: string): SignatureCheck {
  if (isValid) return { is: 'valid' };
  return refused(
    `The signature is not one of ${name} over this decision. Sign exactly what is sent, for this run and question, with the key of ${name}.`,
  );
}

async function isEd25519(signature: Uint8Array<ArrayBuffer>, text: string, key: Uint8Array<ArrayBuffer>) {
  try {
    const publicKey = await crypto.subtle.importKey('raw', key, 'Ed25519', true, ['verify']);
    return await crypto.subtle.verify('Ed25519', publicKey, signature, utf8(text));
  } catch {
    // 32 bytes that are no point of the curve: nobody can have signed with that.
    return false;
  }
}

function importHmac(secret: string) {
  return crypto.subtle.importKey('raw', utf8(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
}

const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const isShort = (secret: string): boolean => utf8(secret).length < MIN_SECRET_BYTES;
const SHORT = `has fewer than ${MIN_SECRET_BYTES} bytes, so it could be guessed. Make one with: openssl rand -base64 32`;
