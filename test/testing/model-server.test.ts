import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider';
import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import {
  scriptedModel,
  startModelServer,
  type Answer,
  type Conversation,
  type ModelServerOptions,
  type Rule,
} from '../../src/testing/index.ts';
import { collectStream, gather } from './collect-stream.ts';
import { closeAfterEach } from './close-after-each.ts';
import { waitFor } from './wait-for.ts';

const opened = closeAfterEach();

const prompt: LanguageModelV4Prompt = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: [{ type: 'text', text: 'What is the weather?' }] },
];
const call: LanguageModelV4CallOptions = {
  prompt,
  tools: [{ type: 'function', name: 'weather', inputSchema: { type: 'object', properties: {} } }],
};
const weatherIn = (city: string) => ({ tool: 'weather', input: { city } });

async function serve(options: ModelServerOptions) {
  const server = await opened(startModelServer(options));
  const provider = createOpenAICompatible({ name: 'local', baseURL: server.url, includeUsage: true });
  return { server, model: provider.chatModel('any') };
}

const answering = (answer: Answer) => serve({ decide: () => answer });

describe('through a real provider package the model server', () => {
  it('streams text in pieces, with usage and a finish reason', async () => {
    const { model } = await answering({ text: 'It is sunny, with a little wind.' });
    const parts = await collectStream(model, call);
    expect(gather(parts)).toMatchObject({
      text: 'It is sunny, with a little wind.',
      finishReason: { unified: 'stop', raw: 'stop' },
      usage: { input: 8, output: 8 },
    });
    expect(parts.filter((part) => part.type === 'text-delta').length).toBeGreaterThan(1);
  });

  it('streams one tool call, its arguments in pieces', async () => {
    const { model } = await answering({ text: 'I look.', calls: [weatherIn('Llanfairpwllgwyngyll')] });
    const reply = gather(await collectStream(model, call));
    expect(reply).toMatchObject({
      text: 'I look.',
      calls: [{ id: 'call_0_0', tool: 'weather', input: '{"city":"Llanfairpwllgwyngyll"}' }],
      finishReason: { unified: 'tool-calls', raw: 'tool_calls' },
    });
    expect(reply.deltasOf('call_0_0').length).toBeGreaterThan(1);
  });

  it('streams three parallel tool calls', async () => {
    const { model } = await answering({ calls: ['Oslo', 'Rome', 'Paris'].map(weatherIn) });
    expect(gather(await collectStream(model, call)).calls).toEqual([
      { id: 'call_0_0', tool: 'weather', input: '{"city":"Oslo"}' },
      { id: 'call_0_1', tool: 'weather', input: '{"city":"Rome"}' },
      { id: 'call_0_2', tool: 'weather', input: '{"city":"Paris"}' },
    ]);
  });

  it('refuses a transcript whose call has no result, and says so', async () => {
    const { model } = await answering({ text: 'never' });
    const orphan = { type: 'tool-call' as const, toolCallId: 'a', toolName: 'weather', input: {} };
    const refused = collectStream(model, { prompt: [...prompt, { role: 'assistant', content: [orphan] }] });
    await expect(refused).rejects.toMatchObject({
      statusCode: 400,
      isRetryable: false,
      message: expect.stringContaining('tool calls without a result: a'),
    });
  });
});

const talk: LanguageModelV4Prompt = [
  ...prompt,
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'I look.' },
      { type: 'tool-call', toolCallId: 'a', toolName: 'weather', input: { city: 'Oslo' } },
      { type: 'tool-call', toolCallId: 'b', toolName: 'weather', input: { city: 'Rome' } },
    ],
  },
  {
    role: 'tool',
    content: [
      { type: 'tool-result', toolCallId: 'b', toolName: 'weather', output: { type: 'json', value: { sun: null } } },
      { type: 'tool-result', toolCallId: 'a', toolName: 'weather', output: { type: 'error-text', value: 'no idea' } },
    ],
  },
];

test.each(['through the server', 'in process'])('a rule sees what was called and what came back, %s', async (where) => {
  const seen: Conversation[] = [];
  const decide: Rule = (conversation) => {
    seen.push(conversation);
    return { text: 'ok' };
  };
  const model = where === 'in process' ? scriptedModel(decide) : (await serve({ decide })).model;
  await model.doGenerate({ ...call, prompt: talk });
  expect(seen).toEqual([
    {
      system: 'Be brief.',
      user: 'What is the weather?',
      tools: ['weather'],
      results: [
        { tool: 'weather', input: { city: 'Rome' }, reply: { sun: null } },
        { tool: 'weather', input: { city: 'Oslo' }, reply: 'no idea' },
      ],
      turn: 1,
    },
  ]);
});

