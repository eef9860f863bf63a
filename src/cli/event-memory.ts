import type { StoredEvent } from '../contracts/events.ts';
import type { EventContext } from './screens/event-lines.ts';

/** Remembers of a run's events what later ones refer to. */
export interface EventMemory extends EventContext {
  note(event: StoredEvent): void;
}

export function rememberEvents(): EventMemory {
  const names = new Map<string, string>();
  const begun = new Map<string, number>();
  return {
    nameOf: (call) => names.get(call),
    beganAt: (call) => begun.get(call),
    note(event) {
      if (event.type !== 'attempt-started') return;
      names.set(event.call, event.name);
      begun.set(event.call, event.at);
    },
  };
}
