import type { StoredEvent } from '../contracts/events.ts';
import type { ChatChunk } from './chat-message.ts';
import { hideParts } from './hide-parts.ts';
import { writeMessage, type MessageOptions } from './write-message.ts';

/**
 * Events of one run, from its first on, as the chunks of one assistant message of the AI SDK. Begins before the first event and
 * ends as they do; `finish` comes with the run's own end. A reply that is begun anew empties its step (`reset-step`), so that a
 * front end shows no word of the attempt that broke. Reads no clock; throws only what `events` throws.
 */
export async function* toUIMessageChunks(
  events: AsyncIterable<StoredEvent> | Iterable<StoredEvent>,
  options: MessageOptions,
): AsyncGenerator<ChatChunk, void> {
  const message = writeMessage(options);
  yield message.start();
  const { hides = [] } = options;
  for await (const event of events) yield* message.take(event).flatMap((chunk) => hideParts(chunk, hides) ?? []);
}
