import type { Boundary } from './sweep-case.ts';
import type { GoOn, Reached } from './worker-options.ts';

/** Announces a boundary to the sweep and waits there until told to go on, or killed. */
export type Hold = (boundary: Boundary) => Promise<void>;

/** Only the boundaries the worker was armed with hold; each of them once, unless the sweep says to stay. */
export function openHolds(armed: readonly Boundary[]): Hold {
  const holding = new Set(armed);
  const waiting = new Map<Boundary, () => void>();
  process.on('message', ({ go, stay }: GoOn) => {
    if (!stay) holding.delete(go);
    waiting.get(go)?.();
    waiting.delete(go);
  });
  return (boundary) => {
    if (!holding.has(boundary) || waiting.has(boundary)) return Promise.resolve();
    return new Promise((resolve) => {
      waiting.set(boundary, resolve);
      process.send?.({ reached: boundary } satisfies Reached);
    });
  };
}
