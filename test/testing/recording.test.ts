import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4, LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import type { Json } from '../../src/contracts/json.ts';
import { defineAgent } from '../../src/policy/define-agent.ts';
import { defineTool } from '../../src/policy/define-tool.ts';
import { hideSecrets, hideSecretsIn } from '../../src/testing/hide-secrets.ts';
import {
  createRecorder,
  NotRecorded,
  readRecording,
  recordModel,
  recordModelCalls,
  replayAgent,
  replayModel,
  runTool,
  scriptedModel,
  startModelServer,
  startReplayServer,
  type Answer,
  type Recorder,
  type Recording,
  type Rule,
} from '../../src/testing/index.ts';
import { closeAfterEach } from './close-after-each.ts';
import { collectStream, gather } from './collect-stream.ts';

const opened = closeAfterEach();

const lookUp = defineTool({
  name: 'look_up',
  description: 'Looks an order up.',
  input: z.object({ order: z.string() }),
  readOnly: true,
  timeout: '5s',
  execute: () => Promise.resolve(null),
});
const refund = defineTool({
  name: 'refund',
  description: 'Refunds an order.',
  input: z.object({ order: z.string() }),
  idempotent: 'by-key',
  timeout: '7s',
  execute: () => Promise.resolve(null),
});
const agent = defineAgent({ name: 'support', instructions: 'Be kind.', model: 'any/any', tools: [lookUp, refund] });

const tools = agent.tools.map(({ name, description, inputJsonSchema }) => {
  return { type: 'function' as const, name, description, inputSchema: inputJsonSchema };
});

/** Plays a conversation to its end as an agent would, with these answers of the tools in turn. Returns what was said last. */
async function converse(model: LanguageModelV4, input: string, replies: readonly Json[]): Promise<string> {
  let prompt: LanguageModelV4Prompt = [
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content: [{ type: 'text', text: input }] },
  ];
  for (let told = 0; ;) {
    const { text, calls } = gather(await collectStream(model, { prompt, tools }));
    if (calls.length === 0) return text;
    const asked: LanguageModelV4Message = {
      role: 'assistant',
      content: [
        ...(text === '' ? [] : [{ type: 'text' as const, text }]),
        ...calls.map(({ id, tool, input: args }) => {
          return { type: 'tool-call' as const, toolCallId: id, toolName: tool, input: JSON.parse(args) as unknown };
        }),
      ],
    };
    const answered: LanguageModelV4Message = {
      role: 'tool',
      content: calls.map(({ id, tool }) => {
        const output = { type: 'json' as const, value: (replies[told++] ?? null) as never };
        return { type: 'tool-result' as const, toolCallId: id, toolName: tool, output };
      }),
    };
    prompt = [...prompt, asked, answered];
  }
}

const story: Rule = ({ turn, results }) => {
  if (turn === 0) return { text: 'I look.', calls: [{ tool: 'look_up', input: { order: 'A-1' } }] };
  if (turn === 1) return { calls: [{ tool: 'refund', input: { order: 'A-1' } }] };
  return { text: `Refunded: ${JSON.stringify(results.at(-1)?.reply)}` };
};
const REPLIES: readonly Json[] = [
  { status: 'ok', data: { order: 'A-1', cents: 4900 } },
  { status: 'ok', data: { id: 're_1' } },
];

async function overTheWire(decide: Rule): Promise<LanguageModelV4> {
  const { url } = await opened(startModelServer({ decide }));
  return createOpenAICompatible({ name: 'local', baseURL: url, includeUsage: true }).chatModel('stand-in');
}

/** As it would be read from a file. */
const kept = (recorder: Recorder): Recording => readRecording(JSON.parse(JSON.stringify(recorder.recording())), 'it');

async function record(model: LanguageModelV4, input = 'Refund A-1.', replies: readonly Json[] = REPLIES) {
  const recorder = createRecorder({ agent });
  const text = await converse(recordModel(model, recorder.sink), input, replies);
  return { recording: kept(recorder), text };
}

