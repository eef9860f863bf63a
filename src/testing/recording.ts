import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { Effect } from '../contracts/effect.ts';
import type { Json } from '../contracts/json.ts';

/** The first field of every recording; another format has another word. */
export const RECORDING_FORMAT = 'holdfast-recording/1';

/** The parts of a reply that are kept: what was said and asked for, the finish, and nothing that is the provider's own. */
export type KeptPart = Extract<
  LanguageModelV4StreamPart,
  {
    type:
      | 'text-start'
      | 'text-delta'
      | 'text-end'
      | 'reasoning-start'
      | 'reasoning-delta'
      | 'reasoning-end'
      | 'tool-input-start'
      | 'tool-input-delta'
      | 'tool-input-end'
      | 'tool-call'
      | 'finish';
  }
>;

export interface RecordedPart {
  /** Counted from the moment the model was asked, in milliseconds. */
  readonly afterMs: number;
  readonly part: KeptPart;
}

/** One whole reply of the model. */
export interface RecordedReply {
  /** Model replies before it. */
  readonly turn: number;
  /** Digest of the conversation that was answered: `conversationDigest`. */
  readonly request: string;
  readonly parts: readonly RecordedPart[];
}

/** A tool as the model was offered it. */
export interface RecordedTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly effect: Effect;
  readonly timeoutMs: number;
}

/** What the model was told about one call. */
export interface RecordedToolReply {
  readonly tool: string;
  /** Digest of the arguments: `argumentsDigest`. */
  readonly arguments: string;
  readonly reply: Json;
  /** From the end of the model's reply to its next question: the slowest call of the turn, and what lay between. */
  readonly tookMs: number;
}

/**
 * The model's side of one run, as a JSON file. Of requests it holds digests, the task's input, and the tools' replies;
 * no instructions, headers or keys. Only whole replies: what went wrong on the way is not in it.
 */
export interface Recording {
  readonly format: typeof RECORDING_FORMAT;
  readonly agent: string;
  /** As its provider names it. */
  readonly model: string;
  readonly input: string;
  readonly tools: readonly RecordedTool[];
  readonly replies: readonly RecordedReply[];
  readonly toolReplies: readonly RecordedToolReply[];
}
