import { AsyncLocalStorage } from 'node:async_hooks';
import type { RunIdentity } from '../contracts/requests.ts';

const identities = new AsyncLocalStorage<Partial<RunIdentity>>();

/** Activities that remember for whom they work, so that whatever is logged on the way can say so. */
export function rememberRuns<Activities extends Readonly<Record<string, (request: never) => unknown>>>(
  activities: Activities,
): Activities {
  const remembering = Object.entries(activities).map(([name, activity]) => {
    // Each gets its own request back, whatever that is beside an identity.
    const run = (request: Partial<RunIdentity>) => identities.run(request, () => activity(request as never));
    return [name, run];
  });
  // The same functions under the same names.
  return Object.fromEntries(remembering) as Activities;
}

/** Of the activity that is at work here; empty outside of one. */
export const runIdentity = (): Partial<RunIdentity> => identities.getStore() ?? {};