describe('a recording', () => {
  it('holds the tools with their flags, the input, the replies and what the tools answered', async () => {
    const { recording } = await record(await overTheWire(story));
    expect(recording).toMatchObject({
      format: 'holdfast-recording/1',
      agent: 'support',
      model: 'stand-in',
      input: 'Refund A-1.',
      tools: [
        { name: 'look_up', effect: 'read-only', timeoutMs: 5_000 },
        { name: 'refund', effect: 'by-key', timeoutMs: 7_000 },
      ],
      replies: [{ turn: 0 }, { turn: 1 }, { turn: 2 }],
      toolReplies: [
        { tool: 'look_up', reply: REPLIES[0] },
        { tool: 'refund', reply: REPLIES[1] },
      ],
    });
    expect(JSON.stringify(recording)).not.toContain('Be kind.');
  });

  it('is replayed in process and over the wire, and says the same', async () => {
    const { recording, text } = await record(await overTheWire(story));
    expect(await converse(replayModel(recording), recording.input, REPLIES)).toBe(text);
    const server = await opened(startReplayServer({ recording }));
    const model = createOpenAICompatible({ name: 'local', baseURL: server.url, includeUsage: true }).chatModel('x');
    expect(await converse(model, recording.input, REPLIES)).toBe(text);
  });

  it('gives the same reply each time it is asked for', async () => {
    const { recording } = await record(scriptedModel(story));
    const model = replayModel(recording);
    const prompt: LanguageModelV4Prompt = [{ role: 'user', content: [{ type: 'text', text: 'Refund A-1.' }] }];
    const ask = async () => gather(await collectStream(model, { prompt })).text;
    expect([await ask(), await ask()]).toEqual(['I look.', 'I look.']);
  });

  it('keeps the time of each piece, and is replayed in that time or faster', async () => {
    const recorder = createRecorder({ agent });
    const slow = recordModel(scriptedModel(story, { delayMs: 60 }), recorder.sink);
    await converse(slow, 'Refund A-1.', REPLIES);
    const recording = kept(recorder);
    expect(recording.replies[0]?.parts[0]?.afterMs).toBeGreaterThanOrEqual(55);
    const took = async (speed: number) => {
      const began = performance.now();
      await converse(replayModel(recording, { speed }), 'Refund A-1.', REPLIES);
      return performance.now() - began;
    };
    expect(await took(1)).toBeGreaterThan(150);
    expect(await took(Infinity)).toBeLessThan(100);
  });

  it('has no reply of which the end did not come', async () => {
    const recorder = createRecorder({ agent });
    const { url } = await opened(
      startModelServer({ decide: () => ({ text: 'A long answer.' }), faults: [{ request: 1, cutAfterBytes: 400 }] }),
    );
    const model = createOpenAICompatible({ name: 'local', baseURL: url, includeUsage: true }).chatModel('stand-in');
    await converse(recordModel(model, recorder.sink), 'Hello.', []).catch(() => undefined);
    expect(() => recorder.recording()).toThrow('Nothing was recorded for agent "support"');
  });

  it('can be made by middleware, and without streams', async () => {
    const recorder = createRecorder({ agent });
    const model = recordModel(scriptedModel(story), recorder.sink);
    const prompt: LanguageModelV4Prompt = [{ role: 'user', content: [{ type: 'text', text: 'Refund A-1.' }] }];
    await model.doGenerate({ prompt, tools });
    const other = createRecorder({ agent });
    const call = recordModelCalls(other.sink)(async ({ options }) => scriptedModel(story).doStream(options));
    const { stream } = await call({
      options: { prompt, tools },
      target: { account: 'a', model: 'scripted' },
    } as unknown as Parameters<typeof call>[0]);
    for await (const part of stream) expect(part).toBeDefined();
    const said = (recording: Recording) => gather(recording.replies[0]?.parts.map(({ part }) => part) ?? []);
    expect(said(kept(recorder)).text).toBe('I look.');
    expect(said(kept(other)).calls).toEqual(said(kept(recorder)).calls);
  });
});

