import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import type { RunHandle } from '../../src/client/run-handle.ts';
import type { StoredEvent } from '../../src/contracts/events.ts';
import { defineTool } from '../../src/policy/define-tool.ts';
import { followReply, type ReplySoFar } from '../../src/policy/follow-reply.ts';
import { eventually } from '../support/eventually.ts';
import { callChunk, chunk, first, streamOf, type Script } from './model-peer.ts';
import { openModelRig, type ModelRig, type Played } from './model-rig.ts';

let rig: ModelRig;
const noted: string[] = [];
const note = defineTool({
  name: 'note',
  description: 'Notes a text.',
  input: z.object({ text: z.string() }),
  idempotent: true,
  timeout: '5s',
  execute: ({ text }) => {
    noted.push(text);
    return Promise.resolve({ length: text.length });
  },
});
const wipe = defineTool({
  name: 'wipe',
  description: 'Wipes everything.',
  input: z.object({}),
  needsApproval: true,
  timeout: '5s',
  execute: () => Promise.resolve({}),
});
beforeAll(async () => {
  rig = await openModelRig({ tools: [note, wipe], without: ['breaker'], backoff: { base: '20ms', jitter: 'fixed' } });
});
afterAll(() => rig.close());

async function watched(run: RunHandle, from = 0): Promise<readonly StoredEvent[]> {
  const seen: StoredEvent[] = [];
  for await (const event of run.watch({ from })) seen.push(event);
  return seen;
}

const rebuilt = (seen: readonly StoredEvent[]) => seen.reduce<ReplySoFar | undefined>(followReply, undefined);

const shown = (seen: readonly StoredEvent[]): readonly string[] =>
  seen.flatMap((one) => (one.type === 'piece' ? [one.delta] : one.type === 'reset' ? ['reset'] : []));

const words = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => chunk({ content: `w${from + at} ` }));

const TOOL_CALLS = chunk({}, 'tool_calls');
const WHOLE = 'w0 w1 w2 w3 w4 w5 w6 w7 w8 w9 ';
const wholeReply = streamOf(...words(0, 10), chunk({}, 'stop'), '[DONE]');

/** The first reply is this, then all is well. */
const firstThen =
  (fault: ReturnType<typeof streamOf>, rest = wholeReply): Script =>
  (request) =>
    request === 1 ? fault : rest;

async function play(script: Script): Promise<{ readonly played: Played; readonly seen: readonly StoredEvent[] }> {
  const played = await rig.play({ script });
  const watching = watched(played.run);
  expect(await played.run.result()).toMatchObject({ status: 'completed', text: WHOLE });
  return { played, seen: await watching };
}

