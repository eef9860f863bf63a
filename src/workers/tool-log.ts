import type { Logger } from '@temporalio/worker';
import type { ToolLog } from '../contracts/tool.ts';
import { attemptFields, lineFields, type LineAbout } from '../policy/log-fields.ts';
import { runIdentity } from './run-identity.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Log lines go to the worker's logger, with the run, call and span they belong to. What a tool says stays in its own words. */
export function logTo(logger: Logger, about: LineAbout): ToolLog {
  const withFields = (fields: Fields = {}): Fields => {
    const { agent, execution } = runIdentity();
    const known = lineFields({ ...(agent && { agent }), ...(execution && { execution }), ...about });
    return { ...about, ...known, ...fields, ...(about.tool === undefined && attemptFields(fields)) };
  };
  return {
    info: (message, fields) => {
      logger.info(message, withFields(fields));
    },
    warn: (message, fields) => {
      logger.warn(message, withFields(fields));
    },
  };
}
