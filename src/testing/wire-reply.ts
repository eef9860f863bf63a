import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ModelFault } from './model-fault.ts';

/** An HTTP answer as data; a streamed one has its body in several pieces. */
export interface WireReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly pieces: readonly string[];
}

export function jsonReply(status: number, body: unknown): WireReply {
  return { status, headers: { 'content-type': 'application/json' }, pieces: [JSON.stringify(body)] };
}

/** The reply a fault leaves: its own status and body where it has them, its headers added to what is there. */
export function withFault(reply: WireReply, fault: ModelFault | undefined): WireReply {
  if (!fault) return reply;
  const isOwn = fault.status !== undefined || fault.body !== undefined;
  const base = isOwn ? errorReply(fault.status ?? 200, fault.body) : reply;
  return { ...base, headers: { ...base.headers, ...fault.headers } };
}

/** A made-up failure: with this body, or as OpenAI words an error. */
export function errorReply(status: number, body: string | undefined): WireReply {
  const type = status === 429 ? 'rate_limit_error' : 'server_error';
  const usual = jsonReply(status, { error: { message: `injected fault: ${status}`, type, param: null, code: null } });
  return body === undefined ? usual : { ...usual, pieces: [body] };
}

/**
 * Sends a reply, each piece of its body `pieceMs` after the one before; one that is cut stops after so many bytes of its body and then
 * drops the connection, or hangs. Resolves when all is sent.
 */
export async function sendReply(
  response: ServerResponse,
  reply: WireReply,
  fault?: ModelFault,
  pieceMs = 0,
): Promise<void> {
  response.writeHead(reply.status, reply.headers);
  // Headers go at once: a reset sent earlier than the bytes could overtake them.
  response.flushHeaders();
  const cut = fault?.cutAfterBytes;
  let written: Promise<void> = Promise.resolve();
  for (const piece of cut === undefined ? reply.pieces.map(toBytes) : keepBytes(reply.pieces, cut)) {
    // Nobody listens any more.
    if (response.destroyed) return;
    written = new Promise((resolve) => response.write(piece, () => resolve()));
    if (pieceMs > 0) await sleep(pieceMs);
  }
  await written;
  if (cut === undefined) response.end();
  else if (!fault?.hang) response.destroy();
}

const toBytes = (text: string): Buffer => Buffer.from(text);

/** The first bytes of a body, in its pieces. */
function keepBytes(pieces: readonly string[], limit: number): readonly Buffer[] {
  const kept: Buffer[] = [];
  let left = limit;
  for (const piece of pieces.map(toBytes)) {
    if (left <= 0) break;
    kept.push(piece.subarray(0, left));
    left -= piece.length;
  }
  return kept;
}
