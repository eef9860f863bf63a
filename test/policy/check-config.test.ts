import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { defineAgent, defineConfig } from '../../src/policy/define-agent.ts';
import { defineTool } from '../../src/policy/define-tool.ts';
import { anna, ben, BEN_KEY, ops } from './decider-samples.ts';

const tool = (name: string, more: object = {}) =>
  defineTool({
    name,
    description: 'does it',
    input: z.object({ amount: z.number() }),
    timeout: '30s',
    execute: async () => null,
    ...more,
  });
const agent = (name: string, tools: readonly ReturnType<typeof tool>[]) =>
  defineAgent({ name, instructions: 'help', model: 'stand-in/x', tools });

const support = agent('support', [
  tool('refund', { amount: ({ amount }: { amount: number }) => amount }),
  tool('look_up', { readOnly: true }),
]);
const release = agent('release', [tool('deploy')]);

const define = (more: object) => defineConfig({ agents: [support, release], ...more });
const HOOK = 'https://hooks.example/T0/SECRET';

describe('a configuration', () => {
  test.each<[string, object]>([
    ['one decider for all', { deciders: [anna] }],
    ['roles that together cover all', { deciders: [anna, ben, ops] }],
    ['a quorum of two', { deciders: [anna, { ...ben, agents: undefined }], approvals: { quorum: { above: 500 } } }],
    ['a quorum without deciders', { approvals: { quorum: { above: 0, currency: 'USD' }, expire: '2d' } }],
    ['a webhook', { notify: { url: HOOK, format: 'json', secretEnv: 'MY_SECRET', webUi: 'http://127.0.0.1:8233' } }],
    ['a webhook on the own machine', { notify: { url: 'http://127.0.0.1:9999/x' } }],
    ['a webhook on the own machine, by IPv6', { notify: { url: 'http://[::1]:9999/x' } }],
    ['a secret address', { notify: { url: 'env:SLACK_URL', format: 'slack' } }],
    ['an escalation', { notify: { url: HOOK, escalateUrl: 'env:BOSS_URL', escalateAfter: '4h', remindAfter: '10m' } }],
  ])('is taken: %s', (_, more) => {
    expect(define(more)).toMatchObject({ taskQueue: 'holdfast' });
  });

  const quorum = { quorum: { above: 500 } };
  test.each<[object, string]>([
    [
      { decider: [anna] },
      'The configuration has no option "decider". Did you mean "deciders"? The options are agents,',
    ],
    [{ notifications: {} }, 'has no option "notifications". The options are agents,'],
    [{ deciders: [] }, 'deciders names nobody'],
    [{ deciders: {} }, 'deciders names nobody'],
    [{ deciders: ['anna'] }, 'deciders[0] is not an object. Write one with name, key'],
    [{ deciders: [{ ...anna, role: 'boss' }] }, 'deciders[0] has no option "role"'],
    [{ deciders: [{ ...anna, tool: ['refund'] }] }, 'Did you mean "tools"?'],
    [{ deciders: [{ key: anna.key }] }, 'deciders[0].name is undefined'],
    [{ deciders: [{ ...anna, name: ' anna' }] }, 'deciders[0].name is " anna"'],
    [{ deciders: [anna, { ...ben, name: 'ANNA' }] }, 'Two deciders are named "anna" and "ANNA"'],
    [{ deciders: [anna, { ...anna, name: 'anna2' }] }, 'Deciders "anna" and "anna2" have the same key'],
    [{ deciders: [{ name: 'anna' }] }, 'neither "ed25519:" nor "hmac:"'],
    [{ deciders: [{ ...anna, key: 'rsa:abc' }] }, 'neither "ed25519:" nor "hmac:"'],
    [{ deciders: [{ ...anna, key: 'ed25519:abc' }] }, 'has 2 bytes, not 32'],
    [{ deciders: [{ ...anna, key: `${anna.key}=` }] }, 'not base64url'],
    [{ deciders: [{ ...anna, key: 'hmac:my secret' }] }, 'not the name of an environment variable'],
    [{ deciders: [{ ...anna, agents: ['suport'] }] }, '"suport", which is not there. Did you mean "support"?'],
    [{ deciders: [{ ...anna, tools: ['refnd'] }] }, '"refnd", which is not there. Did you mean "refund"?'],
    [{ deciders: [{ ...anna, agents: ['release'], tools: ['refund'] }] }, 'There are: deploy.'],
    [{ deciders: [{ ...anna, kinds: ['limits'] }] }, 'There are: outcome, approval.'],
    [{ deciders: [{ ...anna, kinds: [] }] }, 'kinds names nothing'],
    [{ deciders: [{ ...anna, agents: 'support' }] }, 'agents names nothing'],
    [{ deciders: [ben] }, 'Nobody may decide outcomes of deploy of agent release: such a question would wait for ever'],
    [{ deciders: [ops] }, 'Nobody may decide approvals of refund of agent support'],
    [
      { deciders: [anna], approvals: quorum },
      'Only anna may decide outcomes of refund of agent support, and approvals',
    ],
    [{ deciders: [anna, ops], approvals: quorum }, 'Only anna may decide approvals of refund'],
    [{ providers: { openia: {} } }, 'providers has no option "openia". Did you mean "openai"?'],
    [{ providers: { bedrock: { regoin: 'x' } } }, 'providers.bedrock has no option "regoin". Did you mean "region"?'],
    [{ approvals: { expires: '2d' } }, 'approvals has no option "expires". Did you mean "expire"?'],
    [{ approvals: { expire: 'soon' } }, 'approvals.expire is "soon", which is not a duration'],
    [{ approvals: { quorum: 500 } }, 'approvals.quorum is not an object. Write one with above, currency'],
    [{ approvals: { quorum: {} } }, 'approvals.quorum.above is undefined'],
    [{ approvals: { quorum: { above: -1 } } }, 'approvals.quorum.above is -1'],
    [{ approvals: { quorum: { above: Number.POSITIVE_INFINITY } } }, 'approvals.quorum.above is Infinity'],
    [{ approvals: { quorum: { above: '500' } } }, 'approvals.quorum.above is "500"'],
    [{ approvals: { quorum: { above: 5, currency: 'usd' } } }, 'approvals.quorum.currency is "usd"'],
    [{ notify: HOOK }, 'notify is not an object. Write one with url'],
    [{ notify: {} }, 'notify.url cannot be used: it is not a text'],
    [{ notify: { url: HOOK, urls: [] } }, 'notify has no option "urls". Did you mean "url"'],
    [{ notify: { url: 'http://hooks.example/T0/SECRET' } }, 'plain http leaves the own machine'],
    [{ notify: { url: 'http://127.0.0.1.example/SECRET' } }, 'plain http leaves the own machine'],
    [{ notify: { url: 'ftp://hooks.example/SECRET' } }, 'nothing is sent by ftp:'],
    [{ notify: { url: 'https://me:SECRET@hooks.example' } }, 'it holds a user name or password'],
    [{ notify: { url: 'hooks.example/SECRET' } }, 'it is not a URL'],
    [{ notify: { url: 'env:my slack SECRET' } }, 'not the name of an environment variable'],
    [{ notify: { url: HOOK, escalateUrl: 'nonsense SECRET', escalateAfter: '2h' } }, 'notify.escalateUrl cannot be'],
    [{ notify: { url: HOOK, escalateUrl: HOOK } }, 'never used without notify.escalateAfter'],
    [{ notify: { url: HOOK, escalateAfter: '30m' } }, 'escalateAfter ("30m") is not longer than remindAfter ("1h")'],
    [{ notify: { url: HOOK, escalateAfter: 60_000, remindAfter: '1m' } }, '(60000) is not longer than remindAfter'],
    [{ notify: { url: HOOK, remindAfter: 'later' } }, 'notify.remindAfter is "later", which is not a duration'],
    [{ notify: { url: HOOK, format: 'teams' } }, 'notify.format is "teams". Write "json" or "slack"'],
    [{ notify: { url: HOOK, secretEnv: 'whsec_SECRET=' } }, 'notify.secretEnv is not the name'],
    [{ notify: { url: HOOK, webUi: 'localhost:8233' } }, 'notify.webUi is "localhost:8233"'],
  ])('is refused, with what to write: %j', (more, message) => {
    const refusal = messageOf(() => define(more));
    expect(refusal).toContain(message);
    expect(refusal).not.toContain('SECRET');
  });
});

function messageOf(act: () => unknown): string {
  try {
    return `taken: ${JSON.stringify(act())}`;
  } catch (error) {
    // The one name with this word that a person is to read.
    return (error as Error).message.replaceAll('HOLDFAST_NOTIFY_SECRET', 'the variable');
  }
}

test('the samples are different people', () => {
  expect(BEN_KEY.public).not.toBe(anna.key);
});
