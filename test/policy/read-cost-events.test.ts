import { expect, test } from '@jest/globals';
import type { ReadOptions } from '../../src/contracts/event-store.ts';
import type { RunEvent, StoredEvent } from '../../src/contracts/events.ts';
import { readCostEvents } from '../../src/policy/read-cost-events.ts';
import { modelAttempt, pieceOf, started, toolAttempt } from './cost-events.ts';

/** A store that gives two events at a time, and remembers from where its pieces were asked for. */
function storeOf(events: readonly RunEvent[]) {
  const stored = events.map((event, at): StoredEvent => ({ ...event, offset: at + 1 }));
  const asked: number[] = [];
  const read = async (_run: string, after: number, { only }: ReadOptions = {}) => {
    if (only === undefined) asked.push(after);
    const wanted = stored.filter(({ type }) => only === undefined || (type !== 'piece' && type !== 'reset'));
    return wanted.filter(({ offset }) => offset > after).slice(0, 2);
  };
  return { store: { read }, asked };
}

const typesOf = async (events: readonly RunEvent[], execution?: string) => {
  const { store, asked } = storeOf(events);
  const read = await readCostEvents(store, 'r', execution);
  return { types: read.map(({ type, offset }) => `${offset} ${type}`), asked };
};

const lost = { outcome: null, requests: [{ inputChars: 4 }] } as const;

test('the pieces of replies are left out, and not even read, where every request has its end', async () => {
  const { types, asked } = await typesOf([started(), ...modelAttempt(), pieceOf(1, 'x'), ...toolAttempt(1, [1, 2])]);
  expect(types.filter((type) => type.endsWith('piece'))).toEqual([]);
  expect(asked).toEqual([]);
});

test('of a request without an end they are read, up to where the next attempt begins', async () => {
  const { types, asked } = await typesOf([
    started(),
    ...modelAttempt(),
    pieceOf(1, 'not read'),
    ...modelAttempt({ ...lost, turn: 2 }),
    pieceOf(2, 'one'),
    pieceOf(2, 'two'),
    ...modelAttempt({ turn: 2, attempt: 2 }),
    pieceOf(2, 'not read', { attempt: 2 }),
  ]);
  expect(types.filter((type) => type.endsWith('piece'))).toEqual(['9 piece', '10 piece']);
  expect(asked).toEqual([8, 10]);
  expect(types).toEqual(types.toSorted((a, b) => Number.parseInt(a) - Number.parseInt(b)));
});

test('of one that goes on they are read to the end', async () => {
  const { types } = await typesOf([started(), ...modelAttempt(lost), pieceOf(1, 'one'), pieceOf(1, 'two')]);
  expect(types.slice(-2)).toEqual(['4 piece', '5 piece']);
});

const of = (execution: string): RunEvent => ({ ...started(), execution }) as RunEvent;

test.each<[string, string | undefined, readonly string[]]>([
  ['the last one', undefined, ['5 run-started', '6 attempt-started']],
  ['the one that is named', 'old', ['1 run-started', '2 attempt-started', '3 request-sent', '4 attempt-ended']],
  ['the last one, where the named one is not on record', 'lost', ['5 run-started', '6 attempt-started']],
])('of runs that had the same id it is %s', async (_, execution, expected) => {
  const sent = { inputChars: 4 };
  const events = [
    of('old'),
    ...modelAttempt({ requests: [sent] }),
    of('new'),
    ...modelAttempt({ ...lost, requests: [] }),
  ];
  expect((await typesOf(events, execution)).types).toEqual(expected);
});

test('of two attempts of one number, the end of the older leaves the newer open', async () => {
  const [older, newer] = [1, 9].map((scheduledAt) => modelAttempt({ scheduledAt, outcome: null }));
  const [begun = [], end = []] = [older?.slice(0, 2), older?.slice(2)];
  const { types, asked } = await typesOf([
    ...[started(), ...begun, ...(newer ?? []).slice(0, 2), ...end],
    pieceOf(1, 'of the newer'),
  ]);
  expect(asked[0]).toBe(5);
  expect(types.at(-1)).toBe('7 piece');
});
