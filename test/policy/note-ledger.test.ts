import { describe, expect, test } from '@jest/globals';
import type { LedgerRecord } from '../../src/contracts/ledger.ts';
import { describeNote, noteLedger } from '../../src/policy/note-ledger.ts';

const about = {
  ...{ key: { namespace: 'default', scope: 'task:t', intent: 'refund:A' }, task: 't', run: 'r', execution: 'e' },
  ...{ call: 't1c0', tool: 'refund', generation: 1, at: 1_000 },
};
const claimed = {
  ...{ ...about, counter: 1, is: 'claimed', claim: 'c1', schedule: 1, holder: 'w', sendBy: 2_000, digest: 'd' },
  ...{ input: { is: 'inline', value: {} }, landsWithinMs: 1_000, effect: 'unflagged' },
} as const satisfies LedgerRecord;
const lost: LedgerRecord = {
  ...{ ...about, counter: 2, is: 'unknown', claim: 'c1', at: 5_000 },
  failure: { kind: 'timed-out', delivery: 'maybe-sent', message: 'no answer' },
};
const done: LedgerRecord = {
  ...{ ...about, counter: 2, is: 'done', claim: 'c1', late: false },
  result: { is: 'inline', value: null },
};
const withdrawn = (counter: number): LedgerRecord => ({ ...about, counter, is: 'withdrawn', schedule: 1 });
const said = (records: readonly LedgerRecord[], now: number) => noteLedger(records, [], now).map(describeNote);

describe('whoever checks a ledger is told', () => {
  test.each<[string, readonly LedgerRecord[], number, boolean]>([
    ['may still land', [claimed], 2_999, false],
    ['can no longer land', [claimed], 3_000, true],
    ['may land, counted from when sight was lost', [claimed, lost], 5_999, false],
    ['can no longer land since sight was lost', [claimed, lost], 6_000, true],
    ['has ended', [claimed, done], 9_000, false],
  ])('of a claim without an end that %s', (_, records, now, isTold) => {
    const note = 'task t: nobody knows the end of refund:A, run r; it can no longer land';
    expect(said(records, now)).toEqual(isTold ? [note] : []);
  });

  test('of rules', () => {
    const rule = { id: 'd1', tool: 'refund', where: { amount: 5 }, by: 'ann', reason: 'small' };
    expect(said([{ ...about, counter: 1, is: 'ruled', rule }], 0)).toEqual([
      'task t: refund where amount = 5 needs no further approval in this task (ann: small)',
    ]);
  });

  test('of records that an export lacks though it has later ones; of later ones nothing is said', () => {
    const now = [1, 2, 3, 4].map(withdrawn);
    const part = { name: 'part.jsonl', records: [withdrawn(3)] };
    expect(noteLedger(now, [part], 0).map(describeNote)).toEqual([
      'task t: part.jsonl lacks record 1, 2: it is of a part, or they came later',
    ]);
    expect(noteLedger(now, [{ name: 'x', records: now.slice(0, 2) }], 0)).toEqual([]);
  });
});
