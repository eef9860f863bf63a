import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { LostHedge } from '../../src/contracts/middleware.ts';
import { costMeter, type RequestEnd } from '../../src/middleware/cost-meter.ts';
import { followRequest, NOTHING_YET } from '../../src/policy/follow-request.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';
import { fakeProvider, FINISH, OPENING, requestTo, textOf, USAGE, type Script } from './model-calls.ts';

type Part = LanguageModelV4StreamPart;
const down = new Error('socket hang up');
const ERROR: Part = { type: 'error', error: down };
const messageStart = (usage: object): Part => {
  return { type: 'custom', kind: 'anthropic.message_start', providerMetadata: { anthropic: { usage: { ...usage } } } };
};
const NO_USAGE = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};
/** As the packages end a stream that broke off. */
const EMPTY_FINISH: Part = { type: 'finish', finishReason: { unified: 'other', raw: undefined }, usage: NO_USAGE };
const priced = (cost: unknown, more: object = {}, raw = {}): Part => {
  const providerMetadata = { openrouter: { usage: { cost, ...more } } } as never;
  return { ...FINISH, usage: { ...USAGE, raw }, providerMetadata } as Part;
};

/** What the meter is told of one request's end, however it is read. */
async function endOf(
  script: Script,
  read: (stream: ReadableStream<Part>) => Promise<unknown> = readAll,
): Promise<RequestEnd[]> {
  const clock = createVirtualClock();
  const ends: RequestEnd[] = [];
  const meter = costMeter({ started: () => undefined, ended: (_, end) => ends.push(end) });
  const { call } = fakeProvider(clock, { a: { script } });
  await clock.run(
    meter(call)(requestTo('a'))
      .then(({ stream }) => read(stream))
      .catch(() => undefined),
  );
  return ends;
}

async function readAll(stream: ReadableStream<Part>): Promise<void> {
  const reader = stream.getReader();
  while (!(await reader.read()).done);
}

