import type { AlertTimes } from '../contracts/agent-card.ts';
import type { Notify } from '../contracts/agent.ts';
import { durationMs } from './duration-ms.ts';

export const NOTIFY_DEFAULTS = Object.freeze({ remindAfter: '1h', secretEnv: 'HOLDFAST_NOTIFY_SECRET' } as const);

/** When people are told of a question, as a run's card keeps it. @throws when a duration is not one. */
export function alertTimesOf({ remindAfter = NOTIFY_DEFAULTS.remindAfter, escalateAfter }: Notify): AlertTimes {
  return {
    remindMs: durationMs(remindAfter, 'notify.remindAfter'),
    escalateMs: escalateAfter === undefined ? undefined : durationMs(escalateAfter, 'notify.escalateAfter'),
  };
}
