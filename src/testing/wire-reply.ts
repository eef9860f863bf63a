import type { ServerResponse } from 'node:http';
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

/** Sends a reply; one that is cut stops after so many bytes of its body and then drops the connection, or hangs. */
export function sendReply(response: ServerResponse, reply: WireReply, fault: ModelFault | undefined): void {
  response.writeHead(reply.status, reply.headers);
  if (fault?.cutAfterBytes === undefined) {
    for (const piece of reply.pieces) response.write(piece);
    response.end();
    return;
  }
  const kept = Buffer.from(reply.pieces.join('')).subarray(0, fault.cutAfterBytes);
  // Destroyed only once written: a reset sent earlier could overtake the bytes that should still arrive.
  response.flushHeaders();
  response.write(kept, () => {
    if (!fault.hang) response.destroy();
  });
}
