import type { Money } from '../../src/contracts/bill.ts';
import type { RunRow } from '../../src/client/list-runs.ts';
import type { StoredEvent } from '../../src/contracts/events.ts';
import type { ApprovalQuestion, Question } from '../../src/contracts/question.ts';
import type { RunView } from '../../src/contracts/run.ts';
import { at } from './plain-screen.ts';

/** A refund whose answer never came, as its run asks about it at 10:02:44. */
export const QUESTION: Question = {
  id: 'q7f3abc',
  kind: 'outcome',
  run: 'refund-A-1042',
  call: 't2c0',
  tool: 'refund',
  key: { namespace: 'default', scope: 'task:refund-A-1042', intent: 'refund:A-1042' },
  input: { is: 'inline', value: { orderId: 'A-1042', amount: 49 } },
  digest: '0123456789abcdef',
  sentAt: at(10, 2, 14),
  since: at(10, 2, 44),
  horizon: at(10, 12, 44),
  known: ['refund gave no answer within its time-out of 30 s.', 'Ledger: claimed, no outcome recorded.'],
};

/** A refund that two people have to agree to, asked at 10:02:44; one of them has. */
export const APPROVAL: ApprovalQuestion = {
  id: 'qk21c7a',
  kind: 'approval',
  run: 'refund-A-1042',
  call: 't2c0',
  tool: 'refund',
  key: { namespace: 'default', scope: 'task:refund-A-1042', intent: 'refund:A-1042' },
  input: { is: 'inline', value: { orderId: 'A-1042', amount: 900 } },
  digest: '0123456789abcdef',
  amount: { value: 900, currency: 'USD' },
  since: at(10, 2, 44),
  because: ['a refund above $100'],
  expiresAt: at(10, 2, 44) + 7 * 86_400_000,
  round: 0,
  generation: 1,
  known: [],
  need: 2,
  have: ['ann'],
};

export const ROW: RunRow = {
  run: 'refund-A-1042',
  agent: 'support',
  taskId: 'refund-A-1042',
  status: 'waiting',
  waitingFor: ['outcome'],
  startedAt: at(10, 1, 58),
  closedAt: undefined,
  temporalStatus: 'RUNNING',
};

export const COST: Money = { micros: 4_100, estimatedMicros: 0, requests: 2, estimated: 0, unknown: 0 };

export const VIEW: RunView = {
  run: 'refund-A-1042',
  agent: 'support',
  version: '1',
  model: 'maker/thinker-2',
  taskId: 'refund-A-1042',
  status: 'waiting',
  turn: 2,
  startedAt: at(10, 1, 58),
  waitingFor: ['outcome'],
  questions: [QUESTION],
  refused: [],
  awaited: [],
  calls: [
    {
      call: 't1',
      turn: 1,
      kind: 'model',
      name: 'maker/thinker-2',
      state: 'ok',
      startedAt: at(10, 1, 58),
      endedAt: at(10, 1, 59),
      usage: { inputTokens: 1412, outputTokens: 58, cacheReadTokens: null, cacheWriteTokens: null },
    },
    {
      call: 't2c0',
      turn: 2,
      kind: 'tool',
      name: 'refund',
      intent: 'refund:A-1042',
      state: 'outcome unknown',
      startedAt: at(10, 2, 14),
      question: 'q7f3abc',
    },
    {
      call: 't2c1',
      turn: 2,
      kind: 'tool',
      name: 'send_note',
      state: 'ok',
      startedAt: at(10, 2, 14),
      endedAt: at(10, 2, 16),
    },
  ],
  spend: { inputTokens: 1412, outputTokens: 58, unmetered: 1, cost: COST },
};

const model = { call: 't1', turn: 1, kind: 'model', name: 'maker/thinker-2', attempt: 1 } as const;
const refund = { call: 't2c0', turn: 2, kind: 'tool', name: 'refund', attempt: 1 } as const;
const note = { call: 't2c1', turn: 2, kind: 'tool', name: 'send_note' } as const;
const overloaded = {
  kind: 'transient',
  delivery: 'refused',
  message: 'send_note: 503 overloaded',
  status: 503,
} as const;
const lost = {
  kind: 'timed-out',
  delivery: 'maybe-sent',
  message: 'refund gave no answer within its time-out of 30 s.',
} as const;
const usage = { inputTokens: 1412, outputTokens: 58, cacheReadTokens: null, cacheWriteTokens: null } as const;
const unnamed = 'send_note:e63b86a2e7905ea0:0';

/** The same run as the event store has it. */
export const EVENTS: readonly StoredEvent[] = [
  { type: 'run-started', at: at(10, 1, 58), agent: 'support', input: '"Refund order A-1042"' } as const,
  { type: 'attempt-started', at: at(10, 1, 58), ...model } as const,
  { type: 'attempt-ended', at: at(10, 1, 59), ...model, outcome: 'success', usage } as const,
  { type: 'attempt-started', at: at(10, 2, 14), ...refund, intent: 'refund:A-1042' } as const,
  { type: 'attempt-started', at: at(10, 2, 14), ...note, attempt: 1, intent: unnamed } as const,
  {
    type: 'attempt-ended',
    at: at(10, 2, 14),
    ...note,
    attempt: 1,
    outcome: 'failure',
    failure: overloaded,
    nextWaitMs: 800,
  } as const,
  { type: 'attempt-started', at: at(10, 2, 15), ...note, attempt: 2, intent: unnamed } as const,
  { type: 'attempt-ended', at: at(10, 2, 16), ...note, attempt: 2, outcome: 'success' } as const,
  { type: 'call-answered', at: at(10, 2, 16), call: 't2c1', tool: 'send_note', reply: { status: 'ok' } } as const,
  { type: 'attempt-ended', at: at(10, 2, 44), ...refund, outcome: 'unknown', failure: lost } as const,
  { type: 'question-raised', at: at(10, 2, 44), question: 'q7f3abc', call: 't2c0' } as const,
].map((event, index) => ({ ...event, offset: index + 1 }));
