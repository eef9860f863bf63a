import type { Amount } from './amount.ts';
import type { Json } from './json.ts';
import type { Question } from './question.ts';
import type { AlertReason } from './requests.ts';

/** What people are told of a question that waits, as a webhook carries it. Times are ISO 8601, in UTC. */
export interface Alert {
  /** The same for every delivery of one piece of news: a receiver drops what it has seen. */
  readonly id: string;
  readonly type: `holdfast.question.${AlertReason}`;
  readonly at: string;
  readonly data: {
    readonly question: AlertQuestion;
    /** What is known, one fact a line. */
    readonly evidence: readonly string[];
    /** Why somebody must agree, one reason a line. Approvals only. */
    readonly because?: readonly string[];
    readonly run: string;
    readonly task: string;
    readonly agent: string;
    /** What answers it, to be pasted into a shell: one line for each way. */
    readonly commands: readonly string[];
    /** The run in the Web UI, where its address is configured. */
    readonly link?: string;
    /** All of it in one sentence, for people. */
    readonly text: string;
  };
}

export interface AlertQuestion {
  readonly id: string;
  readonly kind: Question['kind'];
  readonly tool: string;
  readonly intent: string;
  /** Null: could not be told. Absent: the tool names none. */
  readonly amount?: Amount | null;
  readonly arguments: ShownArguments;
  /** Of the whole arguments: a decision that names it is bound to them. */
  readonly digest: string;
  readonly since: string;
  /** Outcomes only: before it "did not happen" proves nothing. */
  readonly horizon?: string;
  /** Approvals only: asked again from then on, under a new id. */
  readonly expiresAt?: string;
  /** How many different people must agree, and who has; absent: one. */
  readonly need?: number;
  readonly have?: readonly string[];
}

/** A call's arguments, up to 2 KB of canonical JSON; more is cut, and what is stored elsewhere is not fetched. */
export type ShownArguments =
  | { readonly is: 'whole'; readonly value: Json }
  | { readonly is: 'cut'; readonly text: string; readonly sizeBytes: number }
  | { readonly is: 'stored'; readonly sizeBytes: number };
