import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 20;

/** Looks until `holds` answers with something, then returns it; undefined when the deadline passes or `signal` fires first. */
export async function waitUntil<Answer>(
  holds: () => Promise<Answer | undefined | false>,
  limits: { readonly withinMs: number; readonly signal?: AbortSignal },
): Promise<Answer | undefined> {
  const deadline = performance.now() + limits.withinMs;
  while (performance.now() < deadline && !limits.signal?.aborted) {
    const answer = await holds();
    if (answer !== undefined && answer !== false) return answer;
    await sleep(LOOK_EVERY_MS);
  }
  return undefined;
}
