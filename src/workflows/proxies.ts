import { ActivityCancellationType, proxyActivities, proxySinks, type Sinks } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { RunEvent } from '../contracts/events.ts';

/** Events for watchers, outside history: written at least once, and lost with the worker that was about to write them. */
export interface HoldfastSinks extends Sinks {
  readonly holdfast: { event(run: string, event: RunEvent): void };
}

export const { holdfast: sink } = proxySinks<HoldfastSinks>();

/** Effects. Every call gives its own times and summary; an activity is always asked how it ended, also when cancelled. */
export const activities = proxyActivities<Activities>({
  startToCloseTimeout: '1m',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});

/** The ledger's own activities are repeated until they hold: without an answer nothing may go on. */
export const untilItHolds = {
  startToCloseTimeout: '15s',
  retry: { initialInterval: '1s', maximumInterval: '15s', backoffCoefficient: 2 },
} as const;
