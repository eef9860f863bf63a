/** A request as its key stands for it. */
export interface KeyedRequest {
  /** Whose key it is: two callers may choose the same one. */
  readonly scope: string;
  readonly key: string;
  /** SHA-256 of method, path with query, and body, 64 hex digits. */
  readonly digest: string;
  readonly method: string;
  readonly path: string;
}

/** An answer as it is kept and given again. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array<ArrayBuffer>;
}

/**
 * What a key met:
 *
 * - `begun`: nothing; it is this request's now, and its work may begin. The token names this one beginning of it.
 * - `running`: the first request is still at work.
 * - `doubtful`: the first request began and did not say how it ended. It may have acted.
 * - `reused`: the key stands for other data.
 * - `answered`: the first request's answer.
 */
export type KeyStanding = { readonly is: 'begun'; readonly token: string; readonly leaseMs: number } | KeyTaken;

export type KeyTaken =
  | { readonly is: 'running' }
  | { readonly is: 'doubtful' }
  | { readonly is: 'reused' }
  | { readonly is: 'answered'; readonly answer: KeptAnswer };

/** A key whose outcome only the service's own people, or its own look-up, can tell. */
export interface DoubtfulKey {
  readonly scope: string;
  readonly key: string;
  readonly method: string;
  readonly path: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
}

/**
 * Keeps idempotency keys. What a method has done survives a kill -9. Each is called once or a few times a request; they throw
 * what the store throws, and then nothing was changed.
 */
export interface KeyStore {
  /** Judges and, where the key is free, takes it: in one step, so that of many equal requests one begins. */
  begin(request: KeyedRequest): Promise<KeyStanding>;
  /** The work of this token goes on: the key stays `running` for another lease. */
  extend(token: string): Promise<void>;
  /** The work has ended with this answer. Without effect once somebody has resolved the key. */
  keep(token: string, answer: KeptAnswer): Promise<void>;
  /** Nothing was done: the key is free. */
  free(token: string): Promise<void>;
  /** The work has ended and nobody knows how: `doubtful` from now on, without waiting for the lease. */
  doubt(token: string): Promise<void>;
  /** Keys in doubt, oldest first. They never expire. */
  doubtful(): Promise<readonly DoubtfulKey[]>;
  /**
   * The service's own word on a key in doubt: the answer that the work should have given, or that nothing was done.
   * @throws when the key is not in doubt, with how it stands.
   */
  resolve(key: { readonly scope?: string; readonly key: string }, outcome: Response | 'not-done'): Promise<void>;
  close(): void;
}
