import type { Json } from '../contracts/json.ts';
import type { ChatMessage } from './chat-message.ts';
import { refuse, type Refusal } from './refusal.ts';

/** What the agent is given: the messages of the chat that count, the newest, a user's, last. */
export type ToInput = (messages: readonly ChatMessage[]) => Json | Promise<Json>;

/** Of what was said earlier; the newest is kept. */
const MOST_CHARS = 20_000;

/**
 * The text of the newest message; with earlier ones `{ message, earlier: [{ from, text }] }`, the oldest first, as much as fits.
 * JSON, because a message must not be able to speak in the agent's name.
 */
export function textInput(messages: readonly ChatMessage[]): Json {
  const [newest, ...before] = messages.toReversed().map((message) => {
    return { from: message.role === 'user' ? 'user' : 'agent', text: textOf(message) };
  });
  let left = MOST_CHARS;
  const earlier = before.filter(({ text }) => text !== '').filter(({ text }) => (left -= text.length) >= 0);
  const message = newest?.text ?? '';
  return earlier.length === 0 ? message : { message, earlier: earlier.reverse() };
}

/** The text of a message's last step: what was said before a tool was asked is no answer. */
export function textOf({ parts }: ChatMessage): string {
  const last = parts.slice(parts.findLastIndex(({ type }) => type === 'step-start') + 1);
  return last
    .flatMap((part) => (part.type === 'text' ? part.text : []))
    .join('\n')
    .trim();
}

/** Why a message is not one that `textInput` reads; undefined for one that is. */
export function whyNoText({ id, parts }: ChatMessage): Refusal | undefined {
  const about = `The message ${JSON.stringify(id)}`;
  if (parts.some(({ type }) => type !== 'text')) {
    return refuse(
      400,
      `${about} holds more than text, and this chat reads text only. Its owner can give chatHandler a toInput that reads the rest.`,
    );
  }
  const isEmpty = parts.every((part) => part.type !== 'text' || part.text.trim() === '');
  return isEmpty ? refuse(400, `${about} has no text. Write something.`) : undefined;
}
