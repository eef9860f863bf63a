import type { Context } from '@temporalio/activity';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import type { Hold } from './holding.ts';
import type { Boundary } from './sweep-case.ts';

const BEFORE: Readonly<Record<string, Boundary>> = { callTool: 'b7' };
const AFTER: Readonly<Record<string, Boundary>> = { callModel: 'b5', callTool: 'b10', keepAnswer: 'b16' };

/** Stops when an activity has been picked up, and when it has ended but nobody has been told. */
export function holdActivities({ info }: Context, hold: Hold): ActivityInboundCallsInterceptor {
  return {
    async execute(input, next) {
      const before = BEFORE[info.activityType];
      if (before) await hold(before);
      const result = await next(input);
      const after = AFTER[info.activityType];
      if (after) await hold(after);
      return result;
    },
  };
}
