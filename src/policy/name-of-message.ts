import type { Json } from '../contracts/json.ts';
import type { DecideApproval, ResolveOutcome } from '../contracts/messages.ts';
import { stableHash } from './stable-id.ts';

/**
 * A message as it is told from others: by all of it. The id that a page offers is everybody's; one that is not signed must not
 * stand in the way of one that is, nor what was wrong in the way of what was put right.
 */
export const nameOfMessage = (message: ResolveOutcome | DecideApproval): string =>
  // As it travels: without what JSON leaves out.
  stableHash(JSON.parse(JSON.stringify(message)) as Json);
