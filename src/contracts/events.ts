import type { Failure } from './failure.ts';
import type { Json } from './json.ts';
import type { ModelReply } from './model-reply.ts';
import type { RunResult } from './run-result.ts';
import type { AttemptReason, LimitSnapshot } from './shared-limits.ts';

/** Tokens of one attempt as the provider reported them; null where it did not. Never 0 for "not known". */
export interface Usage {
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cacheReadTokens: number | null;
  readonly cacheWriteTokens: number | null;
}

/** Which attempt of a call. */
export interface ScheduledAttempt {
  readonly attempt: number;
  /**
   * When the server scheduled it, epoch milliseconds by its clock. Tells apart two of one number, as a worker makes that stood still
   * and goes on beside its replacement. Absent in events of older versions.
   */
  readonly scheduledAt?: number;
}

/** One request to a model: the `part`-th of an attempt. */
export interface RequestOf {
  readonly call: string;
  readonly turn: number;
  readonly attempt: number;
  readonly part: number;
  /** As in `ModelTarget`. */
  readonly account: string;
  readonly model: string;
  readonly reason: AttemptReason;
}

/** `whole`: the reply came to its end. `lost-hedge`: another model was faster. `left`: nobody waited for it any more. */
export type RequestOutcome = 'whole' | 'broken' | 'cut' | 'lost-hedge' | 'left';

/** Names one reply of a provider. */
export interface RepliedBy {
  /** As in `ModelTarget`. */
  readonly account: string;
  readonly responseId: string;
}

/** One attempt's reply as watchers see it come. */
export interface StreamOf {
  /** Of the model: `t3` in the third turn. */
  readonly call: string;
  readonly turn: number;
  readonly attempt: number;
  /** Counts up from 1 over the run's attempts that showed anything. Never two at once: an older one falls silent. */
  readonly stream: number;
  /** When the server scheduled the attempt, epoch milliseconds by its own clock: of two, the older one may write nothing. */
  readonly scheduledAt: number;
}

