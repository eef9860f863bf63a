import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from '../../src/testing/local-server.ts';
import { chunk } from '../faults/model-peer.ts';
import type { RunHandle } from '../../src/client/run-handle.ts';
import { openStreamWorkers } from './stream-rig.ts';

export interface LatencyPlan {
  /** Runs at once. */
  readonly streams: number;
  readonly watchers: number;
  readonly pieces: number;
  readonly pieceMs: number;
  /** Address of the event store. Default: a file. */
  readonly events?: string;
}

interface Spread {
  readonly median: number;
  readonly p95: number;
  readonly max: number;
}

/** Milliseconds between a piece leaving the provider and its coming out at a watcher, in another process than the worker's. */
export interface LatencyFigures extends LatencyPlan {
  readonly firstMs: Spread;
  readonly eachMs: Spread;
  /** Events that hold the pieces of one reply. */
  readonly eventsPerReply: number;
}

/** Plays replies whose pieces say when they were sent, and notes when they are seen. */
export async function measureLatency(plan: LatencyPlan): Promise<LatencyFigures> {
  const provider = await listen(async (_, response) => {
    const send = (data: string) => response.write(`data: ${data}\n\n`);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    // So that the answer is under way before it begins, as with a model that reads first.
    response.flushHeaders();
    await sleep(300);
    for (let piece = 0; piece < plan.pieces; piece++) {
      send(JSON.stringify(chunk({ content: `${performance.now()} ` })));
      await sleep(plan.pieceMs);
    }
    send(JSON.stringify(chunk({}, 'stop')));
    send('[DONE]');
    response.end();
  });
  const rig = await openStreamWorkers(provider.url, plan.events);
  await rig.startWorker();
  try {
    const seen = await Promise.all(
      Array.from({ length: plan.streams }, async (_, at) => {
        const run = await rig.client.start({ agent: 'tester', input: `stream ${at}` });
        return Promise.all(Array.from({ length: plan.watchers }, () => timesOf(run.watch())));
      }),
    );
    const all = seen.flat();
    return {
      ...plan,
      firstMs: spreadOf(all.map(({ latencies }) => latencies[0] ?? Infinity)),
      eachMs: spreadOf(all.flatMap(({ latencies }) => latencies)),
      eventsPerReply: Math.round(all.reduce((sum, { events }) => sum + events, 0) / all.length),
    };
  } finally {
    await rig.close();
    await provider.close();
  }
}

async function timesOf(watching: ReturnType<RunHandle['watch']>) {
  const latencies: number[] = [];
  let events = 0;
  for await (const event of watching) {
    if (event.type !== 'piece') continue;
    events += 1;
    const now = performance.now();
    for (const sent of event.delta.trim().split(' ')) latencies.push(now - Number(sent));
  }
  return { latencies, events };
}

function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN);
  return { median: at(0.5), p95: at(0.95), max: at(1) };
}
