import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { ToolFetch } from '../../src/contracts/fetch-record.ts';
import { createToolFetch } from '../../src/middleware/tool-fetch.ts';
import { openToolTransport, type ToolTransport } from '../../src/workers/tool-transport.ts';

const servers: Server[] = [];
let transport: ToolTransport | undefined;
afterEach(async () => {
  await transport?.destroy();
  transport = undefined;
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

type Seen = IncomingMessage & { body: string };

async function serve(handle: (request: Seen, response: ServerResponse) => void) {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const whole = Object.assign(request, { body: Buffer.concat(chunks).toString() });
      seen.push(whole);
      handle(whole, response);
    });
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

function open(sendBy = Date.now() + 60_000, signal = new AbortController().signal): ToolFetch {
  transport = openToolTransport();
  return createToolFetch({
    fetch: transport.fetch,
    idempotencyKey: 'key-1',
    headers: { 'holdfast-attempt': '2' },
    signal,
    sendBy,
    now: Date.now,
  });
}

const answers = ({ record }: ToolFetch) => record().map(({ method, answer }) => [method, answer]);

describe('ctx.fetch', () => {
  test('adds the key and our headers, keeps the caller’s, and sends the body as it is', async () => {
    const { url, seen } = await serve((_, response) => response.end('{"ok":true}'));
    const tool = open();
    const response = await tool.fetch(`${url}/refunds?secret=1`, {
      method: 'POST',
      body: '{"a":1}',
      headers: { 'content-type': 'application/json', 'x-own': 'mine' },
    });
    expect(await response.json()).toEqual({ ok: true });
    expect(seen[0]?.headers).toMatchObject({
      'idempotency-key': 'key-1',
      'holdfast-attempt': '2',
      'x-own': 'mine',
      'content-type': 'application/json',
    });
    expect(seen[0]?.body).toBe('{"a":1}');
    expect(tool.record()).toEqual([
      {
        changes: true,
        method: 'POST',
        url: `${url}/refunds`,
        answer: { is: 'status', status: 200, waitMs: undefined },
      },
    ]);
  });

  test('takes a Request, a URL, and a body that streams', async () => {
    const { url, seen } = await serve((_, response) => response.end());
    const tool = open();
    await tool.fetch(new Request(`${url}/a`, { method: 'PUT', body: 'from a request' }));
    await tool.fetch(new URL(`${url}/b`));
    await tool.fetch(`${url}/c`, { method: 'POST', body: new URLSearchParams({ x: '1' }) });
    expect(seen.map(({ method, body }) => [method, body])).toEqual([
      ['PUT', 'from a request'],
      ['GET', ''],
      ['POST', 'x=1'],
    ]);
    expect(tool.record().map(({ changes }) => changes)).toEqual([true, false, true]);
  });

  test('records a refusal with the wait that was asked for', async () => {
    const { url } = await serve((_, response) => response.writeHead(429, { 'retry-after': '3' }).end());
    const tool = open();
    await tool.fetch(url, { method: 'POST' });
    expect(answers(tool)).toEqual([['POST', { is: 'status', status: 429, waitMs: 3_000, waitFrom: 'retry-after' }]]);
  });

  test('follows no redirect of a request that could change something, or carries credentials', async () => {
    const { url, seen } = await serve((request, response) =>
      response.writeHead(request.url === '/to' ? 200 : 307, { location: '/to' }).end(),
    );
    const tool = open();
    await tool.fetch(url, { method: 'POST', body: 'x' });
    await tool.fetch(url, { headers: { authorization: 'Bearer x' } });
    expect(seen.map((request) => request.url)).toEqual(['/', '/']);
    await tool.fetch(url);
    expect(seen.at(-1)?.url).toBe('/to');
  });

  test('tells what never left from what may have', async () => {
    const silent = createTcpServer((socket) => socket.once('data', () => socket.destroy()));
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const tool = open();
    const post = (url: string) => tool.fetch(url, { method: 'POST', body: 'x' }).catch(() => undefined);
    await post(`http://127.0.0.1:${port}`);
    silent.close();
    await once(silent, 'close');
    await post(`http://127.0.0.1:${port}`);
    await post('http://no-such-host.invalid/');
    await post('http://127.0.0.1:1/');
    expect(answers(tool)).toEqual([
      ['POST', { is: 'lost', why: expect.any(String) }],
      ['POST', { is: 'not-sent', why: expect.stringContaining('ECONNREFUSED'), isLasting: false }],
      ['POST', { is: 'not-sent', why: expect.any(String), isLasting: false }],
      ['POST', { is: 'not-sent', why: expect.any(String), isLasting: true }],
    ]);
  });

  test('a plain-HTTP port spoken to with TLS is a handshake that failed: nothing left', async () => {
    const { url } = await serve((_, response) => response.end());
    const tool = open();
    await tool.fetch(url.replace('http:', 'https:'), { method: 'POST' }).catch(() => undefined);
    expect(answers(tool)).toEqual([['POST', { is: 'not-sent', why: expect.any(String), isLasting: true }]]);
  });

  test('begins nothing that could change something after its time to send; reads go on', async () => {
    const { url, seen } = await serve((_, response) => response.end());
    const tool = open(Date.now() - 1);
    await expect(tool.fetch(url, { method: 'POST' })).rejects.toThrow('time to send had passed');
    await tool.fetch(url);
    expect(seen.map(({ method }) => method)).toEqual(['GET']);
    expect(answers(tool)[0]).toEqual(['POST', { is: 'not-sent', why: expect.any(String), isLasting: false }]);
  });

  test('an abort in the middle leaves the request lost, not unsent', async () => {
    const { url } = await serve(() => undefined);
    const abort = new AbortController();
    const tool = open(undefined, abort.signal);
    const sending = tool.fetch(url, { method: 'POST', body: 'x' });
    setTimeout(() => {
      abort.abort(new Error('enough'));
    }, 100);
    await expect(sending).rejects.toThrow('enough');
    expect(answers(tool)).toEqual([['POST', { is: 'lost', why: expect.any(String) }]]);
  });
});
