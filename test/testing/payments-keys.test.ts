import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readPayments, startPayments } from '../../src/testing/index.ts';
import { closeAfterEach } from './close-after-each.ts';
import { freshDbFiles } from './fresh-db-files.ts';

const opened = closeAfterEach();
const freshDbFile = freshDbFiles();

interface Step {
  readonly key: string | undefined;
  readonly cents: number;
}

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({ key: fc.constantFrom(undefined, 'a', 'b', 'c'), cents: fc.constantFrom(100, 200) }),
  { maxLength: 8 },
);

/** What should happen, in four lines: the first amount of a key counts, and each request without one. */
function expectedCents(sent: readonly Step[]): number {
  const firsts = new Map(sent.toReversed().flatMap(({ key, cents }) => (key ? [[key, cents] as const] : [])));
  const unkeyed = sent.filter(({ key }) => key === undefined);
  return [...firsts.values(), ...unkeyed.map(({ cents }) => cents)].reduce((sum, cents) => sum + cents, 0);
}

test('for any order of keys and amounts, each key acts once and every arrival is counted', async () => {
  const dbFile = freshDbFile();
  const { url } = await opened(startPayments({ dbFile }));
  let round = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (sent) => {
      const before = readPayments(dbFile);
      round += 1;
      for (const { key, cents } of sent) {
        const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': `${round}-${key}` };
        await fetch(`${url}/refunds`, { method: 'POST', headers, body: JSON.stringify({ orderId: 'A-1', cents }) });
      }
      const after = readPayments(dbFile);
      expect(after.cents - before.cents).toBe(expectedCents(sent));
      expect(after.arrivals.length - before.arrivals.length).toBe(sent.length);
    }),
    { numRuns: 50 },
  );
});
