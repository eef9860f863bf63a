import { setTimeout as sleep } from 'node:timers/promises';

type Body = AsyncIterable<Buffer>;

/** The first bytes of a body, and no more. */
export async function* firstBytes(body: Body, count: number): AsyncGenerator<Buffer> {
  let left = count;
  if (left === 0) return;
  for await (const chunk of body) {
    yield chunk.subarray(0, left);
    left -= chunk.length;
    if (left <= 0) return;
  }
}

/** The whole body, so many bytes at a time with a pause after each piece. */
export async function* inDrops(
  body: Body,
  { bytes, everyMs, signal }: { readonly bytes: number; readonly everyMs: number; readonly signal: AbortSignal },
): AsyncGenerator<Buffer> {
  for await (const chunk of body) {
    for (let at = 0; at < chunk.length; at += bytes) {
      yield chunk.subarray(at, at + bytes);
      await sleep(everyMs, undefined, { signal });
    }
  }
}

/** The first events of an event stream, then one more with `data`. A stream with fewer gets it at its end. */
export async function* brokenEvents(body: Body, count: number, data: string): AsyncGenerator<Buffer> {
  let left = count;
  // Byte for byte: a character may be cut by the end of a chunk.
  let rest = '';
  reading: for await (const chunk of body) {
    if (left === 0) break;
    rest += chunk.toString('latin1');
    for (let end = endOfEvent(rest); end > 0; end = endOfEvent(rest)) {
      yield Buffer.from(rest.slice(0, end), 'latin1');
      rest = rest.slice(end);
      left -= 1;
      if (left === 0) break reading;
    }
  }
  yield Buffer.from(`data: ${data}\n\n`);
}

/** Where the first event of a text ends, its blank line included; 0 when it is not whole. */
function endOfEvent(text: string): number {
  const [blank] = /\r?\n\r?\n/.exec(text) ?? [];
  return blank === undefined ? 0 : text.indexOf(blank) + blank.length;
}
