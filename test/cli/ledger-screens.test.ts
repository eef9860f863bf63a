import { describe, expect, test } from '@jest/globals';
import { ledgerScreen } from '../../src/cli/screens/ledger-screen.ts';
import { verifiedLines } from '../../src/cli/screens/verified-lines.ts';
import type { LedgerRecord } from '../../src/contracts/ledger.ts';
import { at, plainScreen } from './plain-screen.ts';

const screen = plainScreen();
const keyOf = (intent: string, scope = 'task:t') => ({ namespace: 'default', scope, intent });
const about = {
  ...{ key: keyOf('refund:A'), task: 't', run: 'r', execution: 'e', call: 't1c0', tool: 'refund', generation: 1 },
  at: at(10, 2, 14),
};
const claimed: LedgerRecord = {
  ...{ ...about, counter: 3, is: 'claimed', claim: 'c1', schedule: 1, holder: '1@host', sendBy: at(10, 2, 44) },
  ...{ input: { is: 'inline', value: { amount: 240 } }, digest: 'd', landsWithinMs: 1, effect: 'unflagged' },
  ...{ amount: { value: 240, currency: 'USD' }, permits: ['d1'], secret: 'k1' },
};
const word = { id: 'd1', question: 'q1', verdict: 'approve', by: 'ann', reason: 'small' } as const;
const where = { amount: 240 };
const records: readonly LedgerRecord[] = [
  { ...about, counter: 1, is: 'decided', digest: 'd', decision: { ...word, remember: { where } } },
  {
    ...{ ...about, counter: 2, key: keyOf('refund', 'rules:t'), is: 'ruled' },
    rule: { id: 'd1', tool: 'refund', where, by: 'ann', reason: 'small' },
  },
  claimed,
  { ...about, counter: 4, is: 'done', claim: 'c1', result: { is: 'inline', value: { id: 're_1' } }, late: true },
  { ...claimed, counter: 5, key: keyOf('refund:B'), call: 't2c0', claim: 'c2' },
];

describe('the ledger', () => {
  test('has each action with what stands of it, who allowed it and under which secret its key was made', () => {
    expect(ledgerScreen(records, { limit: 200 }, screen).split('\n')).toEqual([
      'refund:A · done · refund · task t',
      '   1  10:02:14  decided       approve by ann: small · remembered as a rule · r',
      '                              t1c0',
      '   3  10:02:14  claimed       $240.00 · {"amount":240} · sends by 10:02:44 ·',
      '                              allowed by ann · key secret k1 · worker 1@host',
      '   4  10:02:14  done          late news: it happened · {"id":"re_1"}',
      '',
      'remembered approvals of refund · task t',
      '   2  10:02:14  ruled         refund where amount = 240 needs no further',
      '                              approval in this task (ann: small) · r t1c0',
      '',
      'refund:B · outcome unknown · refund · task t',
      '   5  10:02:14  claimed       $240.00 · {"amount":240} · sends by 10:02:44 ·',
      '                              allowed by a rule of ann · key secret k1 · worker',
      '                              1@host · r t2c0',
    ]);
  });

  test('tells of a rule only where that very one is on record', () => {
    const [decided, ruled] = records;
    const shown = (...all: readonly LedgerRecord[]) => ledgerScreen(all, { limit: 200 }, screen);
    const other = {
      ...ruled,
      rule: { id: 'd1', tool: 'refund', where: {}, by: 'ann', reason: 'small' },
    } as LedgerRecord;
    expect(shown(decided!)).toContain('approve by ann: small · asked for a rule');
    expect(shown(decided!, other)).toContain('approve by ann: small · asked for a rule');
    expect(shown(decided!, ruled!)).toContain('approve by ann: small · remembered as a rule');
  });

  test('names everybody who agreed, also under one decision id', () => {
    const [decided] = records;
    const bob = { ...about, counter: 2, is: 'decided', digest: 'd', decision: { ...word, by: 'bob' } } as const;
    const both = { ...claimed, permits: ['d1', 'd1'] };
    expect(ledgerScreen([decided!, bob, both], { limit: 200 }, screen)).toContain('allowed by ann, bob · key secret');
  });

  test('shows the newest actions whole, and says how many it leaves out', () => {
    const shown = ledgerScreen(records, { limit: 2 }, screen);
    expect(shown).toContain('refund:A · done');
    expect(shown).toContain('decided');
    expect(shown).not.toContain('remembered approvals');
    expect(shown).toMatch(/\n\n1 older action is left out: --limit N shows more\.$/);
  });
});

test('a check says what it compared, what it found, and what is good to know', () => {
  const counts = { records: 2, tasks: 1, compared: [{ name: 'monday.jsonl', records: 1 }] };
  const found = { faults: [{ is: 'gap', task: 't', after: 1, next: 3 }], notes: [] } as const;
  expect(verifiedLines({ ...counts, ...found }, screen)).toBe(
    ['2 records of 1 task: 1 fault', '  against monday.jsonl: 1 record', '  task t: record 2 is missing'].join('\n'),
  );
  const note = { is: 'open', task: 't', intent: 'refund:A', run: 'r', since: 1 } as const;
  expect(verifiedLines({ ...counts, compared: [], faults: [], notes: [note] }, screen)).toBe(
    [
      '2 records of 1 task: no gap, nothing changed, nothing gone',
      'Good to know:',
      '  task t: nobody knows the end of refund:A, run r; it can no longer land',
    ].join('\n'),
  );
});
