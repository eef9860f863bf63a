import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { classifyModelError } from '../../src/policy/classify-model-error.ts';
import { readFaultPlan } from '../../src/testing/fault-plan.ts';
import {
  listen,
  sendJson,
  serve,
  startFaultProxy,
  startFaultProxyProcess,
  startModelServer,
  startPayments,
  readPayments,
  type FaultPlan,
  type ProxyFault,
} from '../../src/testing/index.ts';
import { brokenEvents, firstBytes } from '../../src/testing/spoil-body.ts';
import { closeAfterEach } from './close-after-each.ts';
import { collectStream, gather } from './collect-stream.ts';
import { freshDbFiles } from './fresh-db-files.ts';

const opened = closeAfterEach();
const freshDbFile = freshDbFiles();

const TEXT = 'A long answer, so that there is something to cut: one, two, three, four, five.';
const call: LanguageModelV4CallOptions = { prompt: [{ role: 'user', content: [{ type: 'text', text: 'Talk.' }] }] };

async function modelBehind(faults: FaultPlan) {
  const server = await opened(startModelServer({ decide: () => ({ text: TEXT }) }));
  const proxy = await opened(startFaultProxy({ target: server.url, faults }));
  const provider = createOpenAICompatible({ name: 'local', baseURL: proxy.url, includeUsage: true });
  return { server, proxy, model: provider.chatModel('any') };
}

/** What a caller with a real provider package gets: an error that the classifier names, from the call or from its stream. */
async function failureOf(fault: ProxyFault, abortSignal?: AbortSignal) {
  const { model, server } = await modelBehind([{ request: 1, ...fault }]);
  try {
    const parts = await collectStream(model, { ...call, ...(abortSignal && { abortSignal }) });
    const broken = parts.find((part) => part.type === 'error');
    const seen = parts.filter((part) => part.type === 'text-delta').length;
    return { seen, asked: server.requests().length, error: broken?.error };
  } catch (error) {
    return { seen: 0, asked: server.requests().length, error };
  }
}

const reasonOf = (error: unknown) => classifyModelError(error, { now: 0 }).reason;

describe('before a model, through a real provider package, the proxy', () => {
  it('passes what it is not told to spoil: streamed or not', async () => {
    const { model, proxy } = await modelBehind([]);
    expect(gather(await collectStream(model, call)).text).toBe(TEXT);
    expect((await model.doGenerate(call)).content).toEqual([{ type: 'text', text: TEXT }]);
    expect(proxy.requests()).toEqual([
      { number: 1, method: 'POST', path: '/chat/completions' },
      { number: 2, method: 'POST', path: '/chat/completions' },
    ]);
  });

  it('answers with a status and its headers in place of the model, for the request that is named', async () => {
    const fault = { request: 2, is: 'status', status: 429, headers: { 'retry-after': '7' } } as const;
    const { model, server, proxy } = await modelBehind([fault]);
    expect(gather(await collectStream(model, call)).text).toBe(TEXT);
    await expect(collectStream(model, call)).rejects.toMatchObject({
      statusCode: 429,
      responseHeaders: { 'retry-after': '7' },
    });
    expect(gather(await collectStream(model, call)).text).toBe(TEXT);
    expect(server.requests()).toHaveLength(2);
    expect(proxy.requests().map((request) => request.fault?.is)).toEqual([undefined, 'status', undefined]);
  });

  it('drops a connection before its headers', async () => {
    const { error, asked } = await failureOf({ is: 'drop' });
    expect([reasonOf(error), asked]).toEqual(['network', 0]);
  });

  it('loses the answer of a model that was asked', async () => {
    const { error, asked } = await failureOf({ is: 'drop', peerActs: true });
    expect([reasonOf(error), asked]).toEqual(['network', 1]);
  });

  it('resets a connection after so many bytes', async () => {
    const { model } = await modelBehind([{ request: 1, is: 'reset', afterBytes: 600 }]);
    const { stream } = await model.doStream(call);
    const seen: string[] = [];
    const reading = (async () => {
      for await (const part of stream) {
        if (part.type === 'text-delta') seen.push(part.delta);
        if (part.type === 'error') throw part.error;
      }
    })();
    await expect(reading).rejects.toThrow();
    expect(TEXT.startsWith(seen.join('')) && seen.length > 0).toBe(true);
  });

  it('breaks an event stream with an error event, under a status of 200', async () => {
    const { error, seen } = await failureOf({ is: 'stream-error', afterEvents: 3 });
    expect([reasonOf(error), seen]).toEqual(['overload', 2]);
  });

  it('never answers when it hangs, until the caller gives up', async () => {
    const { error, asked } = await failureOf({ is: 'hang' }, AbortSignal.timeout(50));
    expect(error).toMatchObject({ name: 'TimeoutError' });
    expect(asked).toBe(0);
  });

  it.each<ProxyFault>([
    { is: 'delay', ms: 120 },
    { is: 'trickle', everyMs: 5, bytes: 100 },
  ])('is late, and whole, for %j', async (fault) => {
    const { model } = await modelBehind([{ request: 1, ...fault }]);
    const began = performance.now();
    expect(gather(await collectStream(model, call)).text).toBe(TEXT);
    expect(performance.now() - began).toBeGreaterThan(100);
  });
});

