import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import type { Notify } from '../../src/contracts/agent.ts';
import { composeAlert } from '../../src/policy/compose-alert.ts';
import { openNotifier } from '../../src/workers/webhook.ts';
import { outcome } from '../policy/question-samples.ts';

const SECRET = `whsec_${Buffer.from('a secret of more than 24 bytes').toString('base64')}`;
const OTHER = `whsec_${Buffer.from('another secret of 24 bytes').toString('base64')}`;
const PATH = '/services/T0/TOP-SECRET?token=TOP-SECRET';

interface Received {
  readonly url: string;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
}

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

type Answer = { readonly status: number; readonly location?: string } | 'hang' | 'half';

/** A receiver that gives these answers, the last again and again. */
async function receive(...answers: readonly Answer[]): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = [];
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    received.push({ url: request.url!, body: await text(request), headers: request.headers });
    const answer = answers[Math.min(received.length, answers.length) - 1] ?? { status: 200 };
    if (answer === 'hang') return;
    if (answer === 'half') {
      response.writeHead(200).write('never ending');
      return;
    }
    response.writeHead(answer.status, answer.location ? { location: answer.location } : {}).end('no');
  };
  const server = createServer((request, response) => void respond(request, response));
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`, received };
}

const alert = (reason: 'asked' | 'escalation' = 'asked') =>
  composeAlert(
    { question: outcome, reason, run: outcome.run, task: 'A-1042', agent: 'support' },
    { namespace: 'default', place: '', webUi: undefined, at: 0 },
  );

const env: Record<string, string> = { HOLDFAST_NOTIFY_SECRET: SECRET, OTHER, SHORT: 'whsec_abcd', ODD: 'whsec_!!!' };
const open = (notify: Notify, timeoutMs?: number) => openNotifier(notify, (name) => env[name], timeoutMs)!;

const headersOf = ({ headers }: Received) => headers as Record<string, string>;

describe('a webhook', () => {
  test('is signed so that the package of the convention verifies it, and no other secret does', async () => {
    const { url, received } = await receive();
    await open({ url }).send(alert());
    const [first] = received;
    expect(new Webhook(SECRET).verify(first!.body, headersOf(first!))).toEqual(alert());
    expect(first!.headers['webhook-id']).toBe(alert().id);
    expect(() => new Webhook(OTHER).verify(first!.body, headersOf(first!))).toThrow('No matching signature');
    const changed = first!.body.replace('support', 'suppose');
    expect(() => new Webhook(SECRET).verify(changed, headersOf(first!))).toThrow('No matching signature');
  });

  test('takes the secret that it is told of, and is unsigned where there is none', async () => {
    const { url, received } = await receive();
    await open({ url, secretEnv: 'OTHER' }).send(alert());
    await openNotifier({ url }, () => undefined)!.send(alert());
    expect(new Webhook(OTHER).verify(received[0]!.body, headersOf(received[0]!))).toEqual(alert());
    expect(received[1]!.headers).not.toHaveProperty('webhook-signature');
  });

  test('that is answered with 500 fails, and the next attempt of the same news has the same id', async () => {
    const { url, received } = await receive({ status: 500 }, { status: 204 });
    const notifier = open({ url });
    await expect(notifier.send(alert())).rejects.toThrow(/^People were not told: 127\.0\.0\.1:\d+ answered 500\.$/);
    await notifier.send(alert());
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  test('escalates to another address', async () => {
    const [desk, boss] = [await receive(), await receive()];
    env['BOSS'] = boss.url;
    await open({ url: desk.url, escalateUrl: 'env:BOSS' }).send(alert('escalation'));
    await open({ url: desk.url, escalateUrl: 'env:BOSS' }).send(alert());
    await open({ url: desk.url }).send(alert('escalation'));
    const typesOf = (at: typeof desk) => at.received.map(({ body }) => (JSON.parse(body) as { type: string }).type);
    expect(typesOf(boss)).toEqual(['holdfast.question.escalation']);
    expect(typesOf(desk)).toEqual(['holdfast.question.asked', 'holdfast.question.escalation']);
  });

  test('does not wait for an answer that never comes, nor for the rest of one', async () => {
    const { url } = await receive('hang', 'half');
    await expect(open({ url }, 200).send(alert())).rejects.toThrow('did not answer within 0.2 s');
    await open({ url }, 2_000).send(alert());
  });

  test('does not follow a redirect', async () => {
    const elsewhere = await receive();
    const { url } = await receive({ status: 307, location: elsewhere.url });
    await expect(open({ url }).send(alert())).rejects.toThrow('answered 307. Redirects are not followed');
    expect(elsewhere.received).toEqual([]);
  });

  test('speaks to Slack', async () => {
    const { url, received } = await receive();
    await open({ url, format: 'slack' }).send(alert());
    expect(JSON.parse(received[0]!.body)).toMatchObject({ text: expect.any(String), blocks: expect.any(Array) });
  });

  test.each<[string, Answer | 'gone']>([
    ['answered with 404', { status: 404 }],
    ['answered with a redirect', { status: 302, location: '/TOP-SECRET' }],
    ['hanging', 'hang'],
    ['not there', 'gone'],
  ])('keeps its address out of every error: %s', async (_, answer) => {
    const { url } = await receive(...(answer === 'gone' ? [] : [answer]));
    if (answer === 'gone') servers.pop()!.close();
    const error: unknown = await open({ url }, 200)
      .send(alert())
      .catch((caught: unknown) => caught);
    expect(String(error)).toContain('127.0.0.1');
    expect(wholeOf(error)).not.toContain('TOP-SECRET');
  });
});

describe('a webhook that cannot be opened says why, and no secret', () => {
  test.each<[Notify, string]>([
    [{ url: 'env:NOT_THERE' }, 'NOT_THERE is not set'],
    [{ url: 'env:PLAIN' }, 'the address in PLAIN cannot be used: plain http leaves'],
    [{ url: 'env:AGAIN' }, 'it names a variable again'],
    [{ url: 'http://127.0.0.1', escalateUrl: 'env:NOT_THERE' }, 'notify.escalateUrl'],
    [{ url: 'http://127.0.0.1', secretEnv: 'NOT_THERE' }, 'notify.secretEnv is "NOT_THERE", and NOT_THERE is not set'],
    [{ url: 'http://127.0.0.1', secretEnv: 'SHORT' }, 'The secret in SHORT is not "whsec_" and'],
    [{ url: 'http://127.0.0.1', secretEnv: 'ODD' }, 'The secret in ODD is not "whsec_" and'],
  ])('%j', (notify, message) => {
    env['PLAIN'] = 'http://hooks.example/TOP-SECRET';
    env['AGAIN'] = 'env:TOP_SECRET';
    const error = caughtFrom(() => open(notify));
    expect(String(error)).toContain(message);
    expect(wholeOf(error)).not.toMatch(/TOP.SECRET|abcd|!!!/);
  });

  test('where none is wanted there is none', () => {
    expect(openNotifier(undefined, () => undefined)).toBeUndefined();
  });
});

function caughtFrom(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}

/** An error as a log would have it at its most talkative. */
function wholeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = Object.getOwnPropertyNames(error).map((name) => String(Reflect.get(error, name)));
  return [String(error), ...own, ...(error.cause === undefined ? [] : [wholeOf(error.cause)])].join('\n');
}
