import type { Usage } from './events.ts';

/** What a provider says when it is asked what a reply cost. `not-yet`: ask again later; nothing is ever certain to stay away. */
export type CostAnswer =
  | { readonly is: 'found'; readonly costMicros: number; readonly usage: Usage }
  | { readonly is: 'not-yet'; readonly why: string };

/** How a look-up of costs is started: for all replies to one call of a run. */
export interface CostLookUpRequest {
  readonly run: string;
  /** Id of the model call, as in the events. */
  readonly call: string;
  /** Default: `COST_PACE`. */
  readonly pace?: CostPace;
}

/** When to ask: after each of these waits, the last one again and again, and for the last time after `forMs`. */
export interface CostPace {
  readonly waitsMs: readonly number[];
  readonly forMs: number;
}

export interface CostRoundRequest {
  readonly run: string;
  readonly call: string;
  /** Nobody asks after this. */
  readonly isLast: boolean;
}
