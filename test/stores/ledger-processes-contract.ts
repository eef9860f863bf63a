import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Ledger } from '../../src/contracts/ledger.ts';
import { openLedger } from '../../src/stores/open-stores.ts';
import { useChildren, type Child } from './child.ts';
import { claimed, keyOf } from './ledger-entries.ts';
import type { StorePlace } from './store-folder.ts';

/** The part of the contract that needs several processes. */
export function ledgerProcessesContract(name: string, makePlace: () => Promise<StorePlace>): void {
  describe(`${name} as a ledger of several processes`, () => {
    const start = useChildren();
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

    test('of several processes that meet at a new ledger, all find one id and one of them wins a key', async () => {
      const holders = ['a', 'b', 'c', 'd', 'e', 'f'];
      const claimants = holders.map((holder) => start('claim-once', [place.address, 'refund:A-1042', holder]));
      const ids = await Promise.all(claimants.map((child) => child.hear()));
      for (const child of claimants) child.say('go');
      const answers = await Promise.all(claimants.map((child) => child.hear()));

      expect(new Set(ids)).toEqual(new Set([await ledger.id()]));
      expect(answers.filter((answer) => answer === 'won')).toHaveLength(1);
      expect(await ledger.read({ key: keyOf('refund:A-1042') })).toHaveLength(1);
    });

    test('a task counts 1, 2, 3 without a gap while several processes write', async () => {
      const writers = ['a', 'b', 'c', 'd'].map((holder) =>
        start('append-records', [place.address, 't1', holder, '25']),
      );
      await Promise.all(writers.map((child) => child.hear()));
      for (const child of writers) child.say('go');
      const told = await Promise.all(writers.map((child) => hearMany(child, 25)));

      const counters = Array.from({ length: 100 }, (_, index) => index + 1);
      expect(told.flat().sort((a, b) => a - b)).toEqual(counters);
      expect((await ledger.read({ task: 't1' })).map((record) => record.counter)).toEqual(counters);
    });

    test('a process killed in the middle of its writes loses nothing that was acknowledged', async () => {
      const writer = start('append-records', [place.address, 't1', 'killed', '100000']);
      await writer.hear();
      writer.say('go');
      const acknowledged = (await hearMany(writer, 20)).at(-1);
      await writer.kill();

      const records = await ledger.read({ task: 't1' });
      expect(records.length).toBeGreaterThanOrEqual(acknowledged ?? Infinity);
      expect(records).toEqual(
        records.map((_, index) => expect.objectContaining({ counter: index + 1, is: 'claimed' })),
      );
      const after = claimed({ key: keyOf('after') });
      const { written } = await ledger.decide(after.key, () => ({ append: [after], answer: null }));
      expect(written[0]?.counter).toBe(records.length + 1);
    });
  });
}

async function hearMany(child: Child, count: number): Promise<number[]> {
  const heard: number[] = [];
  while (heard.length < count) heard.push(Number(await child.hear()));
  return heard;
}
