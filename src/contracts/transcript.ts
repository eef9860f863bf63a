import type { LanguageModelV4Message } from '@ai-sdk/provider';
import type { Json } from './json.ts';

/**
 * Conversations and large values, outside history. Append-only and content-addressed: a message's hash covers its parent's,
 * so a head names a whole conversation and writing the same thing twice changes nothing. Hashes are 64 hex digits.
 */
export interface TranscriptStore {
  /** Adds messages after `head` (null: a new conversation) and returns the new head. */
  append(head: string | null, messages: readonly LanguageModelV4Message[]): Promise<string>;
  /** The conversation that ends at `head`, oldest first. @throws when a part is missing or does not match its hash. */
  read(head: string): Promise<readonly LanguageModelV4Message[]>;
  /** Stores one value and returns its hash. */
  put(value: Json): Promise<string>;
  /** @throws when the value is missing or does not match its hash. */
  get(ref: string): Promise<Json>;
  close(): Promise<void>;
}
