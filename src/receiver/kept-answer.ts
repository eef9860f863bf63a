import type { KeptAnswer } from './key-store.ts';

// Of one connection or one moment, or for one caller's eyes.
const NOT_KEPT = [
  ...['connection', 'keep-alive', 'transfer-encoding', 'trailer', 'upgrade', 'content-length', 'date', 'age'],
  ...['set-cookie', 'set-cookie2'],
];

type Header = readonly [name: string, value: string];

/** Reads an answer whole, for keeping. @throws TypeError for one that cannot be sent, such as `Response.error()`. */
export async function toKept({ status, headers, body }: Response): Promise<KeptAnswer> {
  const bytes = await new Response(body).arrayBuffer();
  const answer = { status, headers: keptHeaders([...headers]), body: new Uint8Array(bytes) };
  toResponse(answer);
  return answer;
}

/** @throws TypeError when no such answer can be sent: kept, it would break every request that is given it. */
export function toResponse({ status, headers, body }: KeptAnswer): Response {
  try {
    const all = headers.map(([name, value]): [string, string] => [name, value]);
    return new Response(body.length === 0 ? null : body, { status, headers: all });
  } catch (cause) {
    throw new TypeError(
      `An answer with status ${status} cannot be sent: ${(cause as Error).message} Answer with a status from 200 to 599, and no body where it has none.`,
      { cause },
    );
  }
}

export const keptHeaders = (headers: readonly Header[]): readonly Header[] =>
  headers.filter(([name]) => !NOT_KEPT.includes(name.toLowerCase()));

/** The answer for its first caller: all its headers, also those that are not kept. */
export function firstAnswer({ status, body }: KeptAnswer, { headers, statusText }: Response): Response {
  return new Response(body.length === 0 ? null : body, { status, statusText, headers });
}

export function replayOf(answer: KeptAnswer): Response {
  const response = toResponse(answer);
  response.headers.set('idempotency-replayed', 'true');
  return response;
}
