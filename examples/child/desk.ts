import type { OutcomeUnknown } from 'holdfast/workflow';

/** Activities of your own. They run in the same worker as Holdfast's. */
export interface DeskActivities {
  /** Tells the people at the desk of a call in doubt. */
  tellDesk(unknown: OutcomeUnknown): Promise<void>;
}

/** A desk that hears of doubts. */
export interface Desk extends DeskActivities {
  readonly firstDoubt: Promise<OutcomeUnknown>;
}

export function openDesk(): Desk {
  const { promise, resolve } = Promise.withResolvers<OutcomeUnknown>();
  return {
    firstDoubt: promise,
    tellDesk: async (unknown) => {
      resolve(unknown);
    },
  };
}
