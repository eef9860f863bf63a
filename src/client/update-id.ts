import type { DecideApproval, ResolveOutcome } from '../contracts/messages.ts';
import { nameOfMessage } from '../policy/name-of-message.ts';

/** The same message again is one update; anything else, also under the same id, is heard anew. */
export const updateIdOf = (message: ResolveOutcome | DecideApproval): string =>
  `${message.id.slice(0, 60)}-${nameOfMessage(message)}`;
