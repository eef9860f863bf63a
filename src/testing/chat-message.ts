/** A conversation in the terms of the OpenAI chat protocol, read once and without its optional forms. */
export type ChatMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly calls: readonly ChatCall[] }
  | { readonly role: 'tool'; readonly callId: string; readonly content: string };

export interface ChatCall {
  readonly id: string;
  readonly tool: string;
  /** As on the wire: JSON text. */
  readonly arguments: string;
}

export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly string[];
  readonly stream: boolean;
  readonly includeUsage: boolean;
}

/** Why a request is refused, and which part of it: `messages[3].tool_calls[0].id`. */
export interface Problem {
  readonly problem: string;
  readonly param: string;
}

export const isProblem = (value: object): value is Problem => 'problem' in value;

/** What every provider accepts as the name of a tool. */
export const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;
