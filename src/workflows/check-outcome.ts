import { condition } from '@temporalio/workflow';
import type { CheckCall } from '../contracts/plan.ts';
import type { CallProgress } from '../contracts/run.ts';
import { pendingReply } from '../policy/reply-for.ts';
import type { Run } from './run.ts';

/** How long a check waits for news before it says "still pending": a model that asks again and again pays for each turn. */
const PATIENCE_MS = 30_000;

/** Answers what became of a call that was answered with `pending`. The ledger and the look-up are asked at once. */
export async function checkOutcome(run: Run, { handle }: CheckCall): Promise<CallProgress> {
  const settled = () => run.settled.find(({ question }) => question === handle);
  const open = run.pending.find(({ id }) => id === handle);
  if (open && !settled()) {
    run.news.add(open.call);
    const summary = `${open.tool} · checking for news`;
    await condition(() => settled() !== undefined || run.stop !== null, PATIENCE_MS, { summary });
  }
  const known = settled();
  if (known) {
    const { reply, result } = known;
    return { is: 'closed', reply, ...(result && { result }) };
  }
  if (open) return { is: 'closed', reply: pendingReply(open.id) };
  const message = `No call of this run is pending under the handle "${handle}".`;
  return { is: 'closed', reply: { status: 'failed', message, retryable: false } };
}