describe('a conversation that has left its recording', () => {
  it('is refused in process with where it has', async () => {
    const { recording } = await record(scriptedModel(story));
    const model = replayModel(recording);
    const ended = converse(model, 'Refund B-2.', REPLIES);
    await expect(ended).rejects.toThrow(NotRecorded);
    await expect(ended).rejects.toMatchObject({
      isRetryable: false,
      message: expect.stringContaining('after 0 replies'),
    });
    const other = [{ status: 'ok', data: { order: 'A-1', cents: 1 } }];
    await expect(converse(model, recording.input, other)).rejects.toThrow(
      'after 1 replies, last a message of role tool',
    );
  });

  it('gets a 400 over the wire', async () => {
    const { recording } = await record(scriptedModel(story));
    const server = await opened(startReplayServer({ recording }));
    const model = createOpenAICompatible({ name: 'local', baseURL: server.url }).chatModel('x');
    await expect(converse(model, 'Refund B-2.', [])).rejects.toMatchObject({
      statusCode: 400,
      message: expect.stringContaining('has none for this conversation'),
    });
  });
});

const KEY = 'sk-proj-abcdefghijklmnop1234';
const SECRETS: readonly string[] = [
  KEY,
  'ghp_16C7e42F292c6912E7710c838347Ae178B4a',
  'Bearer abcdef0123456789',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.s5cGh1Qx',
  'AKIAIOSFODNN7EXAMPLE',
  '4111 1111 1111 1111',
  '-----BEGIN PRIVATE KEY-----\nMIIBVgIBADANBg\n-----END PRIVATE KEY-----',
  'AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY',
  'hf_abcdefghijklmnopqrstuvwxyz',
  'gsk_abcdefghijklmnop1234',
  'github_pat_11ABCDEFG0abcdefghijkl',
  'glpat-abcdefghijklmnopqrst',
];

describe('secrets', () => {
  it.each(SECRETS)('are not in a recording, wherever they stood: %s', async (secret) => {
    const leak: Rule = ({ turn }) =>
      turn === 0
        ? {
            text: `The key is ${secret}, I think.`,
            calls: [{ tool: 'look_up', input: { order: secret, token: 'x9' } }],
          }
        : { text: `Told ${secret}.` };
    const replies = [{ status: 'ok', data: { note: secret, password: 'hunter2' } }];
    const { recording } = await record(await overTheWire(leak), `Mine is ${secret}!`, replies);
    const text = JSON.stringify(recording);
    for (const line of secret.split('\n')) expect(text).not.toContain(line);
    expect(text).not.toContain('hunter2');
    expect(text).not.toContain('x9');
    // What is left is still a conversation that can be replayed.
    const cleaned = recording.toolReplies.map(({ reply }) => reply);
    expect(await converse(replayModel(recording), recording.input, cleaned)).toContain('REDACTED');
  });

  it('that only you know are hidden by your own rule', async () => {
    const recorder = createRecorder({ agent, redact: (text) => text.replaceAll('A-1', 'N-0') });
    await converse(recordModel(scriptedModel(story), recorder.sink), 'Refund A-1.', REPLIES);
    const recording = kept(recorder);
    expect(JSON.stringify(recording)).not.toContain('A-1');
    const cleaned = recording.toolReplies.map(({ reply }) => reply);
    expect(await converse(replayModel(recording), recording.input, cleaned)).toContain('re_1');
  });

  it.each([
    ['x-api-key: abcdef0123456789', 'x-api-key: [REDACTED:named]'],
    ['Authorization: Token abcdef0123456789', 'Authorization: [REDACTED:named]'],
    ['password=hunter2hunter2', 'password=[REDACTED:named]'],
    ['it says "apiKey": "abc def"', 'it says "apiKey": "[REDACTED:named]"'],
  ])('of a name in a text are hidden: %s', (text, hidden) => {
    expect(hideSecrets(text)).toBe(hidden);
    expect(hideSecrets(hidden)).toBe(hidden);
  });

  it('of a field are hidden by its name, and card numbers that are numbers too', () => {
    const named = { 'x-api-key': 'a', userPassword: 'b', sessionToken: 'c', aws_secret_access_key: 'd', pass: 'e' };
    const cleaned = hideSecretsIn({ ...named, card: 4111111111111111, cards: [378282246310005], count: 4096 });
    const hidden = Object.fromEntries(Object.keys(named).map((name) => [name, '[REDACTED:name]']));
    expect(cleaned).toEqual({ ...hidden, card: '[REDACTED:card]', cards: ['[REDACTED:card]'], count: 4096 });
    const plain = {
      tokens: 5,
      max_tokens: 4096,
      tokenCount: 7,
      token: null,
      at: 1791194400000,
      micros: 1791194400000005,
    };
    expect(hideSecretsIn(plain)).toEqual(plain);
  });

  it('hidden once are not hidden again, and nothing else is touched', () => {
    const value = fc.json().map((text) => JSON.parse(text) as Json);
    fc.assert(
      fc.property(value, fc.constantFrom(...SECRETS), (json, secret) => {
        const once = hideSecretsIn([json, { note: `a ${secret} b`, apiKey: secret }]);
        expect(hideSecretsIn(once)).toEqual(once);
      }),
    );
    for (const text of ['order A-1042', '4111 1111 1111 1112', 'the token ran out', 'desk-lamp-with-shade', 'tasks_1'])
      expect(hideSecrets(text)).toBe(text);
  });
});

