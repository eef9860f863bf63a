import { describe, expect, it } from '@jest/globals';
import { readPayments, startModelServerProcess, startPaymentsProcess } from '../../src/testing/index.ts';
import { closeAfterEach } from './close-after-each.ts';
import { freshDbFiles } from './fresh-db-files.ts';
import { waitFor } from './wait-for.ts';

const opened = closeAfterEach();
const freshDbFile = freshDbFiles();

function refund(url: string, key: string) {
  const body = JSON.stringify({ orderId: 'A-1042', cents: 4900 });
  return fetch(`${url}/refunds`, { method: 'POST', headers: { 'idempotency-key': key }, body });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('the payment service in its own process', () => {
  it('loses nothing it has committed when it is killed, and still knows its keys', async () => {
    const dbFile = freshDbFile();
    const first = await opened(startPaymentsProcess({ dbFile, modes: [{ is: 'hang' }] }));
    const unanswered = expect(refund(first.url, 'k1')).rejects.toThrow();
    await waitFor(
      () => readPayments(dbFile).effects.length,
      (effects) => effects === 1,
    );
    await first.kill();
    await unanswered;
    const second = await opened(startPaymentsProcess({ dbFile }));
    expect(await (await refund(second.url, 'k1')).json()).toMatchObject({ id: 're_1' });
    expect(readPayments(dbFile)).toMatchObject({ arrivals: [{ key: 'k1' }, { key: 'k1' }], cents: 4900 });
  });

  it('forgets a refund that had not landed when it was killed, but not that it was asked for', async () => {
    const dbFile = freshDbFile();
    const first = await opened(startPaymentsProcess({ dbFile, landsAfterMs: 600_000 }));
    const unanswered = expect(refund(first.url, 'k1')).rejects.toThrow();
    await waitFor(
      () => readPayments(dbFile).arrivals.length,
      (arrivals) => arrivals === 1,
    );
    await first.kill();
    await unanswered;
    const second = await opened(startPaymentsProcess({ dbFile }));
    expect((await refund(second.url, 'k1')).status).toBe(200);
    expect(readPayments(dbFile).effects).toHaveLength(1);
  });

  it('ends when whoever started it lets go', async () => {
    const server = await startPaymentsProcess({ dbFile: freshDbFile() });
    expect(isAlive(server.pid)).toBe(true);
    await server.close();
    expect(isAlive(server.pid)).toBe(false);
  });

  it('ends on SIGTERM', async () => {
    const server = await opened(startPaymentsProcess({ dbFile: freshDbFile() }));
    process.kill(server.pid, 'SIGTERM');
    await waitFor(
      () => isAlive(server.pid),
      (alive) => !alive,
    );
  });

  it('says why it could not start', async () => {
    const { url } = await opened(startPaymentsProcess({ dbFile: freshDbFile() }));
    const port = Number(new URL(url).port);
    await expect(startPaymentsProcess({ dbFile: freshDbFile(), port })).rejects.toThrow('EADDRINUSE');
  });
});

describe('the model server in its own process', () => {
  it('answers by a rule it has loaded from a module', async () => {
    const { url } = await opened(
      startModelServerProcess({
        rule: new URL('../../examples/refund/story.ts#refundStory', import.meta.url).href,
        with: { order: 'A-1042', cents: 4900, replanCents: 5495 },
        faults: [{ request: 1, status: 503 }],
      }),
    );
    const ask = () =>
      fetch(`${url}/chat/completions`, {
        method: 'POST',
        body: JSON.stringify({ model: 'any', messages: [{ role: 'user', content: 'Refund it, please.' }] }),
      });
    expect((await ask()).status).toBe(503);
    expect(await (await ask()).json()).toMatchObject({
      choices: [{ message: { tool_calls: [{ function: { name: 'refund' } }] }, finish_reason: 'tool_calls' }],
    });
  });

  it('says which export is missing', async () => {
    const rule = new URL('../../examples/refund/story.ts#noSuchRule', import.meta.url).href;
    await expect(startModelServerProcess({ rule })).rejects.toThrow('exports no function named noSuchRule');
  });
});
