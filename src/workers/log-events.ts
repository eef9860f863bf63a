import type { Logger } from '@temporalio/worker';
import type { EventStore } from '../contracts/event-store.ts';
import type { RunEvent } from '../contracts/events.ts';
import { NAMES } from '../contracts/telemetry-names.ts';
import { lineOfEvent } from '../policy/line-of-event.ts';
import { runIdentity } from './run-identity.ts';

/** The event store, and beside it a log line for each event that is worth one, once it is on record. */
export function logEvents(events: EventStore, logger: Logger): EventStore {
  const agents = new Map<string, string>();
  const say = (run: string, event: RunEvent) => {
    if (event.type === 'run-started') agents.set(run, event.agent);
    const agent = runIdentity().agent ?? agents.get(run);
    if (event.type === 'run-ended') agents.delete(run);
    const line = lineOfEvent(run, event);
    if (!line) return;
    logger[line.level](line.message, {
      // As Temporal marks its own lines.
      sdkComponent: 'holdfast',
      run,
      ...(agent !== undefined && { [NAMES.agent]: agent }),
      ...line.fields,
    });
  };
  return {
    async append(run, appended) {
      const offset = await events.append(run, appended);
      for (const event of appended) say(run, event);
      return offset;
    },
    appendPieces: (run, decide) => events.appendPieces(run, decide),
    read: (run, after, options) => events.read(run, after, options),
    head: (run) => events.head(run),
    newest: (run, type) => events.newest(run, type),
    untilAfter: (run, after, signal) => events.untilAfter(run, after, signal),
    close: () => events.close(),
  };
}
