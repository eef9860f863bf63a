import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { inline } from '../../src/contracts/content.ts';
import type { Ledger, LedgerEntry, LedgerStatement } from '../../src/contracts/ledger.ts';
import { openLedger } from '../../src/stores/open-stores.ts';
import { claimed, claimOnce, keyOf } from './ledger-entries.ts';
import { ledgerModelContract } from './ledger-model-contract.ts';
import { ledgerProcessesContract } from './ledger-processes-contract.ts';
import type { StorePlace } from './store-folder.ts';

/** What every ledger must do, whatever holds its records. `makePlace` gives an address at which there is nothing yet. */
export function ledgerContract(name: string, makePlace: () => Promise<StorePlace>): void {
  ledgerProcessesContract(name, makePlace);
  ledgerModelContract(name, makePlace);

  describe(`${name} as a ledger`, () => {
    let place: StorePlace;
    let ledger: Ledger;

    beforeEach(async () => {
      place = await makePlace();
      ledger = openLedger(place.address);
    });

    afterEach(async () => {
      await ledger.close();
      await place.remove();
    });

    const append = (entry: LedgerEntry) => ledger.decide(entry.key, () => ({ append: [entry], answer: null }));

    test('an id is made once and found by whoever opens the ledger later', async () => {
      const id = await ledger.id();
      await ledger.close();
      ledger = openLedger(place.address);

      expect(id).toMatch(/^[0-9a-f-]{36}$/);
      expect(await ledger.id()).toBe(id);
    });

    test('a decision sees the records of its key, oldest first, and no others', async () => {
      await append(claimed({ key: keyOf('a'), holder: 'first' }));
      await append(claimed({ key: { ...keyOf('a'), scope: 'global' } }));
      await append(claimed({ key: { ...keyOf('a'), namespace: 'other' } }));
      await append(claimed({ key: keyOf('b') }));
      await append(claimed({ key: keyOf('a'), holder: 'second', task: 't2' }));

      const { answer } = await ledger.decide(keyOf('a'), (records) => ({
        append: [],
        answer: records.map((record) => record.is === 'claimed' && record.holder),
      }));

      expect(answer).toEqual(['first', 'second']);
    });

    test('unsettled: all records of the keys with a claim that nothing ends or settles, and no others', async () => {
      const end = (intent: string, statement: LedgerStatement) =>
        append({ ...claimed({ key: keyOf(intent) }), ...statement });
      const failure = { kind: 'timed-out', delivery: 'maybe-sent', message: 'lost' } as const;
      const decision = {
        id: 'd',
        question: 'q',
        verdict: 'happened',
        by: 'ann',
        reason: 'seen',
        settledBy: 'person',
      } as const;
      for (const intent of ['bare', 'lost', 'done', 'refused', 'failed', 'settled'])
        await append(claimed({ key: keyOf(intent) }));
      await end('lost', { is: 'unknown', claim: 'lost/worker', failure });
      await end('done', { is: 'done', claim: 'done/worker', result: inline(1), late: false });
      await end('refused', { is: 'not-executed', claim: 'refused/worker', proof: '429', sent: true, definite: false });
      await end('failed', { is: 'failed', claim: 'failed/worker', message: 'no' });
      await end('settled', { is: 'settled', decision });
      await append({ ...claimed({ key: keyOf('withdrawn') }), is: 'withdrawn', schedule: 1 });

      const open = await ledger.read({ unsettled: true });

      expect(open.map(({ key, is }) => [key.intent, is])).toEqual([
        ['bare', 'claimed'],
        ['lost', 'claimed'],
        ['lost', 'unknown'],
      ]);
    });

    test('what was written is answered as it will be read', async () => {
      const entry: LedgerEntry = { ...claimed({ key: keyOf('a') }) };
      const { written } = await append(entry);

      expect(written).toStrictEqual([{ ...entry, counter: 1 }]);
      expect(await ledger.read({})).toStrictEqual(written);
    });

    test('a decision that throws leaves nothing behind, and the ledger goes on', async () => {
      const bug = new Error('a bug in the decision');
      const failing = ledger.decide(keyOf('a'), () => {
        throw bug;
      });

      await expect(failing).rejects.toBe(bug);
      expect(await ledger.decide(keyOf('a'), claimOnce('a', 'next'))).toMatchObject({ answer: 'won' });
    });

    test('when one record of a decision cannot be written, none is', async () => {
      const good = claimed({ key: keyOf('a') });
      const unwritable = { ...good, sendBy: 1n } as unknown as LedgerEntry;
      const failing = ledger.decide(keyOf('a'), () => ({ append: [good, unwritable], answer: null }));

      await expect(failing).rejects.toThrow('BigInt');
      expect(await ledger.read({})).toEqual([]);
    });

    test('a decision may not write about a key it has not seen', async () => {
      const failing = ledger.decide(keyOf('a'), () => ({ append: [claimed({ key: keyOf('b') })], answer: null }));

      await expect(failing).rejects.toThrow('Cannot append to key "b" in a decision about "a"');
      expect(await ledger.read({})).toEqual([]);
    });

    test('of decisions made at once in one process, each sees what the one before it wrote', async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => ledger.decide(keyOf('a'), claimOnce('a', `holder-${index}`))),
      );

      expect(answers.filter(({ answer }) => answer === 'won')).toHaveLength(1);
    });

    test.each([
      ['accents', 'Ré\u0301sumé'],
      ['two writings of one letter', '\u00e9 e\u0301'],
      ['emoji', '👩‍👩‍👧 💸'],
      ['right to left', 'استرداد'],
      ['quotes and backslashes', `'";--\\u0000\\`],
      ['NUL', 'a\0b'],
      ['half a pair', 'a\ud83d'],
    ])('keeps %s in keys, names and contents', async (_, text) => {
      const entry = claimed({ key: keyOf(text), task: text, run: text, holder: text, text });
      await append(entry);

      expect(await ledger.read({ key: keyOf(text), task: text, run: text })).toStrictEqual([{ ...entry, counter: 1 }]);
      expect(await ledger.counter(text)).toBe(1);
    });

    test.each([
      ['a\ud800', 'a\udbff'],
      ['a\0b', 'a'],
      ['\0', '\\u0000'],
      ['\u00e9', 'e\u0301'],
      ['a', 'A'],
    ])('%j and %j are two keys', async (one, other) => {
      await ledger.decide(keyOf(one), claimOnce(one, 'one'));

      expect(await ledger.decide(keyOf(other), claimOnce(other, 'other'))).toMatchObject({ answer: 'won' });
    });

    test('keeps a megabyte of content', async () => {
      const entry = claimed({ key: keyOf('big'), text: '€'.repeat(1024 * 1024) });
      await append(entry);

      expect(await ledger.read({ key: keyOf('big') })).toStrictEqual([{ ...entry, counter: 1 }]);
    });

    test('reads at most `limit` records, the oldest', async () => {
      for (const intent of ['a', 'b', 'c']) await append(claimed({ key: keyOf(intent) }));

      expect((await ledger.read({ limit: 2 })).map((record) => record.key.intent)).toEqual(['a', 'b']);
    });

    test('a decision sees all records of its key, where a reading stops at 10,000', async () => {
      const many = Array.from({ length: 10_001 }, () => claimed({ key: keyOf('a'), text: '' }));
      await ledger.decide(keyOf('a'), () => ({ append: many, answer: null }));
      const { answer } = await ledger.decide(keyOf('a'), (records) => ({ append: [], answer: records.length }));

      expect(answer).toBe(10_001);
      expect(await ledger.read({ key: keyOf('a') })).toHaveLength(10_000);
    });

    test('after it was closed it answers with LedgerUnavailable', async () => {
      await ledger.close();

      await expect(ledger.id()).rejects.toMatchObject({ name: 'LedgerUnavailable' });
    });
  });
}
