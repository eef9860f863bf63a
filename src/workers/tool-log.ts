import type { Logger } from '@temporalio/worker';
import type { ToolLog } from '../contracts/tool.ts';

/** A tool's log lines go to the worker's logger, with the run and call they belong to. */
export function logTo(logger: Logger, about: Readonly<Record<string, unknown>>): ToolLog {
  return {
    info: (message, fields) => {
      logger.info(message, { ...about, ...fields });
    },
    warn: (message, fields) => {
      logger.warn(message, { ...about, ...fields });
    },
  };
}