describe('a stream', () => {
  test('that the peer closes in the middle is no answer: it begins anew, and watchers are told first (D1)', async () => {
    const broken = streamOf(...words(0, 3));
    const { seen, played } = await play(firstThen({ ...broken, cutAfterBytes: broken.body?.length ?? 0 }));
    expect(shown(seen).join('')).toBe(`w0 w1 w2 reset${WHOLE}`);
    expect(rebuilt(seen)).toMatchObject({ text: WHOLE, attempt: 2 });
    expect(played.arrivals()).toHaveLength(2);
  });

  test('that ends without its end mark is no answer; one with a finish reason and no end mark is (D2)', async () => {
    const { played } = await play(firstThen(streamOf(...words(0, 3))));
    expect(played.arrivals()).toHaveLength(2);
    const noMark = await play(() => streamOf(...words(0, 10), chunk({}, 'stop')));
    expect(noMark.played.arrivals()).toHaveLength(1);
  });

  test('that breaks in the middle of arguments makes no call (D3)', async () => {
    const before = noted.length;
    const half = streamOf(callChunk('call_1', 'note', '{"text":"hal'));
    const { seen } = await play(firstThen({ ...half, cutAfterBytes: half.body?.length ?? 0 }));
    expect(noted).toHaveLength(before);
    expect(seen.map(({ type }) => type)).not.toContain('call-planned');
    expect(rebuilt(seen)?.calls).toEqual([]);
  });

  test('that breaks after 128 KiB of arguments is made again, and its call is made once (D4)', async () => {
    const long = JSON.stringify({ text: 'x'.repeat(131_072) });
    const broken = streamOf(callChunk('call_1', 'note', long));
    const asked = streamOf(callChunk('call_2', 'note', long), TOOL_CALLS);
    const script: Script = (request) =>
      request === 1 ? { ...broken, cutAfterBytes: broken.body?.length ?? 0 } : request === 2 ? asked : wholeReply;
    const { seen, played } = await play(script);
    expect(played.arrivals()).toHaveLength(3);
    expect(noted.filter((text) => text.length === 131_072)).toHaveLength(1);
    expect(seen.filter(({ type }) => type === 'call-planned')).toMatchObject([{ call: 't1c0', part: 'call_2' }]);
  });

  test('that fails with an error event leaves no text and no call of it behind (D5)', async () => {
    const broken = streamOf(...words(0, 2), callChunk('call_1', 'note', '{"te'), { error: { message: 'overloaded' } });
    const asked = streamOf(chunk({ content: 'Noting.' }), callChunk('call_2', 'note', '{"text":"ok"}'), TOOL_CALLS);
    const { seen, played } = await play((request) => [broken, asked][request - 1] ?? wholeReply);
    expect(rebuilt(seen)).toMatchObject({ text: WHOLE, calls: [] });
    expect(shown(seen)).toContain('reset');
    expect(saidBefore(played, 3)).toEqual([{ content: 'Noting.', calls: ['call_2'] }]);
  });

  test('is glued to nothing: the answer is the last attempt’s alone (D6)', async () => {
    const fives = streamOf(...words(0, 5));
    const cut = { ...fives, cutAfterBytes: fives.body?.length ?? 0 };
    const asked = streamOf(...words(0, 10), callChunk('call_2', 'note', '{"text":"ok"}'), TOOL_CALLS);
    const { seen, played } = await play((request) => [cut, cut, asked][request - 1] ?? wholeReply);
    const third = seen.filter((one) => 'call' in one && one.call === 't1');
    expect(rebuilt(third)).toMatchObject({ text: WHOLE, attempt: 3, stream: 3 });
    expect(saidBefore(played, 4)).toEqual([{ content: WHOLE, calls: ['call_2'] }]);
  });

  test('whose call somebody would have to allow asks nobody when it breaks, and the pieces of it are void (D7)', async () => {
    const broken = streamOf(...words(0, 2), callChunk('call_1', 'wipe', '{}'));
    const { seen, played } = await play(firstThen({ ...broken, cutAfterBytes: broken.body?.length ?? 0 }));
    const kinds = seen.map(({ type }) => type);
    expect(kinds.indexOf('reset')).toBeGreaterThan(kinds.indexOf('piece'));
    expect(kinds).not.toContain('question-raised');
    expect(await rig.client.questions(played.run.id)).toEqual([]);
  });

  test('that is silent can be stopped within a second or so (D8)', async () => {
    const silent = streamOf(...words(0, 2));
    const { run, arrivals } = await rig.play({
      script: first(1, { ...silent, hang: true, cutAfterBytes: silent.body?.length ?? 0 }),
    });
    await eventually('two words', async () => arrivals().length === 1 && shown(await seenSoFar(run)).length > 0);
    const began = performance.now();
    await run.stop('now');
    expect(await run.result()).toMatchObject({ status: 'stopped' });
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  test('is the same for every watcher, wherever it begins and however slow it is (D9)', async () => {
    const broken = streamOf(...words(0, 4));
    const { played, seen } = await play(firstThen({ ...broken, cutAfterBytes: broken.body?.length ?? 0 }));
    for (const { offset } of seen) {
      const rest = await watched(played.run, offset);
      expect([...seen.filter((one) => one.offset <= offset), ...rest]).toEqual(seen);
    }
    const slow: StoredEvent[] = [];
    for await (const event of played.run.watch()) {
      slow.push(event);
      await new Promise((go) => setTimeout(go, 2));
    }
    expect(slow).toEqual(seen);
  });

  test('is seen from its first word by who asks for the last few events (D10)', async () => {
    const { played, seen } = await play(() => wholeReply);
    for (let last = 1; last <= seen.length + 3; last++) {
      expect([undefined, WHOLE]).toContain(rebuilt(await watched(played.run, -last))?.text);
    }
  });

  test('whose error event comes in two network chunks fails all the same, wherever it is cut (D11)', async () => {
    const event = `data: ${JSON.stringify({ error: { message: 'overloaded', type: 'server_error' } })}\n\n`;
    const opening = streamOf(...words(0, 2)).body ?? '';
    const cuts = [1, 5, 6, 7, 20, event.length - 2, event.length - 1];
    const runs = await Promise.all(
      cuts.map((cut) =>
        rig.play({
          pieceMs: 5,
          script: firstThen({
            ...streamOf(),
            pieces: [opening + event.slice(0, cut), event.slice(cut)],
          }),
        }),
      ),
    );
    for (const { run, arrivals } of runs) {
      expect(await run.result()).toMatchObject({ status: 'completed', text: WHOLE });
      expect(arrivals()).toHaveLength(2);
    }
  });
});

test('cut at any byte, a reply is rebuilt as it is kept, and its call is made once', async () => {
  const asked = streamOf(...words(0, 4), callChunk('call_1', 'note', '{"text":"cut"}'), TOOL_CALLS, '[DONE]');
  const length = Buffer.byteLength(asked.body ?? '');
  const cuts = Array.from({ length: 40 }, (_, at) => Math.floor(((at + Math.random()) / 40) * length));
  const before = noted.filter((text) => text === 'cut').length;
  const runs = await Promise.all(
    cuts.map((cutAfterBytes) => {
      const script: Script = (request) => [{ ...asked, cutAfterBytes }, asked][request - 1] ?? wholeReply;
      return rig.play({ script });
    }),
  );
  for (const [at, { run, arrivals }] of runs.entries()) {
    expect(await run.result()).toMatchObject({ status: 'completed', text: WHOLE });
    const seen = await watched(run);
    const turns = [1, 2].map((turn) => rebuilt(seen.filter((one) => 'turn' in one && one.turn === turn)));
    // Where only the end mark was cut off, the reply is whole.
    const [first] = saidOf(arrivals().at(-1)?.text);
    expect({ cut: cuts[at], text: turns[0]?.text, calls: turns[0]?.calls.length }).toEqual({
      ...{ cut: cuts[at], text: first?.content, calls: first?.calls.length },
    });
    expect(turns[1]?.text ?? turns[0]?.text).toBe(WHOLE);
  }
  expect(noted.filter((text) => text === 'cut')).toHaveLength(before + runs.length);
}, 60_000);

async function seenSoFar(run: RunHandle): Promise<readonly StoredEvent[]> {
  const seen: StoredEvent[] = [];
  const enough = AbortSignal.timeout(100);
  for await (const event of run.watch({ signal: enough })) seen.push(event);
  return seen;
}

/** What the model is given back of its own with its n-th request: the conversation as it is kept. */
const saidBefore = ({ arrivals }: Played, request: number) => saidOf(arrivals()[request - 1]?.text);

function saidOf(text = '{"messages":[]}'): readonly { readonly content: string; readonly calls: readonly string[] }[] {
  const { messages } = JSON.parse(text) as {
    readonly messages: readonly {
      readonly role: string;
      readonly content: string;
      readonly tool_calls?: readonly { readonly id: string }[];
    }[];
  };
  return messages.flatMap(({ role, content, tool_calls: calls = [] }) =>
    role === 'assistant' ? [{ content, calls: calls.map(({ id }) => id) }] : [],
  );
}
