import type { CallAnswer } from '../contracts/requests.ts';
import { driveCall } from './drive-call.ts';
import type { Call } from './call.ts';
import type { Run } from './run.ts';

/**
 * Takes all calls of a turn to their answers, in parallel; those with one key one after the other. One that waits or fails
 * does not stop its siblings. `long`: the history should end first, and nothing is under way.
 */
export async function driveCalls(run: Run): Promise<'answered' | 'long'> {
  const all = Promise.all(byKey(run.calls).map((calls) => driveInOrder(run, calls)));
  const driven = await Promise.race([all.then(() => 'answered' as const), run.untilLong().then(() => 'long' as const)]);
  if (driven === 'long' || !run.isLong) return driven;
  await run.untilLong();
  return 'long';
}

async function driveInOrder(run: Run, calls: readonly Call[]): Promise<void> {
  for (const call of calls) await driveCall(run, call);
}

function byKey(calls: readonly Call[]): readonly (readonly Call[])[] {
  const groups = new Map<string, Call[]>();
  for (const call of calls) {
    const { plan } = call;
    const key = plan.is === 'runnable' ? JSON.stringify([plan.key.scope, plan.key.intent]) : plan.call;
    groups.set(key, [...(groups.get(key) ?? []), call]);
  }
  return [...groups.values()];
}

/** The one answer of a call that is closed. */
export function answerOf({ plan, progress }: Call): CallAnswer {
  if (progress.is !== 'closed') throw new Error(`Call ${plan.call} has no answer: it is ${progress.is}.`);
  const { reply, result } = progress;
  return { toolCallId: plan.toolCallId, tool: plan.tool, reply, ...(result && { result }) };
}
