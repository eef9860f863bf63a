import type { UIMessage, UIMessageChunk } from 'ai';
import type { Spend } from '../contracts/run-result.ts';

/** Metadata of an assistant message. `status` and `spend` come with the end of its run: completed, partial, stopped, failed … */
export interface ChatMetadata {
  readonly run: string;
  readonly status?: string;
  readonly spend?: Spend;
}

/** Something only news or a person can answer. `state` changes in place. */
export interface QuestionData {
  readonly question: string;
  readonly run: string;
  readonly call: string;
  readonly tool: string;
  readonly kind: 'outcome' | 'approval';
  /** `expired`: nobody answered in time, and it is asked again under another id. */
  readonly state: 'open' | 'settled' | 'expired';
  /** Who settled it. */
  readonly by?: string;
  /** What answers it, to be pasted into a shell; empty once it is not open. */
  readonly commands: readonly string[];
}

/** Why nothing comes just now: a call is made again, or waits until then (epoch milliseconds). */
export type ProgressData =
  | { readonly is: 'again'; readonly of: 'model' | 'tool'; readonly call: string; readonly attempt: number }
  | { readonly is: 'waits'; readonly of: 'model' | 'tool'; readonly call: string; readonly until: number };

// A type, for the AI SDK wants it to have an index.
// eslint-disable-next-line @typescript-eslint/consistent-type-definitions
export type ChatData = { question: QuestionData; progress: ProgressData };

/** For `useChat<ChatMessage>()`: what the parts of our messages hold. Progress is transient: only `onData` has it. */
export type ChatMessage = UIMessage<ChatMetadata, ChatData>;

export type ChatChunk = UIMessageChunk<ChatMetadata, ChatData>;
