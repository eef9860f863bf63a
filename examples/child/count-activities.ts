import type { ActivityInterceptorsFactory } from '@temporalio/worker';

/** An interceptor of your own: counts activities by their type. It sees Holdfast's as well as yours. */
export function countActivities(counts: Map<string, number>): ActivityInterceptorsFactory {
  return ({ info: { activityType } }) => ({
    inbound: {
      execute: (input, next) => {
        counts.set(activityType, (counts.get(activityType) ?? 0) + 1);
        return next(input);
      },
    },
  });
}
