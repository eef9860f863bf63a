import type { ModelReply } from '../contracts/model-reply.ts';
import { assertNever } from '../policy/assert-never.ts';
import type { ChatChunk } from './chat-message.ts';

/** What became of a call, in the words the model read. An outcome that is still open is a preliminary output. */
export function answerChunk(toolCallId: string, reply: ModelReply): ChatChunk {
  const { status, data, message } = reply;
  switch (status) {
    case 'ok':
      return { type: 'tool-output-available', toolCallId, output: data ?? message ?? null };
    case 'pending':
      return { type: 'tool-output-available', toolCallId, output: reply, preliminary: true };
    case 'failed':
    case 'unavailable':
    case 'blocked':
      return { type: 'tool-output-error', toolCallId, errorText: message ?? status };
    default:
      return assertNever(status);
  }
}