describe('before a payment service the proxy', () => {
  const refund = (url: string, key: string) =>
    fetch(`${url}/refunds`, {
      method: 'POST',
      headers: { 'idempotency-key': key },
      body: JSON.stringify({ orderId: 'A-1042', cents: 4900 }),
    });

  it('loses the answer of a refund that was made, in a process of its own', async () => {
    const dbFile = freshDbFile();
    const payments = await opened(startPayments({ dbFile }));
    const faults = [{ request: 1, is: 'status', status: 502, peerActs: true }] as const;
    const proxy = await opened(startFaultProxyProcess({ target: payments.url, faults }));
    expect((await refund(proxy.url, 'k1')).status).toBe(502);
    expect(readPayments(dbFile).effects).toHaveLength(1);
    expect(await (await refund(proxy.url, 'k1')).json()).toMatchObject({ id: 're_1' });
    expect(readPayments(dbFile).effects).toHaveLength(1);
  });

  it('says which peer gave no answer', async () => {
    const gone = await startPayments({ dbFile: freshDbFile() });
    await gone.close();
    const proxy = await opened(startFaultProxy({ target: gone.url }));
    const response = await refund(proxy.url, 'k1');
    expect(response.status).toBe(502);
    expect(JSON.stringify(await response.json())).toContain(gone.url);
  });
});

test('bytes, paths, queries and headers pass as they are; what is about one connection does not', async () => {
  const bytes = Buffer.from([0, 255, 128, 10]);
  const seen: unknown[] = [];
  const peer = await opened(
    listen(async ({ method, path, query, headers }, response) => {
      seen.push({ method, path, query: query.toString(), own: headers['x-own'], host: headers.host });
      response.writeHead(201, { 'x-answer': 'yes', 'set-cookie': ['a=1', 'b=2'] });
      response.end(bytes);
    }),
  );
  const proxy = await opened(startFaultProxy({ target: `${peer.url}/base/` }));
  const response = await fetch(`${proxy.url}/a%20b?x=1&x=2`, {
    method: 'PUT',
    headers: { 'x-own': 'mine' },
    body: bytes,
  });
  expect(seen).toEqual([
    { method: 'PUT', path: '/base/a%20b', query: 'x=1&x=2', own: 'mine', host: new URL(peer.url).host },
  ]);
  expect([response.status, response.headers.get('x-answer'), response.headers.getSetCookie()]).toEqual([
    201,
    'yes',
    ['a=1', 'b=2'],
  ]);
  expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes);
});

test('a caller that leaves leaves the peer too', async () => {
  const left: PromiseWithResolvers<string> = Promise.withResolvers();
  const arrived: PromiseWithResolvers<void> = Promise.withResolvers();
  const peer = await opened(
    serve((_, response) => {
      response.on('close', () => {
        left.resolve('gone');
      });
      arrived.resolve();
    }),
  );
  const proxy = await opened(startFaultProxy({ target: peer.url }));
  const caller = new AbortController();
  const asked = fetch(proxy.url, { signal: caller.signal });
  await arrived.promise;
  caller.abort();
  await expect(asked).rejects.toThrow();
  expect(await left.promise).toBe('gone');
});

