import type { ChatEntry } from '../client/chat-record.ts';
import type { ChatMessage } from './chat-message.ts';

/** A message that counts, and the run that answers it. */
export interface Asked {
  readonly run: string;
  readonly message: ChatMessage;
}

/**
 * The messages of a chat that count, in order. One that was edited, or asked anew, stands where it stood, and what came after it
 * counts no more. The same message twice is one.
 */
export function foldChat(entries: readonly ChatEntry[]): readonly Asked[] {
  const counts: Asked[] = [];
  for (const { run, message: kept, again } of entries) {
    // Only the handler writes here, and only what it has checked.
    const message = kept as unknown as ChatMessage;
    const at = counts.findIndex((one) => one.message.id === message.id);
    if (at < 0) counts.push({ run, message });
    else if (again || counts[at]?.run !== run) counts.splice(at, counts.length, { run, message });
  }
  return counts;
}
