import type { Json } from '../contracts/json.ts';

/** One tool result as the model has read it, with the call it answers. */
export interface HeardReply {
  readonly tool: string;
  readonly input: Json;
  /** Parsed when the result's text is JSON, else the text itself. */
  readonly reply: Json;
}

/** What has been said so far, as a rule sees it. */
export interface Conversation {
  /** All system messages, a blank line between them. */
  readonly system: string;
  /** The last thing the user said. */
  readonly user: string;
  /** Names of the tools offered with this request. */
  readonly tools: readonly string[];
  /** Every tool result of the conversation, oldest first. */
  readonly results: readonly HeardReply[];
  /** Model replies so far: 0 when the model is asked for the first time. */
  readonly turn: number;
}

export interface AskedCall {
  readonly tool: string;
  readonly input: Json;
}

export type Answer =
  | { readonly text: string; readonly calls?: undefined }
  | { readonly calls: readonly AskedCall[]; readonly text?: string };

/**
 * A model's behaviour as a pure function of what has been said: the same conversation always gets the same answer, so a
 * retried, restarted or replayed request changes nothing. Drives `scriptedModel` and `startModelServer` alike.
 */
export type Rule = (conversation: Conversation) => Answer;
