import type { RunHandle } from '../client/run-handle.ts';
import type { StoredEvent } from '../contracts/events.ts';
import type { RunResult } from '../contracts/run-result.ts';

export type FollowedRun = Pick<RunHandle, 'id' | 'describe' | 'events' | 'watch' | 'result'>;

/** Where a run stands. `from`: the offset after which its own events begin, for ids that were used before. */
export type Standing =
  | { readonly is: 'unknown' }
  | { readonly is: 'under-way'; readonly from: number }
  /** `at`: epoch milliseconds. */
  | { readonly is: 'ended'; readonly from: number; readonly at: number };

/** What server and events say of a run together: neither lags, and each may have forgotten it. */
export async function findStanding(run: FollowedRun): Promise<Standing> {
  const [row, past] = await Promise.all([run.describe(), run.events()]);
  const from = (past[0]?.offset ?? 1) - 1;
  const end = past.findLast(({ type }) => type === 'run-ended');
  if (row && row.closedAt === undefined) {
    // Started anew under its id, and not heard yet.
    const isNewer = end !== undefined && row.startedAt > end.at;
    return { is: 'under-way', from: isNewer ? end.offset : from };
  }
  const at = end?.at ?? row?.closedAt;
  return at === undefined ? { is: 'unknown' } : { is: 'ended', from, at };
}

/** The run's events, as they come, to its end: one that was ended from outside and never said so gets an end here. */
export async function* followRun(
  run: FollowedRun,
  from: number,
  signal: AbortSignal,
): AsyncGenerator<StoredEvent, void> {
  let offset = from;
  for await (const event of run.watch({ from, signal })) {
    yield event;
    ({ offset } = event);
    if (event.type === 'run-ended') return;
  }
  if (!signal.aborted) yield await endFromOutside(run, offset + 1);
}

async function endFromOutside(run: FollowedRun, offset: number): Promise<StoredEvent> {
  const result = await run.result().catch(() => undefined);
  const row = result ? undefined : await run.describe();
  const status = result?.status ?? row?.temporalStatus.toLowerCase() ?? 'failed';
  return { type: 'run-ended', at: row?.closedAt ?? 0, status, offset, result: result ?? NO_ANSWER };
}

const NO_ANSWER: RunResult = Object.freeze({
  status: 'failed',
  text: 'The run was ended from outside, without an answer.',
  open: [],
  spend: { inputTokens: 0, outputTokens: 0, unmetered: 0 },
  taskId: '',
});
