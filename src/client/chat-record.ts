import { chatEvents, type StoredEvent } from '../contracts/events.ts';
import type { Json } from '../contracts/json.ts';
import { readToEnd } from '../policy/read-to-end.ts';
import { refuseUnsharedStore } from '../stores/open-stores.ts';
import type { ClientParts } from './client-parts.ts';

/** One message of a chat, and the run that answers it. */
export interface ChatEntry {
  readonly run: string;
  readonly message: Json;
  /** It was asked anew on purpose: what came after it counts no more. */
  readonly again?: true;
}

/** A chat's messages, in the order in which they came. Whoever reads after `add` has resolved finds what was added. */
export interface ChatRecord {
  entries(): Promise<readonly ChatEntry[]>;
  add(entry: ChatEntry): Promise<void>;
}

/** @throws as refuseUnsharedStore: elsewhere nobody would find the messages. */
export function openChat(
  { events, chats, eventsAddress, address }: Pick<ClientParts, 'events' | 'chats' | 'eventsAddress' | 'address'>,
  id: string,
): ChatRecord {
  refuseUnsharedStore(eventsAddress, address);
  const name = chatEvents(id);
  return {
    async entries() {
      return (await readToEnd(events, name)).flatMap(entryOf);
    },
    // A worker may not have begun the store yet: a message is nothing to wait for one with.
    async add(entry) {
      await chats.append(name, [{ type: 'chat-message', at: Date.now(), ...entry }]);
    },
  };
}

function entryOf(event: StoredEvent): readonly ChatEntry[] {
  if (event.type !== 'chat-message') return [];
  const { run, message, again } = event;
  return [{ run, message, ...(again && { again }) }];
}
