import type { StoredEvent } from '../contracts/events.ts';
import type { RunHandle } from '../client/run-handle.ts';
import { readOutsideEnd } from './outside-end.ts';

/**
 * What a run does next. `asks`: it waits for a person, about this question. `answered`: it has its answer, and something is
 * still open. `works`: on this call, when the time to look was over; `silent`: nothing was heard of it in that time.
 */
export type Next =
  | { readonly is: 'ended'; readonly status: string; readonly text: string }
  | { readonly is: 'asks'; readonly question: string }
  | { readonly is: 'answered'; readonly text: string; readonly open: number }
  | { readonly is: 'works'; readonly turn: number; readonly on: string }
  | { readonly is: 'silent' };

export interface Look {
  /** Only events after this offset count. */
  readonly from: number;
  /** Absent: as long as it takes. */
  readonly withinMs?: number;
  /** Called with each event. */
  readonly note?: (event: StoredEvent) => void;
}

/** Watches a run until it ends or needs somebody, or the time to look is over. */
export async function whatFollows(handle: RunHandle, { from, withinMs, note }: Look): Promise<Next> {
  let next: Next = { is: 'silent' };
  const signal = withinMs === undefined ? undefined : AbortSignal.timeout(withinMs);
  for await (const event of handle.watch({ from, ...(signal && { signal }) })) {
    note?.(event);
    if (event.type === 'run-ended') return { is: 'ended', status: event.status, text: event.result.text };
    const needs = await needsSomebody(handle, event);
    if (needs) return needs;
    if (event.type === 'attempt-started') next = { is: 'works', turn: event.turn, on: event.name };
  }
  return signal?.aborted ? next : { is: 'ended', ...(await readOutsideEnd(handle)) };
}

/** A run asks, has come to an answer, or is done with one call of several and waits for the others. */
const AFTER: ReadonlySet<StoredEvent['type']> = new Set(['question-raised', 'said', 'call-answered']);

/** A run may raise a question and go on: only its own state says whether it waits for a person. */
async function needsSomebody(handle: RunHandle, event: StoredEvent): Promise<Next | undefined> {
  if (!AFTER.has(event.type)) return undefined;
  const view = await handle.state();
  const [question] = view?.questions ?? [];
  if (!view || !question) return undefined;
  if (view.status === 'answered') return { is: 'answered', text: view.answer ?? '', open: view.questions.length };
  return view.status === 'waiting' ? { is: 'asks', question: question.id } : undefined;
}
