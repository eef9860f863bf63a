import type { Json } from './json.ts';

/** What the model reads about a call it made: short, no stack, no class names. */
export interface ModelReply {
  readonly status: 'ok' | 'failed' | 'unavailable' | 'blocked' | 'pending';
  readonly message?: string;
  readonly data?: Json;
  /** With `pending`: the question that settles the call. */
  readonly handle?: string;
  readonly retryable?: boolean;
  /** ISO time from which the tool may be asked again. */
  readonly availableAt?: string;
}
