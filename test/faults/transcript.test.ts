import type { WorkflowUpdateFailedError } from '@temporalio/client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { defineTool } from '../../src/policy/define-tool.ts';
import { eventually } from '../support/eventually.ts';
import { askThenTell, repliesOf } from '../support/rules.ts';
import { callChunk, chunk, first, streamOf, type Story } from './model-peer.ts';
import { openModelRig, type ModelRig } from './model-rig.ts';

// The peer is as strict as the strictest provider: a transcript that it refuses gets a 400, and then no run here is completed.
const ran: { readonly tool: string; readonly input: unknown }[] = [];
const bodies: { act: () => Promise<unknown> } = { act: () => Promise.resolve('ok') };
const tool = (name: string, options: { readonly readOnly?: true }) =>
  defineTool({
    name,
    description: `Does ${name}.`,
    input: z.object({ id: z.string().optional(), all: z.boolean().optional() }),
    timeout: '5s',
    ...options,
    execute: (input) => {
      ran.push({ tool: name, input });
      return bodies.act();
    },
  });

let rig: ModelRig;
beforeAll(async () => {
  rig = await openModelRig({ tools: [tool('get_weather', { readOnly: true }), tool('delete_all', {})] });
});
afterAll(() => rig.close());
beforeEach(() => {
  ran.splice(0);
  bodies.act = () => Promise.resolve('ok');
});

async function play(story: Story) {
  const { run, arrivals } = await rig.play({ decide: askThenTell([]), ...story });
  const result = await run.result();
  expect(arrivals().map(({ status }) => status)).not.toContain(400);
  expect(result.status).toBe('completed');
  return { run, arrivals, replies: repliesOf(result.text) };
}

/** The model says this once, as it stands; then it tells what it heard. */
const says = (...events: readonly unknown[]): Story => ({
  script: first(1, streamOf(...events, '[DONE]')),
  decide: (conversation) => askThenTell()({ ...conversation, turn: 0 }),
});
const END = chunk({}, 'tool_calls');

interface Sent {
  readonly role: string;
  readonly content: string | null;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly arguments: string } }[];
}
const messagesOf = (text = '{}') => (JSON.parse(text) as { readonly messages: readonly Sent[] }).messages;

describe('a call that the model got wrong', () => {
  test('broken arguments are an error with the reason, and what is kept of them is accepted ever after (H1, H6)', async () => {
    const { replies, arrivals } = await play(says(callChunk('c1', 'get_weather', '{"{"tagIds":'), END));
    expect(ran).toEqual([]);
    expect(replies).toMatchObject([{ status: 'failed', message: expect.stringMatching(/JSON/) }]);
    expect(arrivals()).toHaveLength(2);
  });

  test('arguments that break off are not taken for none, though none would do (H2)', async () => {
    const { replies } = await play(says(callChunk('c1', 'delete_all', '{"all": tr'), END));
    expect(ran).toEqual([]);
    expect(replies).toMatchObject([{ status: 'failed' }]);
  });

  test('a tool of another name is an error that lists the tools, and the run goes on (H3, H4)', async () => {
    const { replies } = await play(says(callChunk('c1', 'get_wether', '{}'), END));
    expect(replies).toMatchObject([{ status: 'failed', message: expect.stringMatching(/get_wether[^]*get_weather/) }]);
    expect(ran).toEqual([]);
  });

  test('a call that the output limit cut is not run, and the model reads why (H5)', async () => {
    const { replies } = await play(says(callChunk('c1', 'delete_all', '{"all": true, "id": "a'), chunk({}, 'length')));
    expect(ran).toEqual([]);
    expect(replies).toMatchObject([{ status: 'failed', message: expect.stringContaining('cut off') }]);
  });

  test('half a character in its arguments is nothing that a provider refuses later (G9)', async () => {
    const { arrivals } = await play(says(callChunk('c1', 'get_weather', '{"id":"\\ud83d"}'), END));
    expect(ran).toEqual([{ tool: 'get_weather', input: { id: '\ufffd' } }]);
    expect(messagesOf(arrivals()[1]?.text).at(-2)?.tool_calls?.[0]?.function.arguments).toBe('{"id":"\ufffd"}');
  });
});

