import type { TimeSplit } from '../contracts/cost.ts';

/** What can go on, the first named first: what goes on at once counts once, as the first of them. */
export const TIME_KINDS = ['model', 'tools', 'people', 'provider', 'retries'] as const;
export type TimeKind = (typeof TIME_KINDS)[number];

/** Something that went on from `from` to `to`, epoch milliseconds. */
export interface Stretch {
  readonly kind: TimeKind;
  readonly from: number;
  readonly to: number;
}

/** Says where the time between two moments went. The parts are exactly the whole. */
export function splitTime(stretches: readonly Stretch[], from: number, to: number): TimeSplit {
  const end = Math.max(from, to);
  const steps = stretches
    .map((one) => ({ ...one, from: Math.max(one.from, from), to: Math.min(one.to, end) }))
    .filter((one) => one.to > one.from)
    .flatMap(({ kind, from: begin, to: over }) => [
      { at: begin, kind, change: 1 },
      { at: over, kind, change: -1 },
    ])
    .sort((a, b) => a.at - b.at);
  const open: Record<TimeKind, number> = { model: 0, tools: 0, people: 0, provider: 0, retries: 0 };
  const spent: Record<TimeKind | 'other', number> = { ...open, other: 0 };
  let reached = from;
  for (const { at, kind, change } of [...steps, { at: end, kind: 'model' as const, change: 0 }]) {
    spent[TIME_KINDS.find((one) => open[one] > 0) ?? 'other'] += at - reached;
    open[kind] += change;
    reached = at;
  }
  return {
    totalMs: end - from,
    modelMs: spent.model,
    toolsMs: spent.tools,
    peopleMs: spent.people,
    providerMs: spent.provider,
    retriesMs: spent.retries,
    otherMs: spent.other,
  };
}
