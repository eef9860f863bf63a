import type { LanguageModelV4FinishReason } from '@ai-sdk/provider';
import type { Amount } from './amount.ts';
import type { Content } from './content.ts';
import type { CallBill } from './bill.ts';
import type { Effect } from './effect.ts';
import type { Usage } from './events.ts';
import type { LedgerKey } from './ledger.ts';
import type { ModelReply } from './model-reply.ts';
import type { CallTally } from './retry-budget.ts';

/** A call that may run: validated arguments, identity and flags as of the moment the model asked for it. */
export interface RunnableCall {
  readonly is: 'runnable';
  /** Ours, from turn and position: `t3c1` is the second call of the third turn. */
  readonly call: string;
  /** The model's own id, unique within the transcript; pairs the answer with the call. */
  readonly toolCallId: string;
  readonly tool: string;
  readonly key: LedgerKey;
  /** True when the tool's author named the intent. */
  readonly named: boolean;
  readonly input: Content;
  /** SHA-256 of the canonical arguments. */
  readonly digest: string;
  readonly effect: Effect;
  /** Why somebody must agree before it is made. Absent: nobody need. */
  readonly because?: readonly string[];
  /** Who approved these arguments in the place of the model's. */
  readonly editedBy?: string;
  /** Null: the tool's `amount` could not tell. Absent: the tool names none. */
  readonly amount?: Amount | null;
}

/** The model asks what became of a call that was answered with `pending`. */
export interface CheckCall {
  readonly is: 'check';
  readonly call: string;
  readonly toolCallId: string;
  readonly tool: string;
  /** The id of a question, as the model wrote it. */
  readonly handle: string;
}

/** A call that cannot run, with the answer the model gets: unknown tool, arguments that fail the schema. */
export interface AnsweredCall {
  readonly is: 'answered';
  readonly call: string;
  readonly toolCallId: string;
  readonly tool: string;
  readonly reply: ModelReply;
}

export type PlannedCall = RunnableCall | CheckCall | AnsweredCall;

/** What the model activity returns: the reply is in the transcript, this is what the loop needs of it. */
export interface ModelPlan {
  /** The transcript's head after the model's reply. */
  readonly head: string;
  /** The reply's text when it asks for no tool: the answer. Null without calls: the model is asked again at once. */
  readonly text: string | null;
  readonly calls: readonly PlannedCall[];
  /** Why the model stopped, in the AI SDK's words. */
  readonly finish: LanguageModelV4FinishReason['unified'];
  /** With `length`: not the limit of the answer was reached, but the model's window. */
  readonly isFull?: true;
  readonly usage: Usage;
  readonly attempts: number;
  /** Absent in what an older version returned. */
  readonly tally?: CallTally;
  /** What the call cost, failed attempts included. Absent when that could not be read, and in what an older version returned. */
  readonly bill?: CallBill;
  /** The model repeats a call that cannot run: why the run ends here. */
  readonly stuck?: string;
}
