import { contentionWaitMs, type ContentionWait, type WaitSetting } from './contention-waits.ts';
import { createEventQueue } from './event-queue.ts';
import { seededDice } from './seeded-dice.ts';

export interface RowSetting {
  readonly clients: number;
  /** One way through the network: normally distributed, its absolute value taken. */
  readonly networkMs: { readonly mean: number; readonly deviation: number };
  readonly waits: WaitSetting;
}

type Step =
  | { readonly is: 'read'; readonly retry: number; readonly previousMs: number }
  | { readonly is: 'write'; readonly retry: number; readonly previousMs: number; readonly version: number };

/**
 * The model of AWS' "Exponential Backoff and Jitter": each client reads the version of one row and writes it back, which
 * succeeds only if nobody wrote in between; who fails reads again after a wait. Virtual time. Returns the number of writes.
 */
export function playRow(wait: ContentionWait, { clients, networkMs, waits }: RowSetting, seed: number): number {
  const dice = seededDice(seed);
  const oneWayMs = () => Math.abs(networkMs.mean + networkMs.deviation * normal(dice));
  const queue = createEventQueue<Step>();
  for (let client = 0; client < clients; client++) {
    queue.push(oneWayMs(), { is: 'read', retry: 0, previousMs: waits.baseMs });
  }
  let [version, writes] = [0, 0];
  for (let next = queue.pop(); next; next = queue.pop()) {
    const { at, event } = next;
    if (event.is === 'read') {
      queue.push(at + oneWayMs() + oneWayMs(), { ...event, is: 'write', version });
      continue;
    }
    writes += 1;
    if (event.version === version) {
      version += 1;
      continue;
    }
    const retry = event.retry + 1;
    const waitMs = contentionWaitMs(wait, waits, { retry, dice: dice(), previousMs: event.previousMs });
    queue.push(at + oneWayMs() + oneWayMs() + waitMs, { is: 'read', retry, previousMs: waitMs });
  }
  return writes;
}

/** Box and Muller's normal distribution. */
function normal(dice: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - dice())) * Math.cos(2 * Math.PI * dice());
}
