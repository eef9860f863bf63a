import type { AbandonedBodies } from '../activities/ports.ts';

interface Body {
  readonly running: Promise<unknown>;
  readonly end: (reason: string) => void;
}

export interface AbandonedBodyKeeper extends AbandonedBodies {
  readonly size: number;
  /** Waits until all have ended, at most `graceMs`; those left are asked to end. */
  drain(graceMs: number): Promise<void>;
}

/** A worker keeps so many at most: the oldest is asked to end when another one comes. */
const MOST = 100;

/** Keeps bodies whose run no longer waits for them, so that their late news can be recorded. One per worker. */
export function keepAbandonedBodies(most = MOST): AbandonedBodyKeeper {
  const bodies = new Set<Body>();
  return {
    get size() {
      return bodies.size;
    },
    keep(running, end) {
      const [oldest] = bodies;
      if (bodies.size >= most) oldest?.end('The worker waits for too many calls already.');
      const body = { running, end };
      bodies.add(body);
      void running.finally(() => bodies.delete(body));
    },
    async drain(graceMs) {
      if (bodies.size === 0) return;
      let timer: NodeJS.Timeout | undefined;
      const patience = new Promise((resolve) => {
        timer = setTimeout(resolve, graceMs);
      });
      await Promise.race([Promise.allSettled([...bodies].map(({ running }) => running)), patience]);
      clearTimeout(timer);
      for (const { end } of bodies) end('The worker stops.');
    },
  };
}
