import type { CustomSlotSupplier, SlotInfo, WorkerOptions } from '@temporalio/worker';
import type { Hold } from './holding.ts';
import type { Boundary } from './sweep-case.ts';

/** One slot, handed out when the last one is back and `leave` has been given: nothing is polled for before. */
function oneByOne<Info extends SlotInfo>(leave: () => Promise<void>): CustomSlotSupplier<Info> {
  let taken = Promise.resolve();
  let release = () => {};
  return {
    type: 'custom',
    async reserveSlot(_context, abort) {
      const before = taken;
      const mine: PromiseWithResolvers<void> = Promise.withResolvers();
      taken = mine.promise;
      await Promise.race([before.then(leave), aborted(abort)]);
      release = mine.resolve;
      return {};
    },
    tryReserveSlot: () => null,
    markSlotUsed: () => undefined,
    releaseSlot: () => {
      release();
    },
  };
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => {
      reject(new Error('The worker stops.'));
    });
  });
}

/**
 * Stops before the worker asks for work, so that what the server holds stays there: workflow tasks at b1, b15 and b15q,
 * activities at b6 once `isPlanned`, the model having asked for its tool.
 */
export function holdSlots(armed: readonly Boundary[], hold: Hold, isPlanned: () => boolean): Partial<WorkerOptions> {
  const workflows = armed.find((boundary) => boundary === 'b1' || boundary === 'b15' || boundary === 'b15q');
  if (!workflows && !armed.includes('b6')) return {};
  return {
    // With a cache there would be a second, sticky poll.
    ...(workflows && { maxCachedWorkflows: 0 }),
    tuner: {
      workflowTaskSlotSupplier: workflows ? oneByOne(() => hold(workflows)) : FIXED,
      activityTaskSlotSupplier: armed.includes('b6')
        ? oneByOne(() => (isPlanned() ? hold('b6') : Promise.resolve()))
        : FIXED,
      localActivityTaskSlotSupplier: FIXED,
      nexusTaskSlotSupplier: FIXED,
    },
  };
}

const FIXED = { type: 'fixed-size', numSlots: 10 } as const;
