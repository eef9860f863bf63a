import { contentionWaitMs, type ContentionWait, type WaitSetting } from './contention-waits.ts';
import { createEventQueue } from './event-queue.ts';
import { seededDice } from './seeded-dice.ts';

export interface CrowdSetting {
  readonly clients: number;
  /** Requests admitted in each window; the rest is refused at once. */
  readonly admit: number;
  readonly windowMs: number;
  readonly waits: WaitSetting;
}

export interface CrowdResult {
  readonly requestsPerClient: number;
  /** When the last client was admitted. */
  readonly endedMs: number;
}

/** Everybody asks a provider at once, which admits a few at a time, and comes back until it is admitted. Virtual time. */
export function playCrowd(
  wait: ContentionWait,
  { clients, admit, windowMs, waits }: CrowdSetting,
  seed: number,
): CrowdResult {
  const dice = seededDice(seed);
  const queue = createEventQueue<{ readonly retry: number; readonly previousMs: number }>();
  for (let client = 0; client < clients; client++) queue.push(0, { retry: 0, previousMs: waits.baseMs });
  let window = { number: 0, admitted: 0 };
  let [requests, endedMs] = [0, 0];
  for (let next = queue.pop(); next; next = queue.pop()) {
    const { at, event } = next;
    requests += 1;
    // A hair more than the moment: sums of tenths do not always reach the edge of a window.
    const number = Math.floor((at + 1e-6) / windowMs);
    if (number !== window.number) window = { number, admitted: 0 };
    if (window.admitted < admit) {
      window.admitted += 1;
      endedMs = at;
      continue;
    }
    const retry = event.retry + 1;
    const waitMs = contentionWaitMs(wait, waits, { retry, dice: dice(), previousMs: event.previousMs });
    queue.push(at + waitMs, { retry, previousMs: waitMs });
  }
  return { requestsPerClient: requests / clients, endedMs };
}
