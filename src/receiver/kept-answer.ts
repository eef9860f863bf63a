import type { KeptAnswer } from './key-store.ts';

// Of one connection or one moment, or for one caller's eyes.
const NOT_KEPT = [
  ...['connection', 'keep-alive', 'transfer-encoding', 'trailer', 'upgrade', 'content-length', 'date', 'age'],
  ...['set-cookie', 'set-cookie2'],
];

type Header = readonly [name: string, value: string];

/** Reads an answer whole, for keeping. */
export async function toKept({ status, headers, body }: Response): Promise<KeptAnswer> {
  const bytes = await new Response(body).arrayBuffer();
  return { status, headers: keptHeaders([...headers]), body: new Uint8Array(bytes) };
}

export const keptHeaders = (headers: readonly Header[]): readonly Header[] =>
  headers.filter(([name]) => !NOT_KEPT.includes(name.toLowerCase()));

/** The answer for its first caller: all its headers, also those that are not kept. */
export function firstAnswer({ status, body }: KeptAnswer, { headers, statusText }: Response): Response {
  return new Response(body.length === 0 ? null : body, { status, statusText, headers });
}

export function replayOf({ status, headers, body }: KeptAnswer): Response {
  const all = new Headers(headers.map(([name, value]) => [name, value]));
  all.set('idempotency-replayed', 'true');
  return new Response(body.length === 0 ? null : body, { status, headers: all });
}
