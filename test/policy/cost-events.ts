import type { RunEvent, Usage } from '../../src/contracts/events.ts';

type Of<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>;

/** 3 and 15 dollars a million, so micro-dollars a token. */
export const PRICES = { 'maker/thinker': { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 } };

export const UNKNOWN: Usage = { inputTokens: null, outputTokens: null, cacheReadTokens: null, cacheWriteTokens: null };

export const used = (inputTokens: number | null, outputTokens: number | null, more: Partial<Usage> = {}): Usage => {
  return { ...UNKNOWN, inputTokens, outputTokens, ...more };
};

export const started = (at = 0): RunEvent => ({ type: 'run-started', at, agent: 'support', input: '""' });

export function ended(at: number, status: 'completed' | 'failed' = 'completed'): RunEvent {
  const result = { status, text: '', open: [], spend: { inputTokens: 0, outputTokens: 0, unmetered: 0 }, taskId: 'r' };
  return { type: 'run-ended', at, status, result };
}

export interface Sample {
  readonly turn?: number;
  readonly attempt?: number;
  /** Absent: of an older version. */
  readonly scheduledAt?: number;
  readonly from?: number;
  readonly to?: number;
  /** How the attempt ended; null: no word of it. */
  readonly outcome?: Of<'attempt-ended'>['outcome'] | null;
  readonly nextWaitMs?: number;
  readonly usage?: Usage;
  readonly requests?: readonly SampleRequest[];
}

export interface SampleRequest {
  readonly account?: string;
  readonly model?: string;
  readonly inputChars?: number;
  readonly responseId?: string;
  readonly reason?: 'first' | 'hedge';
  /** Absent: no word of its end. */
  readonly end?: Partial<Of<'request-ended'>>;
}

/** One attempt of a turn's model call with its requests; without `requests`, one that came whole with 100 tokens in and 10 out. */
export function modelAttempt({
  turn = 1,
  attempt = 1,
  scheduledAt,
  from = 0,
  to = from + 1_000,
  outcome = 'success',
  nextWaitMs,
  usage,
  requests = [{ end: {} }],
}: Sample = {}): readonly RunEvent[] {
  const about = { call: `t${turn}`, turn, attempt, ...(scheduledAt !== undefined && { scheduledAt }) };
  const named = { ...about, kind: 'model', name: 'maker/thinker' } as const;
  return [
    { type: 'attempt-started', at: from, ...named },
    ...requests.flatMap((request, at) => requestEvents({ ...about, part: at + 1 }, request, [from, to])),
    ...(outcome === null
      ? []
      : [
          {
            ...{ type: 'attempt-ended' as const, at: to, ...named, outcome },
            ...(nextWaitMs !== undefined && { nextWaitMs }),
            ...(usage && { usage }),
          },
        ]),
  ];
}

function requestEvents(
  numbered: Pick<Of<'request-sent'>, 'call' | 'turn' | 'attempt' | 'part' | 'scheduledAt'>,
  { account = 'maker', model = 'thinker', inputChars, responseId, reason = 'first', end }: SampleRequest,
  [from, to]: readonly [number, number],
): readonly RunEvent[] {
  const about = { ...numbered, account, model, reason };
  return [
    { type: 'request-sent', at: from, ...about, ...(inputChars !== undefined && { inputChars }) },
    ...(responseId === undefined ? [] : [{ type: 'request-answered' as const, at: from, ...about, responseId }]),
    ...(end
      ? [{ type: 'request-ended' as const, at: to, ...about, outcome: 'whole' as const, usage: used(100, 10), ...end }]
      : []),
  ];
}

/** Some of a reply, as watchers see it come. */
export function pieceOf(turn: number, delta: string, { attempt = 1, at = 0 } = {}): RunEvent {
  const stream = { call: `t${turn}`, turn, attempt, stream: attempt, scheduledAt: attempt };
  return { type: 'piece', at, ...stream, of: 'text', part: '0', delta, seq: 1 };
}

/** One attempt of a tool call, and what the model was told when it is the last. */
export function toolAttempt(
  turn: number,
  [from, to]: readonly [number, number],
  { nextWaitMs, attempt = 1 }: { readonly nextWaitMs?: number; readonly attempt?: number } = {},
): readonly RunEvent[] {
  const about = { call: `t${turn}c0`, turn, attempt, kind: 'tool', name: 'refund' } as const;
  const isLast = nextWaitMs === undefined;
  return [
    { type: 'attempt-started', at: from, ...about },
    {
      ...{
        type: 'attempt-ended' as const,
        at: to,
        ...about,
        outcome: isLast ? ('success' as const) : ('failure' as const),
      },
      ...(!isLast && { nextWaitMs }),
    },
    ...(isLast
      ? [{ type: 'call-answered' as const, at: to, call: about.call, tool: 'refund', reply: { status: 'ok' as const } }]
      : []),
  ];
}
