import type { StoredEvent } from '../contracts/events.ts';
import { followReply, type ReplySoFar } from '../policy/follow-reply.ts';
import type { EventContext } from './screens/event-lines.ts';

/** Remembers of a run's events what later ones refer to. */
export interface EventMemory extends EventContext {
  note(event: StoredEvent): void;
}

export function rememberEvents(): EventMemory {
  const names = new Map<string, string>();
  const begun = new Map<string, number>();
  let reply: ReplySoFar | undefined;
  return {
    nameOf: (call) => names.get(call),
    beganAt: (call) => begun.get(call),
    replyOf: (call) => (reply?.call === call ? reply : undefined),
    note(event) {
      reply = followReply(reply, event);
      if (event.type !== 'attempt-started') return;
      names.set(event.call, event.name);
      begun.set(event.call, event.at);
    },
  };
}
