import type { CallBill } from './bill.ts';
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
  /** Digest of what was shown; when given it must match the question. A signed decision must give it. */
  readonly digest?: string;
  /** Over `signedText`, base64url. Wanted where deciders are configured. */
  readonly signature?: string;
}

/** `decideApproval`, as signal and as update: a person lets a call be made, or does not. Counts for this one call. */
export interface DecideApproval {
  /** Chosen by the sender; the same id again is the same decision. */
  readonly id: string;
  readonly question: string;
  readonly verdict: 'approve' | 'deny';
  /** With `approve`: other arguments, whole. They make a new call, which is judged again from its schema on. */
  readonly input?: Json;
  /** With `approve`: further calls of the tool in this task need not be asked about, if their arguments equal `where`. */
  readonly remember?: { readonly where: Readonly<Record<string, Json>> };
  readonly by: string;
  readonly reason: string;
  readonly evidence?: string;
  /** Digest of what was shown; when given it must match the question. A signed decision must give it. */
  readonly digest?: string;
  readonly signature?: string;
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

/** `costFound`, from a look-up of costs: what a call of the run has cost by now. */
export interface CostFound {
  /** The run's first execution id: another run may have its id by now. */
  readonly execution: string;
  readonly call: string;
  readonly bill: CallBill;
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