const answers: fc.Arbitrary<Answer> = fc.oneof(
  fc.record({ text: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }) }),
  fc.record({
    calls: fc.array(fc.record({ tool: fc.constant('weather'), input: fc.dictionary(fc.string(), fc.json()) }), {
      minLength: 1,
      maxLength: 3,
    }),
  }),
);

describe('whatever the rule answers', () => {
  it('is the same streamed, not streamed and in process', async () => {
    const next: { answer: Answer } = { answer: { text: '' } };
    const { model } = await serve({ decide: () => next.answer });
    await fc.assert(
      fc.asyncProperty(answers, async (answer) => {
        next.answer = answer;
        const streamed = gather(await collectStream(model, call));
        const inProcess = gather(
          await collectStream(
            scriptedModel(() => answer),
            call,
          ),
        );
        const { content, usage, finishReason } = await model.doGenerate(call);
        expect(inProcess).toEqual({ ...streamed, deltasOf: expect.anything() });
        expect({ finishReason, output: usage.outputTokens.total }).toEqual({
          finishReason: streamed.finishReason,
          output: streamed.usage.output,
        });
        expect(content.flatMap((part) => (part.type === 'tool-call' ? [part.input] : []))).toEqual(
          streamed.calls.map(({ input }) => input),
        );
        for (const { id, input } of streamed.calls) expect(streamed.deltasOf(id).join('')).toBe(input);
      }),
      { numRuns: 50 },
    );
  });
});

describe('a fault', () => {
  it('of 429 comes with its retry-after, once, and the next request is answered', async () => {
    const faults = [{ request: 1, status: 429, headers: { 'retry-after': '7' } }];
    const { server, model } = await serve({ decide: () => ({ text: 'ok' }), faults });
    await expect(collectStream(model, call)).rejects.toMatchObject({
      statusCode: 429,
      isRetryable: true,
      responseHeaders: { 'retry-after': '7' },
    });
    expect(gather(await collectStream(model, call)).text).toBe('ok');
    expect(server.requests().map(({ number }) => number)).toEqual([1, 2]);
  });

  it('that cuts the stream leaves no finish part with a reason', async () => {
    const text = 'A long answer that will not come to its end.';
    const { model } = await serve({ decide: () => ({ text }), faults: [{ request: 1, cutAfterBytes: 400 }] });
    await expect(collectStream(model, call)).rejects.toThrow();
  });

  it('that hangs lasts until the caller gives up', async () => {
    const { server, model } = await serve({ decide: () => ({ text: 'never' }), faults: [{ request: 1, hang: true }] });
    const caller = new AbortController();
    const ended = expect(collectStream(model, { ...call, abortSignal: caller.signal })).rejects.toBe('enough');
    await waitFor(server.requests, ({ length }) => length === 1);
    caller.abort('enough');
    await ended;
  });

  it('that hangs in mid-stream comes after the pieces before it', async () => {
    const text = 'The beginning of an answer.';
    const faults = [{ request: 1, hang: true, cutAfterBytes: 500 }];
    const { model } = await serve({ decide: () => ({ text }), faults });
    const caller = new AbortController();
    const { stream } = await model.doStream({ ...call, abortSignal: caller.signal });
    const seen: string[] = [];
    const read = (async () => {
      for await (const part of stream) {
        seen.push(part.type);
        if (part.type === 'text-delta') caller.abort('enough');
      }
    })();
    await expect(read).rejects.toThrow();
    expect(seen).toContain('text-delta');
    expect(seen).not.toContain('finish');
  });
});

describe('the model server', () => {
  test.each([
    ['no JSON', 'nonsense', 'body'],
    ['no model', '{"messages":[]}', 'model'],
    ['a strange role', '{"model":"m","messages":[{"role":"king","content":"x"}]}', 'messages[0].role'],
    [
      'a tool without a schema',
      '{"model":"m","messages":[],"tools":[{"type":"function","function":{"name":"a"}}]}',
      'tools[0].function.parameters',
    ],
    [
      'arguments that are not text',
      '{"model":"m","messages":[{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"x","arguments":{}}}]}]}',
      'messages[0].tool_calls[0].function.arguments',
    ],
  ])('answers 400 and names the part for %s', async (_, body, param) => {
    const { server } = await answering({ text: 'never' });
    const response = await fetch(`${server.url}/chat/completions`, { method: 'POST', body });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error', param } });
  });

  it('says which port is taken', async () => {
    const { server } = await answering({ text: 'first' });
    const port = Number(new URL(server.url).port);
    await expect(startModelServer({ decide: () => ({ text: 'second' }), port })).rejects.toThrow(`127.0.0.1:${port}`);
  });
});
