import type { EventStore } from '../contracts/event-store.ts';
import type { RequestOf, ScheduledAttempt, StoredEvent } from '../contracts/events.ts';
import { readToEnd } from './read-to-end.ts';

type Events = Pick<EventStore, 'read'>;

/**
 * What the costs of one run are worked out from, in order: what happened, and the pieces of those replies whose end is not on record.
 * An id may be used again once its run has ended: it is the run with this `execution`, else the last one.
 */
export async function readCostEvents(events: Events, run: string, execution?: string): Promise<readonly StoredEvent[]> {
  const facts = ownFacts(await readToEnd(events, run, { only: 'facts' }), execution);
  const pieces: StoredEvent[] = [];
  for (const stretch of openStretches(facts)) pieces.push(...(await readPieces(events, run, stretch)));
  return pieces.length === 0 ? facts : [...facts, ...pieces].sort((a, b) => a.offset - b.offset);
}

function ownFacts(facts: readonly StoredEvent[], execution: string | undefined): readonly StoredEvent[] {
  const starts = facts.flatMap((event, at) =>
    event.type === 'run-started' ? [{ at, isOwn: execution !== undefined && event.execution === execution }] : [],
  );
  const from = (starts.find(({ isOwn }) => isOwn) ?? starts.at(-1))?.at ?? 0;
  const until = starts.find(({ at, isOwn }) => at > from && !isOwn)?.at ?? Infinity;
  // What a provider says later may be on record when another run has the id; it names the reply.
  const isLate = ({ type }: StoredEvent) => type === 'cost-found' || type === 'cost-not-found';
  return facts.filter((event, at) => at >= from && (at < until || isLate(event)));
}

/** Between two offsets, both left out. */
interface Stretch {
  readonly after: number;
  readonly before: number;
}

/** Where the pieces of requests without an end stand: until the next attempt begins. */
function openStretches(facts: readonly StoredEvent[]): readonly Stretch[] {
  const open: Extract<StoredEvent, { type: 'request-sent' }>[] = [];
  for (const event of facts) {
    if (event.type === 'request-sent') open.push(event);
    // A number may be used twice, where a worker was lost before it could say so: the end is that of the later one.
    const ended = event.type === 'request-ended' ? open.findLastIndex(isSame(event)) : -1;
    if (ended >= 0) open.splice(ended, 1);
  }
  const begins = facts.filter(({ type }) => type === 'attempt-started').map(({ offset }) => offset);
  const stretches = open.map(({ offset }) => {
    return { after: offset, before: begins.find((begin) => begin > offset) ?? Infinity };
  });
  // Requests of one attempt share their stretch.
  return stretches.filter(({ before }, at) => stretches.findIndex((one) => one.before === before) === at);
}

const isSame =
  (one: RequestOf & ScheduledAttempt) =>
  ({ call, attempt, scheduledAt, part }: RequestOf & ScheduledAttempt): boolean =>
    call === one.call && attempt === one.attempt && scheduledAt === one.scheduledAt && part === one.part;

async function readPieces(events: Events, run: string, { after, before }: Stretch): Promise<readonly StoredEvent[]> {
  const pieces: StoredEvent[] = [];
  for (let reached = after; ;) {
    const batch = await events.read(run, reached);
    pieces.push(...batch.filter(({ type, offset }) => type === 'piece' && offset < before));
    reached = batch.at(-1)?.offset ?? Infinity;
    if (reached >= before) return pieces;
  }
}
