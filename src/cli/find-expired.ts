import type { AgentClient } from '../client/agent-client.ts';
import type { InboxItem } from '../client/inbox.ts';
import type { ApprovalQuestion } from '../contracts/question.ts';

/** A question that nobody answered in time, by the first letters of its id, and the one that is asked in its place. */
export async function findExpired(
  client: Pick<AgentClient, 'get'>,
  typed: string,
  open: readonly InboxItem[],
): Promise<{ readonly was: string; readonly now: ApprovalQuestion } | undefined> {
  for (const { question } of open) {
    if (question.kind !== 'approval' || question.round === 0) continue;
    const events = await client.get(question.run).events();
    const was = events
      .filter((event) => event.type === 'question-expired')
      .find((event) => event.call === question.call && event.question.startsWith(typed));
    if (was) return { was: was.question, now: question };
  }
  return undefined;
}