const answers: fc.Arbitrary<Answer> = fc.oneof(
  fc.record({ text: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }) }),
  fc.record({
    text: fc.string({ maxLength: 20 }),
    calls: fc.array(
      fc.record({ tool: fc.constantFrom('look_up', 'refund'), input: fc.dictionary(fc.string(), fc.json()) }),
      { minLength: 1, maxLength: 3 },
    ),
  }),
);

test('whatever a model says, its replay says it too', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(answers, { maxLength: 3 }),
      fc.array(fc.json(), { maxLength: 9 }),
      async (said, texts) => {
        const replies = texts.map((text) => ({ status: 'ok', data: JSON.parse(text) as Json }));
        const decide: Rule = ({ turn }) => said[turn] ?? { text: 'The end.' };
        const { recording, text } = await record(scriptedModel(decide), 'Go.', replies);
        const cleaned = recording.toolReplies.map(({ reply }) => reply);
        expect(await converse(replayModel(recording, { speed: Infinity }), 'Go.', cleaned)).toBe(hideSecrets(text));
      },
    ),
    { numRuns: 60 },
  );
});

describe('a replayed agent', () => {
  it('has the tools of the recording, which answer as they did', async () => {
    const { recording } = await record(scriptedModel(story));
    const replayed = replayAgent(recording, replayModel(recording));
    expect(replayed.tools.map(({ name, effect, timeoutMs }) => [name, effect, timeoutMs])).toEqual([
      ['look_up', 'read-only', 5_000],
      ['refund', 'by-key', 7_000],
    ]);
    const [look] = replayed.tools;
    if (!look) throw new Error('no tool');
    expect(await runTool(look, { order: 'A-1' })).toMatchObject({ order: 'A-1', cents: 4900 });
    await expect(runTool(look, { order: 'B-2' })).rejects.toThrow('no call of look_up with these arguments');
  });

  it('says no where the tool said no', async () => {
    const { recording } = await record(scriptedModel(story), 'Refund A-1.', [
      { status: 'failed', message: 'No such order.' },
    ]);
    const [look] = replayAgent(recording, replayModel(recording)).tools;
    if (!look) throw new Error('no tool');
    await expect(runTool(look, { order: 'A-1' })).rejects.toMatchObject({ name: 'ToolRefused' });
  });

  it.each(['pending', 'blocked', 'unavailable'])('is refused when a call was answered %s', async (status) => {
    const { recording } = await record(scriptedModel(story), 'Refund A-1.', [{ status }]);
    expect(() => replayAgent(recording, replayModel(recording))).toThrow(`answered "${status}"`);
  });
});

test.each<[unknown, string]>([
  [[], 'it holds no JSON object'],
  [{}, 'its format is undefined'],
  [{ format: 'holdfast-recording/1' }, 'agent is no text'],
  [{ format: 'holdfast-recording/1', agent: 'a', model: 'm', input: 'i', tools: [1] }, 'tools is no list of objects'],
  [
    { format: 'holdfast-recording/1', agent: 'a', model: 'm', input: '', tools: [], replies: [{}], toolReplies: [] },
    'replies[0] has no finish part',
  ],
])('what is no recording is refused: %j', (value, message) => {
  expect(() => readRecording(value, 'run.json')).toThrow(`run.json is no recording that can be replayed: ${message}`);
});
