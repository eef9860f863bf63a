import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import type { Amount } from './amount.ts';
import type { BackoffMs, BackoffSettings } from './backoff.ts';
import type { Duration } from './duration.ts';
import type { Effect } from './effect.ts';
import type { Failure } from './failure.ts';

/** A Standard Schema that can also describe itself as JSON Schema, which the model needs (zod 4.2+, arktype, valibot …). */
export type Schema<Output = unknown> = StandardSchemaV1<unknown, Output> & StandardJSONSchemaV1<unknown, Output>;
export type OutputOf<S> = S extends StandardSchemaV1<unknown, infer Output> ? Output : never;

/** How wide an intent reaches: `task` (default), every task of the `agent`, or every agent of the namespace (`global`). */
export type IntentScope = 'task' | 'agent' | 'global';
export type Intent = string | { readonly key: string; readonly scope: IntentScope };

/** What a running tool gets beside its input. */
export interface ToolContext {
  readonly runId: string;
  readonly taskId: string;
  readonly callId: string;
  /** 1 for the first attempt of this call. For logs; never decide by it. */
  readonly attempt: number;
  /** 32 hex digits; the same on every attempt of the intent's generation. Send it to receivers that deduplicate. */
  readonly idempotencyKey: string;
  /** When this attempt is given up, epoch milliseconds. */
  readonly deadline: number;
  /**
   * Aborts a read-only or idempotent attempt at its time-out. For an unflagged tool it fires only when the effect can no
   * longer land (its horizon) or the worker stops: what may have acted is left to finish, so that its news can count.
   */
  readonly signal: AbortSignal;
  /**
   * `fetch` with the idempotency key, the signal and a record of what was sent and how it was answered. The record is what
   * lets a refused connection or a 429 be retried even for an unflagged tool, so a tool that changes things through it changes
   * nothing by any other way: a refusal seen here is taken for the whole attempt.
   */
  readonly fetch: typeof fetch;
  /** Says that the tool is alive and how far it is; shown to people who look at the run. */
  heartbeat(progress?: string): void;
  readonly log: ToolLog;
}