test('an answer that is no event stream has no event to break', async () => {
  const peer = await opened(listen(async (_, response) => sendJson(response, 200, { a: 1 })));
  const proxy = await opened(startFaultProxy({ target: peer.url, faults: [{ request: 1, is: 'stream-error' }] }));
  expect(await (await fetch(proxy.url)).json()).toEqual({ a: 1 });
});

test('faults that are set later count their requests from then on', async () => {
  const { proxy } = await modelBehind([{ request: 1, is: 'status', status: 503 }]);
  const status = async () => (await fetch(proxy.url)).status;
  expect([await status(), await status()]).toEqual([503, 404]);
  proxy.setFaults([{ request: 1, is: 'status', status: 500 }]);
  expect([await status(), await status()]).toEqual([500, 404]);
});

describe('faults by chance', () => {
  const faults: readonly ProxyFault[] = [{ is: 'drop' }, { is: 'hang' }, { is: 'delay', ms: 1 }];
  const play = (seed: number, odds: number, count = 400) => {
    const faultOf = readFaultPlan({ seed, odds, faults });
    return Array.from({ length: count }, (_, at) => faultOf(at + 1)?.is);
  };

  it('are the same for the same seed, and come about as often as the odds say', () => {
    fc.assert(
      fc.property(fc.integer(), fc.double({ min: 0, max: 1, noNaN: true }), (seed, odds) => {
        const played = play(seed, odds);
        expect(play(seed, odds)).toEqual(played);
        const share = played.filter(Boolean).length / played.length;
        expect(Math.abs(share - odds)).toBeLessThan(0.15);
      }),
    );
  });

  it('do not become others with other odds', () => {
    const [few, many] = [play(7, 0.2), play(7, 0.8)];
    few.forEach((fault, at) => fault && expect(many[at]).toBe(fault));
  });
});

test.each<[FaultPlan, string]>([
  [[{ request: 0, is: 'drop' }], 'faults[0].request is 0: give the number of a request, from 1'],
  [[{ request: 1, is: 'status', status: 99 }], 'faults[0].status is 99'],
  [[{ request: 1, is: 'reset', afterBytes: -1 }], 'faults[0].afterBytes is -1'],
  [{ seed: 1, odds: 2, faults: [{ is: 'drop' }] }, 'faults.odds is 2'],
  [{ seed: 1, odds: 0.5, faults: [] }, 'faults.faults is empty'],
  [{ seed: 1, odds: 0.5, faults: [{ is: 'trickle', everyMs: 1, bytes: 0 }] }, 'faults.faults[0].bytes is 0'],
])('a plan that cannot be meant is refused: %j', async (faults, message) => {
  await expect(startFaultProxy({ target: 'http://127.0.0.1:1', faults })).rejects.toThrow(message);
});

test('a target that is no address is refused', async () => {
  await expect(startFaultProxy({ target: 'model' })).rejects.toThrow('The proxy\'s target is "model"');
});

describe('a spoiled body', () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes)));
  async function* chunks(all: readonly Buffer[]) {
    for (const one of all) yield await Promise.resolve(one);
  }
  const joined = async (body: AsyncIterable<Buffer>) => {
    const all: Buffer[] = [];
    for await (const one of body) all.push(one);
    return Buffer.concat(all);
  };

  it('is cut at the byte that is named, however it comes', async () => {
    await fc.assert(
      fc.asyncProperty(pieces, fc.nat(40), async (all, count) => {
        expect(await joined(firstBytes(chunks(all), count))).toEqual(Buffer.concat(all).subarray(0, count));
      }),
    );
  });

  it('has whole events before the one that breaks it, however it comes', async () => {
    const events = ['data: ä\n\n', 'event: x\r\ndata: 2\r\n\r\n', ': ping\n\n', 'data: 3\n\n'];
    const bytes = Buffer.from(events.join(''));
    await fc.assert(
      fc.asyncProperty(fc.nat(5), fc.integer({ min: 1, max: 30 }), async (count, size) => {
        const all = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
          bytes.subarray(at * size, (at + 1) * size),
        );
        const text = (await joined(brokenEvents(chunks(all), count, 'END'))).toString();
        expect(text).toBe(`${events.slice(0, count).join('')}data: END\n\n`);
      }),
    );
  });
});