describe('what the transcript holds', () => {
  test('two calls under one id of the provider’s are two: both run, each has its result (G7)', async () => {
    const { arrivals, replies } = await play(
      says(callChunk('same', 'get_weather', '{"id":"a"}', 0), callChunk('same', 'get_weather', '{"id":"b"}', 1), END),
    );
    expect(ran.map(({ input }) => (input as { id: string }).id).sort()).toEqual(['a', 'b']);
    expect(replies).toHaveLength(2);
    const sent = messagesOf(arrivals()[1]?.text);
    const ids = sent.flatMap(({ tool_calls: calls = [] }) => calls.map(({ id }) => id));
    expect(new Set(ids).size).toBe(2);
    expect(sent.flatMap(({ tool_call_id: id }) => (id === undefined ? [] : [id]))).toEqual(ids);
  });

  test('half a character and NUL in a result or an error are nothing that a provider refuses later (G8)', async () => {
    bodies.act = () =>
      ran.length === 1
        ? Promise.resolve({ half: '\ud83d', '\ude00': 'a\u0000b' })
        : Promise.reject(new Error('it broke: \ud83d'));
    const ask = (id: string) => [{ tool: 'get_weather', input: { id } }];
    const { replies } = await play({ decide: askThenTell(ask('a'), ask('b')) });
    expect(replies).toMatchObject([{ status: 'ok', data: { half: '\ufffd' } }, { status: 'failed' }]);
  });

  test('an error without a word has a text and the id of its call (G6)', async () => {
    bodies.act = () => Promise.reject(new Error(''));
    const calls = ['a', 'b'].map((id) => ({ tool: 'get_weather', input: { id } }));
    const { arrivals } = await play({ decide: askThenTell(calls) });
    const told = messagesOf(arrivals()[1]?.text).filter(({ role }) => role === 'tool');
    expect(told).toHaveLength(2);
    for (const { content, tool_call_id: id } of told) {
      expect(id).toMatch(/./);
      expect((JSON.parse(content ?? '') as { message: string }).message).toMatch(/\w{3}/);
    }
  });

  test('a large result is in no step of the history: a reference stands there (G11)', async () => {
    const secret = `weather-${'x'.repeat(300_000)}-end`;
    bodies.act = () => Promise.resolve(secret);
    const { run } = await play({
      decide: ({ turn }) => (turn === 0 ? { calls: [{ tool: 'get_weather', input: {} }] } : { text: '[]' }),
    });
    const history = JSON.stringify(await rig.temporal.workflow.getHandle(run.id).fetchHistory());
    expect(history.length).toBeLessThan(150_000);
  });
});

describe('half a character from outside harms no worker', () => {
  const asked = async (input: string) => {
    const { run, arrivals } = await rig.play({ script: first(1, { hang: true }) });
    await eventually('the request', () => arrivals().length === 1);
    const word = { id: 'd1', question: input, verdict: 'abort', by: 'ann', reason: 'stop' };
    const handle = rig.temporal.workflow.getHandle(run.id);
    const answer = await handle.executeUpdate('resolveOutcome', { args: [word] }).catch((error: unknown) => error);
    await run.stop('now');
    expect(await run.result()).toMatchObject({ status: 'stopped' });
    return (answer as WorkflowUpdateFailedError).cause?.message;
  };

  test('in a decision about no question', async () => {
    expect(await asked('\ud83d')).toContain('no open question');
  });

  test('which our own bound cuts off in such a decision', async () => {
    expect(await asked(`${'x'.repeat(99)}\u{1f600}`)).toContain('no open question');
  });

  test('which our own bound cuts off in the error of a tool', async () => {
    const padding = 'x'.repeat(299 - 'get_weather failed: '.length - 1);
    bodies.act = () => Promise.reject(new Error(`${padding}\u{1f600}${'y'.repeat(300)}`));
    const { replies } = await play({ decide: askThenTell([{ tool: 'get_weather', input: {} }]) });
    expect(replies).toMatchObject([{ status: 'failed' }]);
  });

  test('in what a provider says', async () => {
    const error = { message: 'bad: \ud83d', type: 'invalid_request_error' };
    const { run } = await rig.play({ script: first(9, { status: 400, body: JSON.stringify({ error }) }) });
    expect(await run.result()).toMatchObject({ status: 'failed', text: expect.stringContaining('bad: \ufffd') });
  });

  test('in what the user wants', async () => {
    const run = await rig.client.start({ agent: 'tester', input: 'half \ud83d' });
    expect(await run.result()).toMatchObject({ status: 'completed' });
  });
});
