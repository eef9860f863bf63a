import type { Json } from './json.ts';

export type OutcomeVerdict = 'happened' | 'did-not-happen' | 'reversed' | 'abort';

/** `resolveOutcome`, as signal and as update: a person (or a program in a person's name) settles an unknown outcome. */
export interface ResolveOutcome {
  /** Chosen by the sender; the same id again is the same decision. */
  readonly id: string;
  readonly question: string;
  readonly verdict: OutcomeVerdict;
  /** With `happened`: what the tool would have returned, or null when there is nothing to give. */
  readonly result?: Json;
  /** With `did-not-happen`: what follows. Default `tell-model`. */
  readonly then?: 'retry' | 'tell-model';
  /** Settle before the horizon although the effect may still land. Recorded. */
  readonly override?: boolean;
  readonly by: string;
  readonly reason: string;
  readonly evidence?: string;
  /** Digest of what was shown; when given it must match the question. */
  readonly digest?: string;
}

/** `stop`: `safe` lets calls in flight end and takes no new turn; `now` gives them up, honestly. */
export interface Stop {
  readonly id: string;
  readonly mode: 'safe' | 'now';
  readonly reason?: string;
}

/**
 * `lateOutcome`, from a worker: a call ended well after sight of it was lost. It only wakes the run, which then asks the
 * ledger: news that nobody recorded settles nothing.
 */
export interface LateOutcome {
  readonly call: string;
  readonly claim: string;
}

/** `outcomeUnknown`, to the parent or `escalateTo`. */
export interface OutcomeUnknown {
  readonly runId: string;
  readonly question: string;
  readonly tool: string;
  readonly intent: string;
  readonly since: number;
}

/** Names on the wire. Changing one breaks running workflows. */
export const WORKFLOW_TYPE = 'agentRun';
export const SEARCH_ATTRIBUTES = {
  HoldfastAgent: 'KEYWORD',
  HoldfastTaskId: 'KEYWORD',
  HoldfastStatus: 'KEYWORD',
  HoldfastWaitingFor: 'KEYWORD_LIST',
  HoldfastSpendMicros: 'INT',
} as const;
