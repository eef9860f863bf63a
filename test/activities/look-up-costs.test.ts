import { expect, test } from '@jest/globals';
import { lookUpCosts } from '../../src/activities/look-up-costs.ts';
import type { CostAnswer } from '../../src/contracts/cost-look-up.ts';
import type { EventStore } from '../../src/contracts/event-store.ts';
import type { RunEvent } from '../../src/contracts/events.ts';
import { costReport } from '../../src/policy/cost-report.ts';
import { modelAttempt, started, UNKNOWN, used } from '../policy/cost-events.ts';

const cut = (responseId: string) => {
  return { account: 'openrouter', model: 'v/m', responseId, end: { outcome: 'cut' as const, usage: UNKNOWN } };
};
const found = (costMicros: number): CostAnswer => ({ is: 'found', costMicros, usage: used(120, 12) });
const notYet: CostAnswer = { is: 'not-yet', why: 'status 404' };

function desk(answers: Readonly<Record<string, CostAnswer>>, more: readonly RunEvent[] = []) {
  const events: RunEvent[] = [
    { ...started(), execution: 'one' } as RunEvent,
    ...modelAttempt({ outcome: 'failure', requests: [cut('gen-1')] }),
    ...modelAttempt({ attempt: 2, outcome: 'failure', requests: [cut('gen-2')] }),
    ...more,
  ];
  const asked: string[] = [];
  const store = {
    // Two at a time, so that more than one batch is read.
    read: async (_run: string, after: number) =>
      events.slice(after, after + 2).map((event, at) => ({ ...event, offset: after + at + 1 })),
    append: async (_run: string, more: readonly RunEvent[]) => events.push(...more),
  } as unknown as EventStore;
  const askCost = async ({ responseId }: { responseId: string }) => {
    asked.push(responseId);
    return answers[responseId] ?? notYet;
  };
  const round = (isLast = false, execution = 'one') =>
    lookUpCosts(
      { events: store, askCost, prices: undefined, now: () => 9 },
      { run: 'r', execution, call: 't1', isLast },
    );
  return { events, asked, round };
}

test('what is found is on record, and not asked for again', async () => {
  const { events, asked, round } = desk({ 'gen-1': found(271) });
  expect(await round()).toMatchObject({ missing: 1, bill: { spend: { micros: 271, unknown: 1 }, isMissing: true } });
  expect(asked).toEqual(['gen-1', 'gen-2']);
  // Its news is told once more: the worker may have been lost before it could be.
  expect(await round()).toMatchObject({ missing: 1, bill: { spend: { micros: 271 } } });
  expect(asked).toEqual(['gen-1', 'gen-2', 'gen-2']);
  expect(events.filter(({ type }) => type.startsWith('cost-'))).toEqual([
    { type: 'cost-found', at: 9, account: 'openrouter', responseId: 'gen-1', costMicros: 271, usage: used(120, 12) },
  ]);
  const { spend } = costReport({ run: 'r', events, now: 9 });
  expect(spend).toMatchObject({ micros: 271, unknown: 1, requests: 2 });
});

test('as long as nothing is found there is no news', async () => {
  const { round } = desk({});
  expect(await round()).toEqual({ missing: 2 });
});

test('the last time, what is missing is given up, and says why', async () => {
  const { events, round } = desk({ 'gen-1': found(271) });
  expect(await round(true)).toMatchObject({ missing: 1, bill: { spend: { unknown: 1 }, isMissing: false } });
  expect(events.at(-1)).toEqual({
    type: 'cost-not-found',
    at: 9,
    account: 'openrouter',
    responseId: 'gen-2',
    why: 'status 404',
  });
  expect(await round()).toMatchObject({ missing: 0 });
});

test('nothing is missing when all has been found', async () => {
  const { round } = desk({ 'gen-1': found(271), 'gen-2': found(0) });
  expect(await round()).toMatchObject({ missing: 0, bill: { spend: { micros: 271, unknown: 0 }, isMissing: false } });
});

test('a look-up that outlived its run leaves that of another, which has its id by now, alone', async () => {
  const { asked, round } = desk({}, [
    { ...started(), execution: 'two' } as RunEvent,
    ...modelAttempt({ outcome: 'failure', requests: [cut('gen-3')] }),
  ]);
  await round(true);
  expect(asked).toEqual(['gen-1', 'gen-2']);
  expect(await round(false, 'two')).toEqual({ missing: 1 });
  expect(asked.slice(2)).toEqual(['gen-3']);
});
