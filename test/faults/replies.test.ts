import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { defineTool } from '../../src/policy/define-tool.ts';
import { callChunk, chunk, streamOf, type Script, type Trouble } from './model-peer.ts';
import { openModelRig, type ModelRig, type Played } from './model-rig.ts';

let rig: ModelRig;
const weighed: string[] = [];
const weigh = defineTool({
  name: 'weigh',
  description: 'Weighs a thing.',
  input: z.object({ thing: z.string() }),
  readOnly: true,
  timeout: '5s',
  execute: ({ thing }) => {
    weighed.push(thing);
    return Promise.resolve({ grams: 5 });
  },
});
beforeAll(async () => {
  rig = await openModelRig({ tools: [weigh], without: ['breaker'], backoff: { base: '20ms', jitter: 'fixed' } });
});
afterAll(() => rig.close());

const says = (text: string, finish = 'stop'): Trouble =>
  streamOf(chunk({ content: text }), chunk({}, finish), '[DONE]');
const asks = (name: string, args: string, finish = 'tool_calls'): Trouble =>
  streamOf(callChunk('call_1', name, args), chunk({}, finish), '[DONE]');

/** These replies in turn, then "done". */
const inTurn =
  (...replies: readonly Trouble[]): Script =>
  (request) =>
    replies[request - 1] ?? says('done');

async function play(...replies: readonly Trouble[]) {
  const played = await rig.play({ script: inTurn(...replies) });
  const result = await played.run.result();
  return { played, result };
}

interface Message {
  readonly role: string;
  readonly content: unknown;
}

/** The conversation as the model is given it with its n-th request. */
function given({ arrivals }: Played, request: number): readonly Message[] {
  return (JSON.parse(arrivals()[request - 1]?.text ?? '{"messages":[]}') as { readonly messages: readonly Message[] })
    .messages;
}

describe('a reply that ends in an unusual way', () => {
  test('paused by the provider, it is given back as it is and goes on', async () => {
    const { result, played } = await play(says('Let me see. ', 'pause_turn'));
    expect(result).toMatchObject({ status: 'completed', text: 'done' });
    expect(given(played, 2).at(-1)).toMatchObject({ role: 'assistant', content: 'Let me see. ' });
  });

  test('paused with nothing said, it is simply asked again', async () => {
    const { result, played } = await play(streamOf(chunk({ content: '' }), chunk({}, 'pause_turn'), '[DONE]'));
    expect(result).toMatchObject({ status: 'completed', text: 'done' });
    expect(given(played, 2)).toEqual(given(played, 1));
  });

  test('cut by its limit, the text stands and the run says that it is a part', async () => {
    const { result } = await play(says('Half of', 'length'));
    expect(result).toMatchObject({ status: 'partial', text: expect.stringMatching(/^Half of\n.*limit/) });
  });

  test('cut by its limit before a word was said, it says what to do', async () => {
    const { result } = await play(streamOf(chunk({ content: '' }), chunk({}, 'length'), '[DONE]'));
    expect(result).toMatchObject({ status: 'partial', text: expect.stringMatching(/said nothing.*limit/) });
  });

  test('with the window full, it says that a higher limit is no help', async () => {
    const { result } = await play(says('Half of', 'model_context_window_exceeded'));
    expect(result.text).toContain('Half of');
  });

  test('refused by the model, its words are kept and it is not asked again', async () => {
    const { result, played } = await play(says('I will not do that.', 'content_filter'));
    expect(result).toMatchObject({
      status: 'failed',
      text: expect.stringContaining('It said: I will not do that.'),
    });
    expect(played.arrivals()).toHaveLength(1);
    const refused = await play(says('I will not do that.', 'refusal'));
    expect(refused.result.text).toContain('I will not do that.');
    expect(refused.played.arrivals()).toHaveLength(1);
  });
});

describe('a reply that holds nothing that can be used', () => {
  const nothing = streamOf(chunk({ content: '' }), chunk({}, 'stop'), '[DONE]');

  test('empty, it is asked for once more, and then the model is told', async () => {
    const { result, played } = await play(nothing, nothing);
    expect(result).toMatchObject({ status: 'completed', text: 'done' });
    expect(played.arrivals()).toHaveLength(3);
    expect(given(played, 2)).toEqual(given(played, 1));
    expect(given(played, 3).at(-1)).toMatchObject({ role: 'user', content: expect.stringContaining('empty') });
  });

  test('a call that is none, the model is told and not asked the same again', async () => {
    const { result, played } = await play(
      streamOf(chunk({ content: '' }), chunk({}, 'malformed_function_call'), '[DONE]'),
    );
    expect(result).toMatchObject({ status: 'completed', text: 'done' });
    expect(played.arrivals()).toHaveLength(2);
    expect(given(played, 2).at(-1)).toMatchObject({
      role: 'user',
      content: expect.stringContaining('Nothing was run'),
    });
  });

  test('again and again, the run ends with a word on it', async () => {
    const { result, played } = await play(...Array.from({ length: 20 }, () => nothing));
    expect(result).toMatchObject({ status: 'failed', text: expect.stringContaining('the reply was empty') });
    // Told three times, and asked twice each time.
    expect(played.arrivals()).toHaveLength(8);
  });
});

describe('a call that cannot be made', () => {
  test.each([
    ['no JSON', 'weigh', '{"thing": Oslo}', 'not valid JSON'],
    ['not what the schema asks for', 'weigh', '{"town":"Oslo"}', 'thing'],
    ['of no tool', 'drop_tables', '{}', 'weigh'],
    ['cut off by the limit', 'weigh', '{"thing":"Osl', 'cut off'],
  ])('%s: the model is told, and nothing is run', async (why, tool, args, told) => {
    const before = weighed.length;
    const { result, played } = await play(asks(tool, args, why.startsWith('cut') ? 'length' : 'tool_calls'));
    expect(result).toMatchObject({ status: 'completed', text: 'done' });
    expect(weighed).toHaveLength(before);
    const answer = given(played, 2).at(-1);
    expect(answer).toMatchObject({ role: 'tool', content: expect.stringContaining(told) });
    expect(String(answer?.content)).not.toMatch(/Error\b|\bat .*:\d+/);
  });

  test('empty arguments are an empty object', async () => {
    const { played } = await play(asks('weigh', ''));
    expect(given(played, 2).at(-1)).toMatchObject({ role: 'tool', content: expect.stringContaining('thing') });
  });

  test('beside one that can, that one is run and each has its answer', async () => {
    const { played } = await play(
      streamOf(
        callChunk('call_1', 'weigh', '{"thing":"a"}', 0),
        callChunk('call_2', 'drop_tables', '{}', 1),
        chunk({}, 'tool_calls'),
        '[DONE]',
      ),
    );
    expect(given(played, 2).slice(-2)).toMatchObject([
      { role: 'tool', tool_call_id: 'call_1', content: expect.stringContaining('grams') },
      { role: 'tool', tool_call_id: 'call_2', content: expect.stringContaining('drop_tables') },
    ]);
  });
});