describe('the end of a request has what the provider had said', () => {
  const counted = { inputTokens: { total: 12_000, noCache: 9_000, cacheRead: 2_000, cacheWrite: 1_000 } };
  const opening = messageStart({
    input_tokens: 9_000,
    cache_read_input_tokens: 2_000,
    cache_creation_input_tokens: 1_000,
  });
  test.each<[string, Script, object]>([
    ['a whole reply', [OPENING, textOf('yes'), FINISH], { is: 'whole', usage: USAGE, outputChars: 3 }],
    [
      'its input, when it breaks off',
      [OPENING, opening, textOf('ye'), down],
      { is: 'broken', usage: counted, outputChars: 2 },
    ],
    ['its input, when it is cut', [OPENING, opening, textOf('ye')], { is: 'cut', usage: counted, outputChars: 2 }],
    ['its input, when the finish is empty', [opening, EMPTY_FINISH], { is: 'cut', usage: counted, outputChars: 0 }],
    ['the last count, not the sum', [opening, FINISH], { is: 'whole', usage: USAGE }],
    ['a count after the error', [textOf('ye'), ERROR, FINISH], { is: 'broken', usage: USAGE, error: down }],
    ['an error and nothing more', [textOf('ye'), ERROR], { is: 'broken', usage: null, error: down }],
    [
      'an error, and then the connection is gone',
      [ERROR, new Error('gone')],
      { is: 'broken', usage: null, error: down },
    ],
    ['a count of a reply that was interrupted', [{ ...EMPTY_FINISH, usage: USAGE }], { is: 'cut', usage: USAGE }],
    [
      'reasoning and arguments count as answered',
      [{ type: 'reasoning-delta', id: 'r', delta: 'hmm' }, { type: 'tool-input-delta', id: 'c', delta: '{}' }, down],
      { is: 'broken', outputChars: 5, begun: true },
    ],
    ['what it cost', [priced(0.0002715)], { is: 'whole', costMicros: 272 }],
    ['that it cost nothing', [priced(0)], { costMicros: 0 }],
    [
      'with a key of one’s own, the fee and the bill',
      [priced(0.00001, { costDetails: { upstreamInferenceCost: 0.002 } }, { is_byok: true })],
      { costMicros: 2_010 },
    ],
    [
      'a part of the price is no more of it',
      [priced(0.002, { costDetails: { upstreamInferenceCost: 0.002 } })],
      { costMicros: 2_000 },
    ],
    ['nonsense is no price', [priced('much')], { costMicros: null }],
    ['no usage is not 0', [{ ...FINISH, usage: NO_USAGE } as Part], { is: 'whole', usage: null, costMicros: null }],
    ['metadata without tokens', [messageStart({ input_tokens: null }), down], { usage: null, begun: true }],
    ['nothing', [down], { is: 'broken', usage: null, outputChars: 0, begun: false }],
    ['a beginning without content', [OPENING, ERROR], { is: 'broken', begun: false }],
  ])('%s', async (_, script, end) => {
    const ends = await endOf(script);
    expect(ends).toHaveLength(1);
    expect(ends[0]).toMatchObject(end);
  });

  test('a reader that goes away after an error ends it', async () => {
    const ends = await endOf([textOf('ye'), ERROR, 'hang'], async (stream) => {
      for await (const part of stream) if (part.type === 'error') break;
    });
    expect(ends).toMatchObject([{ is: 'broken', error: down, outputChars: 2 }]);
  });

  test('a reader that stops at the finish, and says nothing, has it ended', async () => {
    const ends = await endOf([ERROR, FINISH, 'hang'], async (stream) => {
      const reader = stream.getReader();
      while ((await reader.read()).value?.type !== 'finish');
    });
    expect(ends).toMatchObject([{ is: 'broken', usage: USAGE }]);
  });

  test('an abort ends also what does not hear it', async () => {
    const ends: RequestEnd[] = [];
    const abort = new AbortController();
    const meter = costMeter({ started: () => undefined, ended: (_, end) => ends.push(end) });
    const deaf = new ReadableStream<Part>({ start: (controller) => controller.enqueue(ERROR) });
    const { stream } = await meter(async () => ({ stream: deaf }))(requestTo('a', { signal: abort.signal }));
    const reader = stream.getReader();
    await reader.read();
    const silence = reader.read();
    abort.abort(new Error('enough'));
    await expect(silence).rejects.toThrow('enough');
    expect(ends).toMatchObject([{ is: 'broken', error: down }]);
  });

  test('an abort ends what says nothing after an error, and a hedge that lost keeps what it had counted', async () => {
    for (const [script, is] of [
      [[opening, textOf('ye'), ERROR, 'hang'], 'broken'],
      [[opening, textOf('ye'), 'hang'], 'lost-hedge'],
    ] as const) {
      const clock = createVirtualClock();
      const ends: RequestEnd[] = [];
      const abort = new AbortController();
      const meter = costMeter({ started: () => undefined, ended: (_, end) => ends.push(end) });
      const { call } = fakeProvider(clock, { a: { script: [...script] } });
      const reading = meter(call)(requestTo('a', { signal: abort.signal })).then(({ stream }) => readAll(stream));
      await clock.run(
        Promise.all([reading.catch(() => undefined), clock.wait(10).then(() => abort.abort(new LostHedge()))]),
      );
      expect(ends).toMatchObject([{ is, usage: counted, outputChars: 2 }]);
    }
  });
});

test('cumulative counts are set, however often they come', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1_000_000), { minLength: 1 }), (counts) => {
      const parts = counts.map(
        (total): Part => ({ ...FINISH, usage: { ...USAGE, inputTokens: { ...USAGE.inputTokens, total } } }) as Part,
      );
      expect(parts.reduce(followRequest, NOTHING_YET).usage?.inputTokens.total).toBe(counts.at(-1));
    }),
  );
});
