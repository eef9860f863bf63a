import { createHash } from 'node:crypto';
import type { KeyedRequest } from './key-store.ts';

/** A request as its method and its key have it. `plain`: it changes nothing, so a key means nothing. */
export type ReadRequest =
  | { readonly is: 'plain' }
  | { readonly is: 'keyless' }
  | { readonly is: 'unusable' }
  | { readonly is: 'keyed'; readonly keyed: KeyedRequest };

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS', 'TRACE'];

// Without spaces: two headers arrive as one, "a, b". 255 as with Stripe.
const KEY = /^[\x21-\x7e]{1,255}$/;

/** Reads key and data of a request and leaves its body to be read by the work. @throws when the body breaks off. */
export async function readRequest(request: Request, scope: string): Promise<ReadRequest> {
  if (SAFE_METHODS.includes(request.method)) return { is: 'plain' };
  const key = request.headers.get('idempotency-key');
  if (key === null || key === '') return { is: 'keyless' };
  if (!KEY.test(key)) return { is: 'unusable' };
  const { method } = request;
  const { pathname, search } = new URL(request.url);
  const path = pathname + search;
  const body = new Uint8Array(await request.clone().arrayBuffer());
  // A method and a path hold no line break, so no two requests read the same.
  const digest = createHash('sha256').update(`${method}\n${path}\n`).update(body).digest('hex');
  return { is: 'keyed', keyed: { scope, key, digest, method, path } };
}
