import type { StoredEvent } from '../contracts/events.ts';
import { readToEnd } from '../policy/read-to-end.ts';
import type { ClientParts } from './client-parts.ts';

/** What happened in the last run under an id: an id may be used again once its run has ended. Without the pieces of replies, unless asked for. */
export async function readEvents(
  { events }: Pick<ClientParts, 'events'>,
  run: string,
  { pieces = false }: { readonly pieces?: boolean } = {},
): Promise<readonly StoredEvent[]> {
  const all = await readToEnd(events, run, pieces ? {} : { only: 'facts' });
  return all.slice(
    Math.max(
      0,
      all.findLastIndex(({ type }) => type === 'run-started'),
    ),
  );
}
