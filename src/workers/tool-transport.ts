import { Agent, fetch as send, type RequestInfo, type RequestInit as SendInit } from 'undici';
import { tlsTellingConnector } from './tls-telling-connector.ts';

export interface ToolTransport {
  readonly fetch: typeof fetch;
  /** Ends every request that still waits: a hanging one must not keep a worker alive. */
  destroy(): Promise<void>;
}

/**
 * What `ctx.fetch` and models send with. It has no time-outs for headers and body of its own (Node's gives up after 300 s, below the
 * horizon of an effect): only the attempt's signal and the worker's end stop a request.
 */
export function openToolTransport(): ToolTransport {
  const dispatcher = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: tlsTellingConnector({ timeout: 10_000 }),
  });
  const transport = async (target: unknown, init: unknown) =>
    send(target as RequestInfo, { ...(init as SendInit), dispatcher });
  return {
    // undici's own types stand beside the platform's and differ in name only.
    fetch: transport,
    destroy: () => dispatcher.destroy(new Error('The worker stops.')),
  };
}
