import { expect, test } from '@jest/globals';
import type { Effect } from '../../src/contracts/effect.ts';
import { createToolFetch } from '../../src/middleware/tool-fetch.ts';
import { classifyToolError } from '../../src/policy/classify-tool-error.ts';
import { honourKeys, NotDone, openKeyStore, toListener } from '../../src/receiver/index.ts';
import { eventually } from '../support/eventually.ts';
import { services } from './service.ts';

const { files, serve } = services();

/** One attempt of a tool that refunds through `ctx.fetch`: what it returned, or what its failure is taken for. */
async function attempt(url: string, body: object, effect: Effect = 'by-key') {
  const { fetch: send, record } = createToolFetch({
    fetch,
    now: Date.now,
    idempotencyKey: '0123456789abcdef0123456789abcdef',
    headers: {},
    signal: new AbortController().signal,
    sendBy: Date.now() + 10_000,
  });
  try {
    const response = await send(url, { method: 'POST', body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`refund answered ${response.status}`);
    return await response.json();
  } catch (error) {
    const tool = { name: 'refund', effect, thrown: 'unknown', refusedStatuses: [], classify: undefined } as const;
    return classifyToolError(error, tool, record());
  }
}

test('what the receiver says, a tool with keys understands', async () => {
  const ends: (() => Promise<Response>)[] = [];
  let ran = 0;
  const keys = openKeyStore(files().file);
  const url = await serve(
    toListener(
      (request) =>
        honourKeys({ keys, request }, () => {
          ran += 1;
          return ends.shift()!();
        }),
      () => undefined,
    ),
  );
  let letPass = (): void => undefined;
  const passed = new Promise<void>((resolve) => (letPass = resolve));
  ends.push(
    () => Promise.reject(new NotDone('locked')),
    () => passed.then(() => Response.json({ id: 're_1' })),
  );

  expect(await attempt(url, { cents: 1 })).toMatchObject({ kind: 'transient', status: 503, waitMs: 1_000 });
  const first = attempt(url, { cents: 1 });
  await eventually('the work begins', () => ran === 2);
  expect(await attempt(url, { cents: 1 })).toMatchObject({
    kind: 'in-progress',
    delivery: 'maybe-sent',
    status: 409,
    waitMs: 1_000,
  });
  expect(await attempt(url, { cents: 2 })).toMatchObject({ kind: 'key-reused', delivery: 'maybe-sent', status: 422 });
  letPass();
  expect(await first).toEqual({ id: 're_1' });
  expect(await attempt(url, { cents: 1 })).toEqual({ id: 're_1' });
  expect(ran).toBe(2);
});

test('a key in doubt is not taken for a refusal', async () => {
  const keys = openKeyStore(files().file);
  const work = () => Promise.reject(new Error('broken'));
  const url = await serve(
    toListener(
      (request) => honourKeys({ keys, request }, work),
      () => undefined,
    ),
  );
  expect(await attempt(url, {})).toMatchObject({ kind: 'transient', delivery: 'maybe-sent', status: 500 });
  expect(await attempt(url, {})).toMatchObject({ kind: 'in-progress', delivery: 'maybe-sent', status: 409 });
  expect(await attempt(url, {}, 'unflagged')).toMatchObject({ delivery: 'maybe-sent', status: 409 });
});
