import { describe, expect, it, test } from '@jest/globals';
import { readPayments, startPayments, type PaymentMode, type PaymentsOptions } from '../../src/testing/index.ts';
import { closeAfterEach } from './close-after-each.ts';
import { freshDbFiles } from './fresh-db-files.ts';
import { waitFor } from './wait-for.ts';

const opened = closeAfterEach();
const freshDbFile = freshDbFiles();

interface Send {
  readonly key?: string;
  readonly attempt?: string;
  readonly body?: object;
  readonly signal?: AbortSignal;
}

const damaged = { orderId: 'A-1042', cents: 4900, reason: 'damaged' };

async function open(options: Partial<PaymentsOptions> = {}) {
  const dbFile = freshDbFile();
  const { url } = await opened(startPayments({ dbFile, ...options }));
  const refund = ({ key, attempt, body = damaged, signal }: Send = {}) =>
    fetch(`${url}/refunds`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { ...(key && { 'idempotency-key': key }), ...(attempt && { 'holdfast-attempt': attempt }) },
      signal: signal ?? null,
    });
  const count = () => {
    const { arrivals, effects, cents } = readPayments(dbFile);
    return { arrivals: arrivals.length, effects: effects.length, cents };
  };
  return { url, dbFile, refund, count, get: async (path: string) => (await fetch(url + path)).json() };
}

describe('a refund', () => {
  it('is counted as an arrival and as an effect, with what was sent', async () => {
    const { dbFile, refund } = await open();
    const response = await refund({ key: 'k1', attempt: '2' });
    expect(await response.json()).toMatchObject({ id: 're_1', cents: 4900, amount: 49, status: 'succeeded' });
    const { arrivals, effects } = readPayments(dbFile);
    expect(arrivals).toEqual([
      {
        at: expect.any(Number),
        method: 'POST',
        path: '/refunds',
        key: 'k1',
        attempt: '2',
        bodyHash: expect.stringMatching(/^[0-9a-f]{64}$/),
        body: JSON.stringify(damaged),
      },
    ]);
    expect(effects).toMatchObject([{ id: 're_1', orderId: 'A-1042', cents: 4900, reason: 'damaged', key: 'k1' }]);
  });

  it('without a key acts each time', async () => {
    const { refund, count } = await open();
    await refund();
    await refund();
    expect(count()).toEqual({ arrivals: 2, effects: 2, cents: 9800 });
  });

  test.each([
    [{ amount: 54.95 }, 5495],
    [{ amount: '54.95' }, 5495],
    [{ amount: 19.99 }, 1999],
    [{ amount: '0.1' }, 10],
    [{ amount: 49 }, 4900],
    [{ cents: 1 }, 1],
  ])('of %j is %d cents', async (amount, cents) => {
    const { refund, count } = await open();
    await refund({ body: { orderId: 'A-1', ...amount } });
    expect(count().cents).toBe(cents);
  });

  test.each([
    {},
    { orderId: 'A-1' },
    { orderId: '', cents: 1 },
    { orderId: 'A-1', cents: 0 },
    { orderId: 'A-1', cents: 1.5 },
    { orderId: 'A-1', amount: 1.005 },
    { orderId: 'A-1', amount: -1 },
    { orderId: 'A-1', cents: 100, amount: 1 },
    { orderId: 'A-1', cents: 100, reason: 7 },
  ])('asked for as %j is refused, and its key stays free', async (body) => {
    const { refund, count } = await open();
    expect((await refund({ key: 'k1', body })).status).toBe(400);
    expect((await refund({ key: 'k1' })).status).toBe(200);
    expect(count()).toEqual({ arrivals: 2, effects: 1, cents: 4900 });
  });

  it('shows in the lists and in the statistics', async () => {
    const { refund, get } = await open({ seed: [{ orderId: 'A-1042', cents: 4900 }] });
    await refund();
    expect(await get('/refunds?orderId=A-1042')).toMatchObject({ refunds: [{ id: 're_1', cents: 4900 }] });
    expect(await get('/refunds?orderId=B-1')).toEqual({ refunds: [] });
    expect(await get('/orders/A-1042')).toEqual({ orderId: 'A-1042', cents: 4900, amount: 49, refundedCents: 4900 });
    expect(await get('/orders/B-1')).toMatchObject({ error: { type: 'not_found' } });
    expect(await get('/stats')).toEqual({ arrivals: 1, lookUps: 4, effects: 1, cents: 4900 });
  });
});

