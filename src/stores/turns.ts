import { setTimeout } from 'node:timers/promises';

/** Runs what it is given one after the other, in the order it came. A failed one does not stop the next. */
export type Turns = <T>(work: () => Promise<T>) => Promise<T>;

/** `restMs`: how long nobody's turn it is between two. A caller has its answer before the rest. */
export function makeTurns(restMs = 0): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    const over = mine.catch(() => undefined);
    last = restMs === 0 ? over : over.then(() => setTimeout(restMs));
    return mine;
  };
}
