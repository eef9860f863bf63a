import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { failureOfEnd } from '../../src/activities/failure-of-end.ts';
import type { BodyEnd } from '../../src/activities/run-body.ts';
import { toJson } from '../../src/activities/store-content.ts';
import type { FailureReason, Failure } from '../../src/contracts/failure.ts';
import type { SentRequest } from '../../src/contracts/fetch-record.ts';
import type { Tool } from '../../src/contracts/tool.ts';
import { createToolFetch } from '../../src/middleware/tool-fetch.ts';
import { classOfReason } from '../../src/policy/class-of-reason.ts';
import { defineTool } from '../../src/policy/define-tool.ts';
import { judge } from '../../src/policy/judge.ts';
import { openToolTransport } from '../../src/workers/tool-transport.ts';
import type { Finding, Fixture, FixtureOutcome, FixtureTool, Wait } from './fixture.ts';

/** Lets a tool of the case do what it did, over a real socket where it used one, and judges that as an attempt is judged. */
export async function runToolCase({ tool: described, outcome = {}, now }: Fixture): Promise<Finding> {
  if (!described) throw new Error('The case has no tool.');
  const peer = await openPeer(outcome);
  const transport = openToolTransport();
  const clock = () => (now === undefined ? Date.now() : Date.parse(now));
  const kept = createToolFetch({
    idempotencyKey: described.idempotencyKey ?? 'key-of-a-fixture',
    headers: {},
    signal: new AbortController().signal,
    sendBy: Number.POSITIVE_INFINITY,
    fetch: transport.fetch,
    now: clock,
  });
  const send = described.via === 'own client' ? transport.fetch : kept.fetch;
  try {
    const tool = toolOf(described);
    const end = await endOf(outcome, () => act(outcome, send, peer.url, tool));
    return findingOf(end, tool, kept.record());
  } finally {
    await transport.destroy();
    await peer.close();
  }
}

function toolOf({ name, readOnly, idempotencyKey, idempotent, thrown, refusedStatuses }: FixtureTool): Tool {
  const repeatable = idempotent ?? (idempotencyKey === undefined ? undefined : 'by-key');
  return defineTool({
    name,
    description: 'Of a case.',
    input: z.looseObject({}),
    timeout: '1s',
    ...(readOnly && { readOnly }),
    ...(repeatable && { idempotent: repeatable }),
    ...(thrown && { thrown }),
    ...(refusedStatuses && { refusedStatuses }),
    execute: async () => null,
  });
}

async function endOf({ timeout, crash }: FixtureOutcome, body: () => Promise<unknown>): Promise<BodyEnd> {
  const running = new Promise<never>(() => {});
  if (timeout) return { is: 'timed-out', running };
  if (crash) return { is: 'shutdown', running };
  try {
    return { is: 'returned', value: await body() };
  } catch (error) {
    return { is: 'threw', error };
  }
}

async function act(outcome: FixtureOutcome, send: typeof fetch, url: string, { effect, name }: Tool): Promise<unknown> {
  const { throws, returns } = outcome;
  if (throws) throw Object.assign(new Error(throws.message ?? ''), throws);
  if (outcome.http === undefined && outcome.socket === undefined) return returns === 'bigint' ? { cents: 1n } : returns;
  const method = effect === 'read-only' ? 'GET' : 'POST';
  const response = await send(url, { method, ...(method === 'POST' && { body: '{}' }) });
  if (!response.ok) throw Object.assign(new Error(`${name}: ${response.status}`), { status: response.status });
  return response.text();
}

function findingOf(end: BodyEnd, tool: Tool, record: readonly SentRequest[]): Finding {
  if (end.is === 'returned') {
    const isReadable = 'value' in toJson(end.value);
    return isReadable ? finding('ok', 'tool-result') : finding('permanent', 'bug');
  }
  const failure = failureOfEnd(end, tool, record);
  const { is } = judge({ failure, effect: tool.effect, worst: failure.delivery, spent: false });
  const sent = failure.delivery === 'not-sent' ? 'no' : failure.delivery === 'refused' ? 'yes' : 'maybe';
  if (is === 'unknown') return { ...finding('ambiguous', 'outcome-unknown'), sent };
  if (is === 'cancelled') return { ...finding('cancelled', 'caller'), sent };
  const reason = failure.reason ?? 'timeout';
  if (is === 'retry') return { ...finding(classOfReason(reason), reason), retry: true, wait: waitOf(failure), sent };
  const isConfiguration = failure.reason !== undefined && NOT_THE_MODELS.includes(failure.reason);
  return { ...(isConfiguration ? finding('permanent', reason) : finding('model-error', 'tool-reported')), sent };
}

/** What the model cannot put right by calling the tool in another way. */
const NOT_THE_MODELS: readonly FailureReason[] = ['auth', 'forbidden', 'billing', 'tls-config', 'config', 'bug'];

const finding = (cls: string, reason: string): Finding => ({
  class: cls,
  reason,
  retry: false,
  wait: { source: 'none' },
});

function waitOf({ waitMs, waitFrom = '' }: Failure): Wait {
  return waitMs === undefined ? { source: 'backoff' } : { source: 'server', ms: waitMs, from: waitFrom };
}

/** The service behind the tool; a port nobody listens at where it is not there. */
async function openPeer({ http, socket }: FixtureOutcome): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server: Server = createServer((request, response) => {
    request.resume().once('end', () => {
      response.sendDate = false;
      if (socket !== undefined) request.socket.resetAndDestroy();
      else
        response
          .writeHead(http?.status ?? 200, http?.headers ?? {})
          .end(http?.body === undefined ? '' : JSON.stringify(http.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  if (socket !== 'ECONNREFUSED') return { url: `http://127.0.0.1:${port}`, close };
  await close();
  return { url: `http://127.0.0.1:${port}`, close: async () => {} };
}
