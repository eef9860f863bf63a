import { isPlainObject } from '../contracts/canonical-json.ts';
import type { ChatMessage } from './chat-message.ts';
import { isDeeperThan } from './is-deeper-than.ts';
import { quoteId } from './quote-id.ts';
import { readChatId } from './read-chat-id.ts';
import { refuse, type Refusal } from './refusal.ts';

/** What a front end asks for: an answer to the newest message of a user. */
export interface ChatPost {
  readonly is: 'post';
  readonly chat: string;
  readonly message: ChatMessage;
  /** The message was edited, or its answer is asked for anew: what came after it is gone from the page. */
  readonly again: boolean;
}

/** Of the body only the newest message of a user is believed; what was said before is on our own record. */
export function readPost(body: unknown): ChatPost | Refusal {
  if (!isPlainObject(body)) return refuse(400, 'The body is no JSON object. Send { id, messages } as useChat does.');
  const { id, messages, message, trigger, messageId } = body;
  const named = readChatId(id);
  if (named.is === 'refused') return named;
  const sent: readonly unknown[] = Array.isArray(messages) ? messages : [message];
  const newest = readMessage(sent.findLast((one) => isPlainObject(one) && one['role'] === 'user'));
  if (newest.is === 'refused') return newest;
  const again = trigger === 'regenerate-message' || messageId === newest.message.id;
  return { is: 'post', chat: named.chat, message: newest.message, again };
}

const MOST_CHARS = 200_000;
/** What is kept of a message is written, hashed and shown by code that recurses. */
const MOST_LEVELS = 64;

function readMessage(sent: unknown): { readonly is: 'message'; readonly message: ChatMessage } | Refusal {
  if (!isPlainObject(sent)) {
    return refuse(
      400,
      'There is no message of a user. Send { id, messages: [{ id, role: "user", parts }] } as useChat does.',
    );
  }
  const { id, parts, metadata } = sent;
  if (typeof id !== 'string' || id === '' || id.length > 200)
    return refuse(400, `The message id ${quoteId(id)} cannot be used. Write 1 to 200 characters.`);
  if (!Array.isArray(parts) || !parts.every(isPart))
    return refuse(
      400,
      `The message ${quoteId(id)} has a part that is none. Send parts such as { type: "text", text }.`,
    );
  const message = { id, role: 'user', parts, ...(metadata !== undefined && { metadata }) };
  if (isDeeperThan(message, MOST_LEVELS))
    return refuse(
      400,
      `The message ${quoteId(id)} is nested in more than ${MOST_LEVELS} levels. Send flatter parts and metadata.`,
    );
  const chars = JSON.stringify(message).length;
  if (chars > MOST_CHARS)
    return refuse(
      413,
      `The message has ${chars.toLocaleString('en')} characters; 200,000 are taken. Send it in parts, or less of it.`,
    );
  // Checked above as far as anything here reads it.
  return { is: 'message', message: message as unknown as ChatMessage };
}

const isPart = (part: unknown): boolean =>
  isPlainObject(part) &&
  typeof part['type'] === 'string' &&
  (part['type'] !== 'text' || typeof part['text'] === 'string');
