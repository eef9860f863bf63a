import type { AgentClient } from '../client/agent-client.ts';
import type { DecideApproval, ResolveOutcome } from '../contracts/messages.ts';
import { isApproval } from '../policy/weigh-leave.ts';

/** What a person said on a question of either kind. */
export type Word = DecideApproval | ResolveOutcome;

/** An answer may lie far back. */
export const ALL = 2 ** 31 - 1;

/** What stands, by the ledger, on the one question that an id or its first letters stand for. */
export async function findStanding(
  client: Pick<AgentClient, 'ledger'>,
  typed: string,
  run: string | undefined,
): Promise<Word | undefined> {
  const records = await client.ledger({ ...(run !== undefined && { run }), limit: ALL });
  const words = records.flatMap((record) =>
    record.is === 'settled' || record.is === 'decided' ? [record.decision] : [],
  );
  const ids = new Set(words.map(({ question }) => question).filter((id) => id.startsWith(typed)));
  const [id] = ids.has(typed) ? [typed] : ids.size === 1 ? ids : [];
  return lastWord(words.filter(({ question }) => question === id));
}

/** Of several people one who denied it, or wanted other arguments, has the last word. */
function lastWord(words: readonly Word[]): Word | undefined {
  const approvals = words.filter(isApproval);
  const denied = approvals.find(({ verdict }) => verdict === 'deny');
  return denied ?? approvals.find(({ input }) => input !== undefined) ?? words.at(-1);
}
