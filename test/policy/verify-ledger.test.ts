import { describe, expect, test } from '@jest/globals';
import type { LedgerRecord } from '../../src/contracts/ledger.ts';
import { describeFault, verifyLedger } from '../../src/policy/verify-ledger.ts';

function record(counter: number, change: Partial<LedgerRecord> = {}): LedgerRecord {
  const key = { namespace: 'default', scope: 'task:t', intent: 'refund:A' };
  const about = { key, task: 't', run: 'r', execution: 'e', call: 't1c0', tool: 'refund', generation: 1, at: 1 };
  return { ...about, counter, is: 'withdrawn', schedule: 1, ...change } as LedgerRecord;
}

const three = [record(1), record(2), record(3)];

describe('a ledger is verified', () => {
  test('whole and unchanged: nothing is found, also when it has grown since an export', () => {
    expect(verifyLedger(three, [])).toEqual([]);
    expect(verifyLedger(three, [{ name: 'x', records: three.slice(0, 2) }])).toEqual([]);
    expect(verifyLedger([], [])).toEqual([]);
  });

  test('tasks count apart', () => {
    expect(verifyLedger([record(1), record(1, { task: 'u' }), record(2)], [])).toEqual([]);
  });

  test.each([
    ['a record missing', [record(1), record(3)], 'task t: record 2 is missing'],
    ['several missing', [record(1), record(9)], 'task t: record 2 to 8 is missing'],
    ['the first missing', [record(2)], 'task t: record 1 is missing'],
    ['one that came afterwards', [record(1), record(3), record(2)], 'task t: record 2 was written after record 3'],
    ['a number used twice', [record(1), record(1, { at: 2 })], 'task t: two records have the number 1'],
  ])('%s', (_, records, said) => {
    expect(verifyLedger(records, []).map(describeFault)).toEqual([said]);
  });

  test('a record that is not what an export says, or is gone', () => {
    const changed = [record(1), record(2, { at: 9 })];
    expect(verifyLedger(changed, [{ name: 'monday.jsonl', records: three }]).map(describeFault)).toEqual([
      'task t: record 2 is not what monday.jsonl says it was',
      'task t: record 3 is in monday.jsonl and no longer in the ledger',
    ]);
  });

  test('the order of fields, and fields that are not there, change nothing', () => {
    const turned = JSON.parse(JSON.stringify(Object.fromEntries(Object.entries(record(1)).reverse()))) as LedgerRecord;
    const extra = { ...record(1), permits: undefined } as LedgerRecord;
    expect(verifyLedger([extra], [{ name: 'x', records: [turned] }])).toEqual([]);
  });
});
