import type { Effect } from '../../../src/contracts/effect.ts';
import { BOUNDARIES } from './boundaries.ts';
import { sweepCase, type Boundary, type SweepCase, type Victim } from './sweep-case.ts';

/** The moments at which a worker that stands still, and wakes after others have decided, could do harm. */
const STANDSTILLS: readonly Boundary[] = ['b7', 'b7b', 'b7c', 'b8'];

/** Every case that makes sense, in a fixed order. docs/chaos.md says what is left out and why. */
export function planCases(): readonly SweepCase[] {
  // Typed by hand: `Object.entries` widens the names.
  const boundaries = Object.entries(BOUNDARIES) as [Boundary, (typeof BOUNDARIES)[Boundary]][];
  return boundaries.flatMap(([boundary, { effects }]) =>
    effects.flatMap((effect) => victimsOf(boundary, effect).map((victim) => sweepCase(boundary, effect, victim))),
  );
}

function victimsOf(boundary: Boundary, effect: Effect): readonly Victim[] {
  // One story only: the model asks again with another amount while the first attempt is in doubt.
  if (effect === 'idempotent') return ['worker'];
  const isReader = effect === 'read-only';
  return [
    'worker',
    'server',
    // A read-only call writes nothing to the ledger, and a lock keeps out writers only.
    ...(isReader ? [] : (['ledger'] as const)),
    ...(!isReader && STANDSTILLS.includes(boundary) ? (['worker-stopped'] as const) : []),
  ];
}