describe('an idempotency key', () => {
  it('gets its first result again, and says that it is one', async () => {
    const { refund, count } = await open();
    const first = await refund({ key: 'k1' });
    const second = await refund({ key: 'k1' });
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(await second.json()).toEqual(await first.json());
    expect(count()).toEqual({ arrivals: 2, effects: 1, cents: 4900 });
  });

  test.each([true, false])('gets its first 500 again, acted: %s', async (acts) => {
    const { refund, count } = await open({ modes: [{ is: 'break', acts, times: 1 }] });
    expect([(await refund({ key: 'k1' })).status, (await refund({ key: 'k1' })).status]).toEqual([500, 500]);
    expect(count().effects).toBe(acts ? 1 : 0);
  });

  it('is refused with other parameters', async () => {
    const { refund, count } = await open();
    await refund({ key: 'k1' });
    const other = await refund({ key: 'k1', body: { ...damaged, cents: 5495 } });
    expect(other.status).toBe(422);
    expect(count()).toEqual({ arrivals: 2, effects: 1, cents: 4900 });
  });

  it('is in use while its first request runs', async () => {
    const { refund, count } = await open({ landsAfterMs: 60_000 });
    const caller = new AbortController();
    const first = expect(refund({ key: 'k1', signal: caller.signal })).rejects.toThrow();
    await waitFor(count, ({ arrivals }) => arrivals === 1);
    expect((await refund({ key: 'k1' })).status).toBe(409);
    expect((await refund({ key: 'k1', body: { ...damaged, cents: 1 } })).status).toBe(422);
    caller.abort();
    await first;
    expect(count()).toEqual({ arrivals: 3, effects: 0, cents: 0 });
  });
});

describe('a mode', () => {
  const never: readonly [PaymentMode, number][] = [
    [{ is: 'turn-away', status: 429, retryAfterS: 3, times: 2 }, 429],
    [{ is: 'turn-away', status: 503, times: 2 }, 503],
    [{ is: 'refuse', times: 2 }, 400],
  ];
  test.each(never)('%j answers without acting, so many times', async (mode, status) => {
    const { refund, count } = await open({ modes: [mode] });
    const statuses = [await refund({ key: 'k1' }), await refund({ key: 'k1' }), await refund({ key: 'k1' })];
    expect(statuses.map((response) => response.status)).toEqual([status, status, 200]);
    expect(count()).toEqual({ arrivals: 3, effects: 1, cents: 4900 });
  });

  it('of turning away says when to come back', async () => {
    const { refund } = await open({ modes: [{ is: 'turn-away', status: 429, retryAfterS: 3 }] });
    expect((await refund()).headers.get('retry-after')).toBe('3');
  });

  it('of hanging acts and leaves the caller waiting; with the same key the result is there', async () => {
    const { refund, count } = await open({ modes: [{ is: 'hang', times: 1 }] });
    const caller = new AbortController();
    const first = expect(refund({ key: 'k1', signal: caller.signal })).rejects.toThrow();
    await waitFor(count, ({ effects }) => effects === 1);
    caller.abort();
    await first;
    expect(await (await refund({ key: 'k1' })).json()).toMatchObject({ id: 're_1' });
    expect(count()).toEqual({ arrivals: 2, effects: 1, cents: 4900 });
  });

  it('of resetting acts and breaks the connection', async () => {
    const { refund, count } = await open({ modes: [{ is: 'reset' }] });
    await expect(refund()).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
    expect(count()).toEqual({ arrivals: 1, effects: 1, cents: 4900 });
  });

  it('of being unreadable acts and answers 200 with something else than JSON', async () => {
    const { refund, count } = await open({ modes: [{ is: 'unreadable' }] });
    const response = await refund();
    expect(response.status).toBe(200);
    await expect(response.json()).rejects.toThrow('not valid JSON');
    expect(count().effects).toBe(1);
  });

  it('can be set while the service runs', async () => {
    const { url, refund } = await open();
    const set = (modes: unknown) => fetch(`${url}/modes`, { method: 'POST', body: JSON.stringify(modes) });
    expect((await set([{ is: 'explode' }])).status).toBe(400);
    expect((await set([{ is: 'refuse' }])).status).toBe(200);
    expect((await refund()).status).toBe(400);
    expect((await set([])).status).toBe(200);
    expect((await refund()).status).toBe(200);
  });
});

describe('a late refund', () => {
  it('lands at its time, with its caller gone and nothing answered', async () => {
    const { dbFile, refund, count } = await open({ landsAfterMs: 150, answersAfterMs: 60_000 });
    const caller = new AbortController();
    const ended = expect(refund({ signal: caller.signal })).rejects.toThrow();
    await waitFor(count, ({ arrivals }) => arrivals === 1);
    caller.abort();
    await ended;
    await waitFor(count, ({ effects }) => effects === 1);
    const { arrivals, effects } = readPayments(dbFile);
    // A timer may fire a millisecond early by the wall clock.
    expect((effects[0]?.at ?? 0) - (arrivals[0]?.at ?? 0)).toBeGreaterThanOrEqual(149);
  });
});
