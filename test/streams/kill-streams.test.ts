import { afterEach, expect, test } from '@jest/globals';
import type { RunHandle } from '../../src/client/run-handle.ts';
import type { StoredEvent } from '../../src/contracts/events.ts';
import { followReply, type ReplySoFar } from '../../src/policy/follow-reply.ts';
import { chunk, streamOf } from '../faults/model-peer.ts';
import { eventually } from '../support/eventually.ts';
import { openStreamRig, type StreamRig } from './stream-rig.ts';

let rig: StreamRig | undefined;
afterEach(async () => {
  await rig?.close();
  rig = undefined;
});

const PIECES = 30;
const deltas = Array.from({ length: PIECES }, (_, at) => chunk({ content: `word${at} ` }));
const ANSWER = Array.from({ length: PIECES }, (_, at) => `word${at} `).join('');
const whole = streamOf(...deltas, chunk({}, 'stop'), '[DONE]');

async function watchFrom(run: RunHandle, from: number): Promise<readonly StoredEvent[]> {
  const seen: StoredEvent[] = [];
  for await (const event of run.watch({ from })) seen.push(event);
  return seen;
}

/** What stands on a display after each event. */
function displays(seen: readonly StoredEvent[]): readonly string[] {
  let reply: ReplySoFar | undefined;
  return seen.map((event) => (reply = followReply(reply, event))?.text ?? '');
}

test('a worker killed with -9 at every piece of a reply of thirty: no word is doubled and none is lost', async () => {
  rig = await openStreamRig();
  const { client, peer } = rig;
  const first = await rig.startWorker();
  // One death, met by each run at another piece: it gets so many of its first reply, which then stands still.
  const runs = await Promise.all(
    Array.from({ length: PIECES + 1 }, async (_, pieces) => {
      const input = `cut after ${pieces}`;
      const cut = streamOf(...deltas.slice(0, pieces));
      const still = { ...cut, hang: true, cutAfterBytes: cut.body?.length ?? 0 };
      peer.tell(input, { script: (request) => (request === 1 ? still : whole) });
      const run = await client.start({ agent: 'tester', input });
      return { run, pieces, seen: watchFrom(run, 0) };
    }),
  );
  await eventually('every run at its piece', async () => {
    const shown = await Promise.all(runs.map(({ run }) => textNow(run)));
    return runs.every(({ pieces }, at) => shown[at] === deltas.slice(0, pieces).map(wordOf).join(''));
  });
  await first.kill();
  await rig.startWorker();
  for (const { run, pieces, seen } of runs) {
    const { text } = await run.result();
    expect(text).toBe(ANSWER);
    const events = await seen;
    const last = displays(events).at(-1);
    expect({ pieces, last }).toEqual({ pieces, last: text });
    // At no moment does a display show anything but the beginning of the answer, once.
    expect(displays(events).filter((shown) => !ANSWER.startsWith(shown))).toEqual([]);
    expect(events.filter(({ type }) => type === 'reset')).toHaveLength(pieces === 0 ? 0 : 1);
  }
  // Who reconnects after any event it has seen goes on as if it had never been away.
  for (const { run, seen } of runs.filter(({ pieces }) => pieces % 10 === 7)) {
    const events = await seen;
    for (const { offset } of events) {
      const rest = await watchFrom(run, offset);
      expect([...events.filter((one) => one.offset <= offset), ...rest]).toEqual(events);
    }
  }
}, 120_000);

test('a worker that stood still, and goes on while another answers, puts no word between', async () => {
  rig = await openStreamRig();
  const { client, peer } = rig;
  const first = await rig.startWorker();
  const stale = streamOf(
    ...Array.from({ length: 10 }, (_, at) => chunk({ content: `stale${at} ` })),
    chunk({}, 'stop'),
  );
  const script = (request: number) => (request === 1 ? { ...stale, delayMs: 500 } : { ...whole, pieces: slowly });
  peer.tell('stands still', { script, pieceMs: 100 });
  const run = await client.start({ agent: 'tester', input: 'stands still' });
  const seen = watchFrom(run, 0);
  await eventually('its request', () => peer.arrivals('stands still').length === 1);
  process.kill(first.pid, 'SIGSTOP');
  await rig.startWorker();
  await eventually('the other answer', async () => (await textNow(run)).startsWith('word0'), 90_000);
  process.kill(first.pid, 'SIGCONT');
  expect((await run.result()).text).toBe(ANSWER);
  const shown = displays(await seen);
  expect(shown.at(-1)).toBe(ANSWER);
  expect(shown.filter((text) => text.includes('stale'))).toEqual([]);
}, 150_000);

const slowly = [...deltas, chunk({}, 'stop'), '[DONE]'].map(
  (event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`,
);

const wordOf = (delta: (typeof deltas)[number]): string =>
  (delta.choices[0]?.delta as { readonly content: string }).content;

async function textNow(run: RunHandle): Promise<string> {
  const seen: StoredEvent[] = [];
  for await (const event of run.watch({ signal: AbortSignal.timeout(50) })) seen.push(event);
  return displays(seen).at(-1) ?? '';
}
