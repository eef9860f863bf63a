import type { Json } from '../contracts/json.ts';
import type { DecideApproval, ResolveOutcome } from '../contracts/messages.ts';
import { stableHash } from '../policy/stable-id.ts';

/** The same message again is one update; anything else, also under the same id, is heard anew. */
export const updateIdOf = (message: ResolveOutcome | DecideApproval): string =>
  `${message.id.slice(0, 60)}-${stableHash(JSON.parse(JSON.stringify(message)) as Json)}`;
