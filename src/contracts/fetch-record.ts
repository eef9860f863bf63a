/**
 * How one request of a tool's attempt was answered. `not-sent`: it never left (`isLasting` when trying again cannot help);
 * `lost`: it left, or may have, and no answer came; `open`: still under way.
 */
export type RequestAnswer =
  | { readonly is: 'open' }
  | {
      readonly is: 'status';
      readonly status: number;
      readonly waitMs: number | undefined;
      /** The header that asked. With a wait only. */
      readonly waitFrom?: string;
    }
  | { readonly is: 'not-sent'; readonly why: string; readonly isLasting: boolean }
  | { readonly is: 'lost'; readonly why: string };

/** One request of an attempt, without its query, headers or body. `changes`: by its method it could change something. */
export interface SentRequest {
  readonly changes: boolean;
  readonly method: string;
  readonly url: string;
  readonly answer: RequestAnswer;
}

/** What `ctx.fetch` of one attempt must know. */
export interface FetchRequest {
  readonly idempotencyKey: string;
  /** Further headers of every request: trace context, deadline. */
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** After this time, epoch milliseconds, no request that could change something begins. */
  readonly sendBy: number;
}

/** A `fetch` that keeps account. */
export interface ToolFetch {
  readonly fetch: typeof fetch;
  /** Every request so far, in order. */
  record(): readonly SentRequest[];
}
