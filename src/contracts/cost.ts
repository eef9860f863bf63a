import type { CostTotals, Spent } from './bill.ts';
import type { RequestOf, RequestOutcome, Usage } from './events.ts';

/**
 * What one request cost, in micro-dollars.
 *
 * - `measured`: the provider's own figure, asked for later (`look-up`) or said with the reply (`provider`); its tokens times the
 *   price (`price`); or nothing, because it took no request (`refused`).
 * - `estimate`: some of its tokens are not known; `how` says where they come from.
 * - `unknown`: nobody has said what the model costs, or nothing is on record to estimate from. Never 0.
 */
export type Cost =
  | { readonly is: 'measured'; readonly micros: number; readonly by: 'look-up' | 'provider' | 'price' | 'refused' }
  | { readonly is: 'estimate'; readonly micros: number; readonly how: string }
  | { readonly is: 'unknown'; readonly why: 'no-price' | 'no-usage' };

/**
 * Where the time went, in milliseconds; the parts are the whole. What went on at once counts once: as `model`, else as `tools`,
 * else as waiting for people, for the provider (parked, or asked for a long wait), or before a repetition. `other`: on the way.
 */
export interface TimeSplit {
  readonly totalMs: number;
  readonly modelMs: number;
  readonly toolsMs: number;
  readonly peopleMs: number;
  readonly providerMs: number;
  readonly retriesMs: number;
  readonly otherMs: number;
}

export interface RequestCost extends RequestOf {
  /** Epoch milliseconds, as all times here; null while it has not ended, or nobody knows. */
  readonly sentAt: number;
  readonly endedAt: number | null;
  readonly outcome: RequestOutcome | null;
  readonly usage: Usage;
  readonly responseId: string | null;
  readonly cost: Cost;
  /** It is the request the answer came from. */
  readonly isAnswer: boolean;
}

export interface AttemptCost {
  readonly attempt: number;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly outcome: 'success' | 'failure' | 'cancelled' | 'unknown' | 'parked' | null;
  readonly requests: readonly RequestCost[];
  readonly spend: CostTotals;
}

export interface CallCost extends Spent {
  readonly call: string;
  readonly turn: number;
  readonly kind: 'model' | 'tool';
  /** Tool name, or provider and model. */
  readonly name: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** Waits included; until now where it has not ended. */
  readonly tookMs: number;
  readonly attempts: readonly AttemptCost[];
}

export interface TurnCost extends Spent {
  readonly turn: number;
  readonly startedAt: number;
  readonly calls: readonly CallCost[];
  readonly time: TimeSplit;
}

export interface RunCost extends Spent {
  readonly run: string;
  readonly agent: string;
  /** As the server has it, or its own events: `running`, `waiting`, `completed` … */
  readonly status: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly turns: readonly TurnCost[];
  readonly time: TimeSplit;
  /** Requests whose cost is missing and whose provider is asked for it, for up to 15 min: the totals may still change. */
  readonly awaited: number;
  /** Models of which nobody has said what they cost, as `account/model`: `prices` in the configuration takes them by this name. */
  readonly unpriced: readonly string[];
}
