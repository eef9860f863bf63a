import type { StoredEvent } from '../contracts/events.ts';
import type { ClientParts } from './client-parts.ts';

/** What happened in the last run under an id: an id may be used again once its run has ended. Without the pieces of replies, unless asked for. */
export async function readEvents(
  { events }: Pick<ClientParts, 'events'>,
  run: string,
  { pieces = false }: { readonly pieces?: boolean } = {},
): Promise<readonly StoredEvent[]> {
  const all: StoredEvent[] = [];
  for (;;) {
    const batch = await events.read(run, all.at(-1)?.offset ?? 0, pieces ? {} : { only: 'facts' });
    if (batch.length === 0) break;
    all.push(...batch);
  }
  return all.slice(
    Math.max(
      0,
      all.findLastIndex(({ type }) => type === 'run-started'),
    ),
  );
}
