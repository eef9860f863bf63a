import type { Json } from '../contracts/json.ts';
import { stableHash } from '../policy/stable-id.ts';
import type { ChatMessage } from './chat-message.ts';

/**
 * The run that answers a message of a chat. A function of what was sent, so that sending it again joins the run; other words under
 * the message's id are another message.
 */
export function runOfMessage(chat: string, { id, parts }: Pick<ChatMessage, 'id' | 'parts'>): string {
  // Came as JSON.
  return `chat:${chat}:${stableHash([id, parts as unknown as Json])}`;
}

/** A chat is one task: an intent is done once in it. */
export const taskOfChat = (chat: string): string => `chat:${chat}`;
