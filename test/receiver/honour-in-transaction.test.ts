import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, test } from '@jest/globals';
import { honourInTransaction, NotDone, openKeyStore, toListener } from '../../src/receiver/index.ts';
import type { PlainAnswer, PlainRequest } from '../../src/receiver/index.ts';
import { countEffects, send, services } from './service.ts';

const { files, serve } = services();
const opened: DatabaseSync[] = [];
afterEach(() => {
  for (const database of opened.splice(0)) database.close();
});

async function open(end: (request: PlainRequest) => PlainAnswer, keyless: 'refuse' | 'allow' = 'refuse') {
  const { file } = files();
  const database = new DatabaseSync(file);
  opened.push(database);
  database.exec('CREATE TABLE effects (what TEXT NOT NULL) STRICT');
  const keys = openKeyStore(database);
  const errors: unknown[] = [];
  const url = await serve(
    toListener(
      (request) =>
        honourInTransaction({ keys, request, keyless }, (plain) => {
          plain.database.prepare('INSERT INTO effects (what) VALUES (?)').run(plain.text);
          return end(plain);
        }),
      (error) => errors.push(error),
    ),
  );
  return { url, errors, keys, effects: () => countEffects(file) };
}

describe('work in one transaction with its key', () => {
  test('acts once, and the answer is given again', async () => {
    const { url, effects } = await open(({ key, text }) => ({
      status: 201,
      headers: { location: '/refunds/1', 'set-cookie': 'session=1' },
      body: { key, got: JSON.parse(text) as unknown },
    }));
    const first = await send(url, { key: 'k' });
    const again = await send(url, { key: 'k' });
    expect(first).toMatchObject({ status: 201, text: '{"key":"k","got":{"cents":100}}' });
    expect(again).toMatchObject({ status: 201, text: first.text });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.headers.get('content-type')).toBe('application/json');
    expect(await send(url, { key: 'k', body: '{}' })).toMatchObject({ status: 422 });
    expect(effects()).toBe(1);
  });

  test('acts once for 50 equal requests at a time, and all are given its answer', async () => {
    const { url, effects } = await open(() => ({ status: 200, body: 'done' }));
    const answers = await Promise.all(Array.from({ length: 50 }, () => send(url, { key: 'k' })));
    expect(answers.every(({ status, text }) => status === 200 && text === 'done')).toBe(true);
    expect(effects()).toBe(1);
  });

  test.each<[string, number, () => PlainAnswer]>([
    ['throws', 500, () => raise(new Error('broken'))],
    ['says that it did nothing', 503, () => raise(new NotDone('locked'))],
    ['answers 500', 500, () => ({ status: 500 })],
    ['answers 429', 429, () => ({ status: 429 })],
    ['gives an answer that cannot be sent', 500, () => ({ status: 204, body: 'done' })],
    ['answers with a status that is none', 500, () => ({ status: 0 })],
    ['answers with a status below all', 500, () => ({ status: 199, body: 'done' })],
    ['is not done when it returns', 500, () => Promise.resolve({ status: 200 }) as never],
  ])('that %s is undone, and the key is free', async (_, status, end) => {
    const ends = [end, () => ({ status: 200, body: 'done' })];
    const { url, effects, keys } = await open(() => ends.shift()!());
    expect(await send(url, { key: 'k' })).toMatchObject({ status });
    expect(effects()).toBe(0);
    expect(await keys.doubtful()).toEqual([]);
    expect(await send(url, { key: 'k' })).toMatchObject({ status: 200 });
    expect(effects()).toBe(1);
  });

  test('waits for another process that is writing, unless the service has said how long', async () => {
    const { file } = files();
    const own = new DatabaseSync(file, { timeout: 250 });
    const plain = new DatabaseSync(file);
    opened.push(own, plain);
    openKeyStore(own);
    const keys = openKeyStore(plain);
    const patience = (database: DatabaseSync) => database.prepare('PRAGMA busy_timeout').get();
    expect([patience(own), patience(plain)]).toEqual([{ timeout: 250 }, { timeout: 5_000 }]);
    const other = await holdLock(file, 400);
    const request = new Request('http://x/refunds', { method: 'POST', headers: { 'idempotency-key': 'k' }, body: '' });
    const response = await honourInTransaction({ keys, request }, () => ({ status: 201 }));
    expect(response.status).toBe(201);
    await other.terminate();
  });

  test('wants a key like any other', async () => {
    const strict = await open(() => ({ status: 200 }));
    expect(await send(strict.url, {})).toMatchObject({ status: 400, type: 'key-missing' });
    expect(await send(strict.url, { key: 'a b' })).toMatchObject({ status: 400, type: 'key-unusable' });
    expect(strict.effects()).toBe(0);
    const lax = await open(() => ({ status: 200 }), 'allow');
    expect([(await send(lax.url, {})).status, (await send(lax.url, {})).status]).toEqual([200, 200]);
    expect(lax.effects()).toBe(2);
  });
});

/** Another thread that writes to a database, and lets go of it after some time. */
async function holdLock(file: string, forMs: number): Promise<Worker> {
  const script = `
    const { parentPort, workerData: { file, forMs } } = require('node:worker_threads');
    const database = new (require('node:sqlite').DatabaseSync)(file);
    database.exec('BEGIN IMMEDIATE');
    parentPort.postMessage('held');
    setTimeout(() => database.exec('COMMIT'), forMs);`;
  const worker = new Worker(script, { eval: true, workerData: { file, forMs } });
  await once(worker, 'message');
  return worker;
}

function raise(error: Error): never {
  throw error;
}