export interface ToolLog {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** The author's side of a tool. Flags: `readOnly`, `idempotent`, or neither; with both, `readOnly` holds. */
export interface ToolDefinition<Input extends Schema, Output extends Schema = Schema> {
  /** Letters, digits, `_` and `-`, at most 64: what every model provider accepts. */
  readonly name: string;
  readonly description: string;
  readonly input: Input;
  readonly output?: Output;
  /** Changes nothing, wherever it runs. */
  readonly readOnly?: boolean;
  /** `true`: the same arguments again change nothing more. `'by-key'`: the receiver deduplicates on our key. */
  readonly idempotent?: true | 'by-key';
  /** How long one attempt may take before its outcome counts as unknown. */
  readonly timeout: Duration;
  /** How long all attempts and waits of a call may take. Default: what its attempts and waits add up to. */
  readonly totalTimeout?: Duration;
  /** Attempts that sent something, the first included. Default 4. */
  readonly maxAttempts?: number;
  /** The waits between them. */
  readonly backoff?: BackoffSettings;
  /** The business action, in the author's words: `refund:${orderId}`. The amount is not part of it. */
  readonly intent?: (input: OutputOf<Input>) => Intent;
  /** How long after sending an effect may still land. Default 10 minutes. Before that "not found" proves nothing. */
  readonly landsWithin?: Duration;
  /**
   * How long the receiver knows an idempotency key. Past it a call that may have been sent is not repeated but asked about.
   * Default 20 hours for `by-key` (receivers forget keys after about a day), and no limit for `idempotent: true`.
   */
  readonly keyValidFor?: Duration;
  /** What the call is worth, for people and for `approvals.quorum`: a number, or one with its currency. */
  readonly amount?: (input: OutputOf<Input>) => number | Amount;
  /** True, or a reason: somebody must agree before the call is made. An error in it counts as a reason. */
  readonly needsApproval?: boolean | ((input: OutputOf<Input>, run: RunFacts) => boolean | string);
  /**
   * The same action again after it had failed, or another one of this unflagged tool while an outcome of its is unknown.
   * Default `ask`: somebody must agree. An error in it counts as `ask`.
   */
  readonly onRepeat?: 'ask' | 'block' | ((input: OutputOf<Input>, prior: Prior) => RepeatRule);
  /**
   * Asks the receiver to call the action off, once, when sight of an unflagged call was lost. What it answers is shown to
   * people and settles nothing.
   */
  readonly cancel?: (input: OutputOf<Input>, ctx: ToolContext) => Promise<unknown>;
  /** After an unknown outcome: the run waits (default), or the model is told `pending` and goes on; the intent stays locked. */
  readonly onUnknown?: 'wait' | 'tell-model';
  /**
   * Looks up, by reading only, whether the action happened. Asked while an outcome is unknown, again and again. "Did not
   * happen" counts only once the effect can no longer land.
   */
  readonly confirm?: (input: OutputOf<Input>, ctx: ToolContext) => Promise<Confirmation>;
  /** After the look-up's "did not happen": the model is told (default), or the call is made again by itself. */
  readonly afterConfirm?: 'tell-model' | 'retry';
  /** What an error that nobody named means for this tool. Default `unknown`; `refused` when a throw proves that nothing happened. */
  readonly thrown?: 'unknown' | 'refused';
  /** HTTP statuses with which this tool's own service says "I did not act", beside the usual ones. */
  readonly refusedStatuses?: readonly number[];
  /** Asked first about an error. For an unflagged tool it may only make things stricter. */
  readonly classify?: (error: unknown) => Failure | undefined;
  /** Wraps `execute` inside one attempt, the outermost first. */
  readonly wrap?: readonly ToolMiddleware[];
  /** `breaker`: the tool does without the breaker and the retry throttle that all agents of a worker share. */
  readonly without?: readonly 'breaker'[];
  execute(input: OutputOf<Input>, ctx: ToolContext): Promise<unknown>;
}

export type RepeatRule = 'allow' | 'ask' | 'block';

/** What `needsApproval` may ask about the run. */
export interface RunFacts {
  readonly runId: string;
  readonly taskId: string;
  readonly agent: string;
  /** 1 for the first reply of the model. */
  readonly turn: number;
}

/** Why a call counts as a repetition: the action had failed, or another one of the tool is unsettled. */
export interface Prior {
  readonly is: 'failed' | 'unsettled';
  readonly intent: string;
  readonly run: string;
  readonly call: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly message: string;
}

/** A checked tool, ready for an agent. Made by `defineTool` only. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly effect: Effect;
  readonly input: Schema;
  readonly output: Schema | undefined;
  /** JSON Schema (draft 7) of the input, as shown to the model. */
  readonly inputJsonSchema: Readonly<Record<string, unknown>>;
  readonly timeoutMs: number;
  readonly totalTimeoutMs: number | undefined;
  readonly maxAttempts: number;
  readonly landsWithinMs: number;
  /** Undefined: the receiver never forgets a key. */
  readonly keyValidForMs: number | undefined;
  readonly onUnknown: 'wait' | 'tell-model';
  readonly afterConfirm: 'tell-model' | 'retry';
  readonly thrown: 'unknown' | 'refused';
  readonly refusedStatuses: readonly number[];
  readonly intent: ((input: unknown) => Intent) | undefined;
  readonly classify: ((error: unknown) => Failure | undefined) | undefined;
  readonly confirm: ((input: unknown, ctx: ToolContext) => Promise<Confirmation>) | undefined;
  readonly cancel: ((input: unknown, ctx: ToolContext) => Promise<unknown>) | undefined;
  readonly amount: ((input: unknown) => number | Amount) | undefined;
  readonly needsApproval: boolean | ((input: unknown, run: RunFacts) => boolean | string);
  readonly onRepeat: 'ask' | 'block' | ((input: unknown, prior: Prior) => RepeatRule);
  readonly backoff: BackoffMs;
  /** Whether the shared breaker and throttle are asked before each attempt. */
  readonly breaks: boolean;
  readonly execute: (input: unknown, ctx: ToolContext) => Promise<unknown>;
}

/** One execution of a tool. */
export interface ToolCallRequest {
  /** The whole tool, flags included. What a middleware hands on can only be as strict or stricter: the rest is put back. */
  readonly tool: Tool;
  readonly input: unknown;
  readonly ctx: ToolContext;
}

export type ToolCall = (request: ToolCallRequest) => Promise<unknown>;

/** Wraps a tool's `execute` inside one attempt: below the ledger, so what it does not pass on counts as claimed all the same. */
export type ToolMiddleware = (next: ToolCall) => ToolCall;

/** The tool of our own by which a model asks what became of a call that was answered with `pending`. */
export const CHECK_OUTCOME = 'check_outcome';

/** What a look-up found. `result`: what the tool would have returned. */
export type Confirmation =
  | { readonly is: 'happened'; readonly result: unknown }
  | { readonly is: 'did-not-happen' }
  | { readonly is: 'cannot-tell'; readonly why?: string };

/** Thrown by a tool: provably nothing happened, and trying again may help. */
export class NotExecuted extends Error {
  override readonly name = 'NotExecuted';
}

/** Thrown by a tool: a definite no. Nothing happened and the same request will be refused again. */
export class ToolRefused extends Error {
  override readonly name = 'ToolRefused';
}
