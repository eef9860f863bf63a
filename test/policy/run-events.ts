import type { RunEvent, Usage } from '../../src/contracts/events.ts';
import type { Failure } from '../../src/contracts/failure.ts';
import type { RunResult } from '../../src/contracts/run-result.ts';

type Of<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>;

export const OVERLOAD: Failure = {
  kind: 'transient',
  delivery: 'maybe-sent',
  message: 'The model could not be asked (overload).',
  status: 503,
  reason: 'overload',
};

const usage = (inputTokens: number | null, outputTokens: number | null): Usage => {
  return { inputTokens, outputTokens, cacheReadTokens: null, cacheWriteTokens: null };
};

export const started = (at: number): RunEvent => ({ type: 'run-started', at, agent: 'support', input: '"hello"' });

export function ended(at: number, status: RunResult['status'] = 'completed'): RunEvent {
  const result = { status, text: '', open: [], spend: { inputTokens: 0, outputTokens: 0, unmetered: 0 }, taskId: 'r' };
  return { type: 'run-ended', at, status, result };
}

/** One attempt of the model call of turn 1, from `from` to `to`, with one request. Times are moments of the run. */
export function modelAttempt(
  attempt: number,
  [from, to]: readonly [number, number],
  end: Partial<Of<'attempt-ended'>> & Pick<Of<'attempt-ended'>, 'outcome'>,
): readonly RunEvent[] {
  const about = { call: 't1', turn: 1, attempt };
  const request = {
    ...about,
    part: 1,
    account: 'compatible',
    model: 'stand-in',
    reason: attempt === 1 ? ('first' as const) : ('retry' as const),
  };
  const isWhole = end.outcome === 'success';
  const used = isWhole ? usage(35, 25) : usage(null, null);
  return [
    { type: 'attempt-started', at: from, ...about, kind: 'model', name: 'compatible/stand-in' },
    { type: 'request-sent', at: from, ...request },
    { type: 'request-ended', at: to, ...request, outcome: isWhole ? 'whole' : 'broken', usage: used },
    {
      ...{ type: 'attempt-ended', at: to, ...about, kind: 'model', name: 'compatible/stand-in' },
      ...(isWhole && { usage: used }),
      ...end,
    } as const,
  ];
}

/** One attempt of a tool call; without an end when its worker was lost. */
export function toolAttempt(
  attempt: number,
  [from, to]: readonly [number, number],
  end: (Partial<Of<'attempt-ended'>> & Pick<Of<'attempt-ended'>, 'outcome'>) | undefined,
): readonly RunEvent[] {
  const about = { call: 't1c0', turn: 1, attempt, kind: 'tool', name: 'refund' } as const;
  const begin: RunEvent = { type: 'attempt-started', at: from, ...about };
  return end ? [begin, { type: 'attempt-ended', at: to, ...about, ...end }] : [begin];
}

export const answered = (at: number, status: Of<'call-answered'>['reply']['status']): RunEvent => {
  return { type: 'call-answered', at, call: 't1c0', tool: 'refund', reply: { status } };
};
