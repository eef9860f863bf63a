import { expect, test } from '@jest/globals';
import { billCall } from '../../src/activities/bill-calls.ts';
import type { RunEvent, StoredEvent } from '../../src/contracts/events.ts';
import { modelAttempt, PRICES, started, used } from '../policy/cost-events.ts';

const logFor = () => {
  throw new Error('nothing is said here');
};

/** What a call is billed, with so many of its events on record and the rest on their way there. */
function billed(events: readonly RunEvent[], pending: readonly RunEvent[]) {
  const stored = events.map((event, at): StoredEvent => ({ ...event, offset: at + 1 }));
  const read = async (_run: string, after: number) => stored.filter(({ offset }) => offset > after);
  const ends = { write: async () => undefined, tried: async () => undefined, pending: () => pending };
  const ports = { events: { read }, ends, prices: PRICES, logFor } as unknown as Parameters<typeof billCall>[0];
  return billCall(ports, { run: 'r', execution: 'e', turn: 1 });
}

const whole = modelAttempt({ usage: used(100, 10), requests: [{ inputChars: 9, end: { costMicros: 7 } }] });
const events = [started(), ...whole];

test.each<[string, readonly RunEvent[], readonly RunEvent[]]>([
  ['all of it is on record', events, []],
  ['its ends are not on record yet', events.slice(0, 3), events.slice(3)],
  ['they came on record meanwhile', events, events.slice(3)],
])('a call is billed by what the provider said of it where %s', async (_, stored, pending) => {
  expect(await billed(stored, pending)).toMatchObject({
    spend: { micros: 7, requests: 1, inputTokens: 100, outputTokens: 10, estimated: 0, unknown: 0 },
    answer: { micros: 7, requests: 1 },
    unmetered: 0,
  });
});
