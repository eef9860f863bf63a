import type { CallBill } from './bill.ts';
import type { Usage } from './events.ts';

/** What a provider says when it is asked what a reply cost. `not-yet`: ask again later; nothing is ever certain to stay away. */
export type CostAnswer =
  | { readonly is: 'found'; readonly costMicros: number; readonly usage: Usage }
  | { readonly is: 'not-yet'; readonly why: string };

/** How a look-up of costs is started: for all replies to one call of a run. */
export interface CostLookUpRequest {
  readonly run: string;
  /** The run's first execution id: its id may be used again while costs are looked for. */
  readonly execution: string;
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

export interface CostRoundRequest extends Pick<CostLookUpRequest, 'run' | 'execution' | 'call'> {
  /** Nobody asks after this. */
  readonly isLast: boolean;
}

export interface CostRound {
  /** Replies that nothing is known of yet, those that were given up in this round included. */
  readonly missing: number;
  /** What the call has cost by now. Absent when nothing was found yet. */
  readonly bill?: CallBill;
}
