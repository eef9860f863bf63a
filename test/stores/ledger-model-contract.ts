import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { LedgerEntry, LedgerQuery, LedgerRecord } from '../../src/contracts/ledger.ts';
import { openLedger } from '../../src/stores/open-stores.ts';
import { anyEntry } from './arbitraries.ts';
import type { StorePlace } from './store-folder.ts';

/** The part of the contract that says: whatever is decided, a ledger holds what a list in memory would hold. */
export function ledgerModelContract(name: string, makePlace: () => Promise<StorePlace>): void {
  describe(`${name} as a ledger`, () => {
    test('reads back any sequence of decisions, by key, task, run and in whole', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(anyEntry, { maxLength: 12 }), async (entries) => {
          const fresh = await makePlace();
          const model = new ModelLedger();
          const subject = openLedger(fresh.address);
          try {
            for (const entry of entries) {
              const { answer, written } = await subject.decide(entry.key, (seen) => ({
                append: [entry, entry],
                answer: seen,
              }));
              expect(answer).toEqual(model.read({ key: entry.key }));
              expect(written).toEqual([model.append(entry), model.append(entry)]);
            }
            for (const query of queriesOf(entries)) expect(await subject.read(query)).toEqual(model.read(query));
            for (const { task } of entries) expect(await subject.counter(task)).toBe(model.read({ task }).length);
            expect(await subject.counter('no such task')).toBe(0);
          } finally {
            await subject.close();
            await fresh.remove();
          }
        }),
        { numRuns: 40 },
      );
    });
  });
}

/** The contract in the simplest way it can be kept. */
class ModelLedger {
  readonly #records: LedgerRecord[] = [];

  append(entry: LedgerEntry): LedgerRecord {
    const record = { ...entry, counter: this.read({ task: entry.task }).length + 1 };
    this.#records.push(record);
    return record;
  }

  read({ key, task, run }: LedgerQuery): readonly LedgerRecord[] {
    return this.#records.filter(
      (record) =>
        (key === undefined || JSON.stringify(record.key) === JSON.stringify({ ...record.key, ...key })) &&
        (task === undefined || record.task === task) &&
        (run === undefined || record.run === run),
    );
  }
}

function queriesOf(entries: readonly LedgerEntry[]): readonly LedgerQuery[] {
  return [{}, ...entries.flatMap(({ key, task, run }) => [{ key }, { task }, { run }, { key, task, run }])];
}
