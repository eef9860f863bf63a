import type { LanguageModelV4CallOptions, LanguageModelV4Message } from '@ai-sdk/provider';
import { describe, expect, it } from '@jest/globals';
import { BadTranscript, scriptedModel, type Rule } from '../../src/testing/index.ts';
import { collectStream, gather } from './collect-stream.ts';

const user: LanguageModelV4Message = { role: 'user', content: [{ type: 'text', text: 'Hello there.' }] };
const echo: Rule = ({ user: words, turn }) => ({ text: `${turn}: ${words}` });

describe('a scripted model', () => {
  it('ends its stream with a reason and usage from the sizes of the texts', async () => {
    const parts = await collectStream(scriptedModel(echo), { prompt: [user] });
    expect(parts.at(-1)).toMatchObject({
      type: 'finish',
      finishReason: { unified: 'stop', raw: 'stop' },
      usage: { inputTokens: { total: 3 }, outputTokens: { total: 4 } },
    });
    expect(gather(parts).text).toBe('0: Hello there.');
  });

  it('gives every call of a conversation its own id', async () => {
    const model = scriptedModel(() => ({ calls: [{ tool: 'look', input: { at: 'x' } }] }));
    const first = gather(await collectStream(model, { prompt: [user] })).calls[0];
    const answered: LanguageModelV4Message[] = [
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: first?.id ?? '', toolName: 'look', input: {} }] },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: first?.id ?? '', toolName: 'look', output: { type: 'text', value: 'ok' } },
        ],
      },
    ];
    const second = gather(await collectStream(model, { prompt: [user, ...answered] })).calls[0];
    expect(second?.id).not.toBe(first?.id);
  });

  it('answers the same conversation the same way each time', async () => {
    const model = scriptedModel(echo);
    const [first, second] = [await model.doGenerate({ prompt: [user] }), await model.doGenerate({ prompt: [user] })];
    expect({ ...second, response: undefined }).toEqual({ ...first, response: undefined });
  });

  it('refuses a transcript that a strict provider would refuse', async () => {
    const prompt: LanguageModelV4Message[] = [
      user,
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'look', input: {} }] },
      user,
    ];
    await expect(scriptedModel(echo).doStream({ prompt })).rejects.toBeInstanceOf(BadTranscript);
  });

  it('stops thinking with the reason of the caller', async () => {
    const caller = new AbortController();
    const seen: LanguageModelV4CallOptions[] = [];
    const model = scriptedModel(echo, { delayMs: 60_000, onCall: (options) => void seen.push(options) });
    const ended = expect(model.doStream({ prompt: [user], abortSignal: caller.signal })).rejects.toBe('deadline');
    caller.abort('deadline');
    await ended;
    expect(seen).toHaveLength(1);
  });

  it('takes its time for each part, and none once the caller has left', async () => {
    const model = scriptedModel(echo, { partMs: 5 });
    const began = performance.now();
    const parts = await collectStream(model, { prompt: [user] });
    expect(performance.now() - began).toBeGreaterThan(5 * parts.length - 5);
    const caller = new AbortController();
    const slow = scriptedModel(echo, { partMs: 60_000 });
    const ended = expect(collectStream(slow, { prompt: [user], abortSignal: caller.signal })).rejects.toBe('left');
    setTimeout(() => caller.abort('left'), 20);
    await ended;
  });
});