/** What happened to one run, in order. Written by activities, read by watchers. Times are epoch milliseconds. */
export type RunEvent =
  | {
      readonly type: 'run-started';
      readonly at: number;
      readonly agent: string;
      readonly input: string;
      /** Tells runs apart that had the same id one after the other. Absent in events of older versions. */
      readonly execution?: string;
    }
  | ({
      /** Written before the request of an attempt: a start without an end is an attempt whose cost is an estimate. */
      readonly type: 'attempt-started';
      readonly at: number;
      readonly call: string;
      readonly turn: number;
      readonly kind: 'model' | 'tool';
      /** Tool name, or provider and model. */
      readonly name: string;
      readonly intent?: string;
    } & ScheduledAttempt)
  | ({
      readonly type: 'attempt-ended';
      readonly at: number;
      readonly call: string;
      readonly turn: number;
      readonly kind: 'model' | 'tool';
      readonly name: string;
      /** `parked`: nothing was sent, for the provider is given a pause. */
      readonly outcome: 'success' | 'failure' | 'cancelled' | 'unknown' | 'parked';
      readonly failure?: Failure;
      readonly usage?: Usage;
      /** The wait decided before the next attempt, in milliseconds; absent when there is none. */
      readonly nextWaitMs?: number;
    } & ScheduledAttempt)
  /** Before each request to a model, hedges and fallbacks included: one without an end is a cost that is an estimate. */
  | ({
      readonly type: 'request-sent';
      readonly at: number;
      /** Characters the model is given, files left out: what an estimate of its input starts from. */
      readonly inputChars?: number;
    } & RequestOf &
      ScheduledAttempt)
  /** The provider has named its reply. Only of those that can be asked later what it cost. */
  | ({ readonly type: 'request-answered'; readonly at: number; readonly responseId: string } & RequestOf &
      ScheduledAttempt)
  | ({
      readonly type: 'request-ended';
      readonly at: number;
      readonly outcome: RequestOutcome;
      /** What the provider had said when it ended, whichever way it did. */
      readonly usage: Usage;
      /** Characters of the answer that came, reasoning and arguments included. */
      readonly outputChars?: number;
      /** What the provider itself says the request cost, in micro-dollars. */
      readonly costMicros?: number;
      /** The provider did not take it, so it cost nothing. */
      readonly billed?: 'no';
      /** The provider's id of the reply, to ask for its cost later. */
      readonly responseId?: string;
    } & RequestOf &
      ScheduledAttempt)
  /** What a request cost, as the provider said when it was asked afterwards. May come twice. */
  | ({
      readonly type: 'cost-found';
      readonly at: number;
      readonly costMicros: number;
      readonly usage: Usage;
    } & RepliedBy)
  /** Nobody asks any more: its cost stays an estimate. */
  | ({ readonly type: 'cost-not-found'; readonly at: number; readonly why: string } & RepliedBy)
  /**
   * Some of a model's reply, while it comes. Of a tool call its arguments as text, which may not be whole: a call is made only when
   * its reply is. Joined, the deltas of the last stream are the reply.
   */
  | ({
      readonly type: 'piece';
      readonly at: number;
      readonly of: 'text' | 'reasoning' | 'tool-input';
      /** Of the part it belongs to; of a tool call the model's own id of it. */
      readonly part: string;
      /** With `tool-input`. */
      readonly tool?: string;
      readonly delta: string;
      /** From 1, without gaps within a stream. */
      readonly seq: number;
    } & StreamOf)
  /** Another attempt begins to answer: what came of this turn's reply, or of a later turn, is void, planned calls too. */
  | ({ readonly type: 'reset'; readonly at: number } & StreamOf)
  /** The reply is whole and asks for this; where it is not answered at once, an attempt follows. */
  | {
      readonly type: 'call-planned';
      readonly at: number;
      readonly call: string;
      readonly turn: number;
      /** The part its pieces came under. */
      readonly part: string;
      readonly tool: string;
      readonly input: Json;
    }
  /** The provider is given a pause, or asked for a long one. */
  | {
      readonly type: 'call-waits';
      readonly at: number;
      readonly call: string;
      readonly turn: number;
      readonly waitMs: number;
      readonly why: string;
    }
  | {
      readonly type: 'late-outcome';
      readonly at: number;
      readonly call: string;
      readonly is: 'done' | 'failed';
      /** A decision that said otherwise: who, and what. */ readonly contradicts?: string;
    }
  | {
      readonly type: 'question-raised';
      readonly at: number;
      readonly question: string;
      readonly call: string;
      /** What is asked, about a call of which tool. Absent in events of older versions: an outcome. */
      readonly kind?: 'outcome' | 'approval';
      readonly tool?: string;
    }
  | { readonly type: 'question-settled'; readonly at: number; readonly question: string; readonly by: string }
  /** Nobody answered in time; it is asked again under another id. */
  | { readonly type: 'question-expired'; readonly at: number; readonly question: string; readonly call: string }
  | {
      readonly type: 'decision-refused';
      readonly at: number;
      readonly decision: string;
      readonly question: string;
      readonly why: string;
    }
  /** Not of a run: a worker's breakers, under `workerEvents(…)`, as they stood when one changed. */
  | { readonly type: 'limits-changed'; readonly at: number; readonly limits: readonly LimitSnapshot[] }
  /**
   * Not of a run: a message of a chat, under `chatEvents(…)`, and the run that answers it. `again`: asked anew on purpose, so that
   * what came after it counts no more.
   */
  | {
      readonly type: 'chat-message';
      readonly at: number;
      readonly run: string;
      readonly message: Json;
      readonly again?: true;
    }
  /** What the model was told about a call; of a result of 64 KB or more only that there is one. */
  | {
      readonly type: 'call-answered';
      readonly at: number;
      readonly call: string;
      readonly tool: string;
      readonly reply: ModelReply;
    }
  | { readonly type: 'said'; readonly at: number; readonly turn: number; readonly text: string }
  /** The last word of a run; `result` is what a second start under its id is given. */
  | { readonly type: 'run-ended'; readonly at: number; readonly status: string; readonly result: RunResult };

/** Under which name a worker's own events are kept; no run is called so. */
export const workerEvents = (identity: string): string => `worker:${identity}`;

/** Under which name the messages of a chat are kept; a run's id has no such sign. */
export const chatEvents = (chat: string): string => `chat#${chat}`;

export type StoredEvent = RunEvent & {
  /** Position in the run's own sequence, from 1, without gaps. */
  readonly offset: number;
};

export type StreamEvent = Extract<StoredEvent, { type: 'piece' | 'reset' }>;
