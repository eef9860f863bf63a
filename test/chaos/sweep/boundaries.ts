import type { Effect } from '../../../src/contracts/effect.ts';
import type { Boundary } from './sweep-case.ts';

/** Who holds the run still at the boundary: the worker process itself, the proxy before the services, or the sweep. */
type HeldBy = 'worker' | 'proxy' | 'sweep';

export interface BoundaryFacts {
  readonly moment: string;
  readonly heldBy: HeldBy;
  /** Tool classes the moment exists for. */
  readonly effects: readonly Effect[];
}

const WRITERS: readonly Effect[] = ['by-key', 'unflagged'];
const ALL: readonly Effect[] = ['read-only', ...WRITERS];

/** The boundaries in the order in which a run meets them. */
export const BOUNDARIES: Readonly<Record<Boundary, BoundaryFacts>> = {
  b1: { moment: 'run accepted by the server, workflow not started', heldBy: 'worker', effects: ALL },
  b2: { moment: 'model attempt on record, request not sent', heldBy: 'worker', effects: ALL },
  b3: { moment: 'model request sent, no byte back', heldBy: 'proxy', effects: ALL },
  b4: { moment: 'in the middle of the reply', heldBy: 'proxy', effects: ALL },
  b5: { moment: 'reply complete, completion not reported', heldBy: 'worker', effects: ALL },
  b6: { moment: 'tool scheduled, not picked up', heldBy: 'worker', effects: ALL },
  b7: { moment: 'tool picked up, claim not written', heldBy: 'worker', effects: ALL },
  b7b: { moment: 'claim written, body not begun', heldBy: 'worker', effects: WRITERS },
  b7c: { moment: 'body begun, nothing sent', heldBy: 'worker', effects: ALL },
  b8: { moment: 'request sent, effect not yet there; it comes later', heldBy: 'proxy', effects: ALL },
  b8x: { moment: 'request sent, effect never comes', heldBy: 'proxy', effects: ['idempotent', ...WRITERS] },
  b8p: { moment: 'approved request sent, effect never comes', heldBy: 'proxy', effects: ['unflagged'] },
  b9: { moment: 'effect committed, no response yet', heldBy: 'proxy', effects: ALL },
  b10a: { moment: 'response read, nothing recorded', heldBy: 'worker', effects: WRITERS },
  b10: { moment: 'outcome recorded, completion not reported', heldBy: 'worker', effects: ALL },
  b11: { moment: 'completion recorded, not yet in the transcript', heldBy: 'worker', effects: ALL },
  b12: { moment: 'question published', heldBy: 'sweep', effects: WRITERS },
  b12p: { moment: 'question for approval published', heldBy: 'sweep', effects: WRITERS },
  b13: { moment: 'decision in the ledger, not applied', heldBy: 'worker', effects: WRITERS },
  b13p: { moment: 'approval in the ledger, not applied', heldBy: 'worker', effects: WRITERS },
  b14: { moment: 'decision signal in history, handler not run', heldBy: 'sweep', effects: WRITERS },
  b15: { moment: 'continued as new, next execution not begun', heldBy: 'worker', effects: ALL },
  b15q: { moment: 'continued as new with an open question', heldBy: 'worker', effects: ['unflagged'] },
  b16: { moment: 'answer stored, run not closed', heldBy: 'worker', effects: ALL },
};

/** Boundaries before which the tool has to lose sight of its own call: the request is held until the time-out. */
export const ASKING: readonly Boundary[] = ['b12', 'b13', 'b14', 'b15q'];

/** Boundaries of a tool that nobody may use unasked. */
export const APPROVED: readonly Boundary[] = ['b8p', 'b12p', 'b13p'];
