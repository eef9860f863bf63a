import type { ChatMessage } from './chat-message.ts';
import { conversationDigest } from './conversation-digest.ts';
import type { RecordedReply, Recording } from './recording.ts';

/** The conversation has left the recording; the message says where. Repeating it cannot help. */
export class NotRecorded extends Error {
  override readonly name = 'NotRecorded';
  readonly statusCode = 400;
  readonly isRetryable = false;
}

/** The reply to this conversation: the same each time it is asked for. @throws NotRecorded */
export function findReply({ replies, agent }: Recording, messages: readonly ChatMessage[]): RecordedReply {
  const request = conversationDigest(messages);
  const found = replies.find((reply) => reply.request === request);
  if (found) return found;
  const turn = messages.filter(({ role }) => role === 'assistant').length;
  const last = messages.at(-1)?.role ?? 'nothing';
  throw new NotRecorded(
    `The recording of agent "${agent}" (${replies.length} replies) has none for this conversation: after ${turn} replies, last a message of role ${last}. ` +
      'It has gone another way than when it was recorded: replay what the recording has, or record it anew.',
  );
}
