import type { AskedCall, Conversation, Rule } from '../../src/testing/rule.ts';

/** Asks for each batch of calls in turn, then answers with every reply it has heard, as JSON. */
export const askThenTell = (...batches: readonly (readonly AskedCall[])[]): Rule => {
  return (conversation: Conversation) => {
    const batch = batches[conversation.turn];
    return batch ? { calls: batch } : { text: JSON.stringify(conversation.results.map(({ reply }) => reply)) };
  };
};

export interface HeardReply {
  readonly status: string;
  readonly message?: string;
  readonly data?: unknown;
  readonly handle?: string;
  readonly retryable?: boolean;
}

/** The replies the model heard, as `askThenTell` told them. */
export function repliesOf(text: string): readonly HeardReply[] {
  return JSON.parse(text) as HeardReply[];
}
