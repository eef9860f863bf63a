/**
 * One thing that goes wrong between a caller and its peer.
 *
 * - `status`: answered here with this status. Default body: an error as OpenAI words it.
 * - `delay`: the peer is asked at once, and its answer held back.
 * - `hang`: no answer ever. The connection stays open until the caller, or the proxy, ends it.
 * - `trickle`: the answer's body comes in small pieces, `bytes` (default 16) every `everyMs`.
 * - `drop`: the connection is closed before any header.
 * - `reset`: the connection is reset after so many bytes of the answer's body.
 * - `stream-error`: an event stream breaks with an error event after so many events (default 1), under its status 200. Does
 *   nothing to an answer that is no event stream.
 *
 * `status`, `hang` and `drop` do not ask the peer, unless `peerActs`: then it is asked, acts, and its answer is lost.
 */
export type ProxyFault =
  | {
      readonly is: 'status';
      readonly status: number;
      readonly body?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly peerActs?: boolean;
    }
  | { readonly is: 'delay'; readonly ms: number }
  | { readonly is: 'hang'; readonly peerActs?: boolean }
  | { readonly is: 'trickle'; readonly everyMs: number; readonly bytes?: number }
  | { readonly is: 'drop'; readonly peerActs?: boolean }
  | { readonly is: 'reset'; readonly afterBytes: number }
  | { readonly is: 'stream-error'; readonly afterEvents?: number; readonly data?: string };

/** Which request of all that arrive gets it, counted from 1. */
export type ScriptedFault = ProxyFault & { readonly request: number };

/** Faults by chance: each request has one with these odds, 0 to 1, any of `faults` alike. The same seed, the same faults. */
export interface FaultChance {
  readonly seed: number;
  readonly odds: number;
  readonly faults: readonly ProxyFault[];
}

/** A list says which request gets which fault. */
export type FaultPlan = readonly ScriptedFault[] | FaultChance;
