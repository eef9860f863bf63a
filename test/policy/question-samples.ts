import { inline } from '../../src/contracts/content.ts';
import type { ApprovalQuestion, OutcomeQuestion } from '../../src/contracts/question.ts';

const about = {
  run: 'refund-A-1042',
  call: 't3.c1',
  tool: 'refund',
  key: { namespace: 'default', scope: 'task:refund-A-1042', intent: 'refund:A-1042' },
  input: inline({ orderId: 'A-1042', amount: 49 }),
  digest: '0123456789abcdef',
  since: Date.UTC(2026, 0, 2, 10, 2, 44),
  amount: { value: 49, currency: 'USD' },
};

export const outcome: OutcomeQuestion = {
  ...about,
  id: 'qabcdef',
  kind: 'outcome',
  sentAt: Date.UTC(2026, 0, 2, 10, 2, 14),
  horizon: Date.UTC(2026, 0, 2, 10, 12, 44),
  known: ['No answer in 30 s.', 'Ledger: claimed, no outcome recorded.'],
};

export const approval: ApprovalQuestion = {
  ...about,
  id: 'qghjkmn',
  kind: 'approval',
  because: ['needsApproval: production'],
  expiresAt: Date.UTC(2026, 0, 9, 10, 2, 44),
  round: 0,
  generation: 1,
  known: [],
  need: 2,
  have: ['anna'],
};
