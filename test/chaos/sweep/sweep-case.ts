import type { Effect } from '../../../src/contracts/effect.ts';

/** A moment in a run's life at which something is killed. What each one means is in `boundaries.ts`. */
export type Boundary =
  | 'b1'
  | 'b2'
  | 'b3'
  | 'b4'
  | 'b5'
  | 'b6'
  | 'b7'
  | 'b7b'
  | 'b7c'
  | 'b8'
  | 'b8x'
  | 'b8p'
  | 'b9'
  | 'b10a'
  | 'b10'
  | 'b11'
  | 'b12'
  | 'b12p'
  | 'b13'
  | 'b13p'
  | 'b14'
  | 'b15'
  | 'b15q'
  | 'b16';

/** What is struck: killed with -9, made unavailable (`ledger`), or stopped and woken much later (`worker-stopped`). */
export type Victim = 'worker' | 'server' | 'ledger' | 'worker-stopped';

/** One case: its own run, task queue, order and data folder. Written to `plan.json` before anything is started. */
export interface SweepCase {
  /** `b8-unflagged-worker`; also the run's id and the task queue's name. */
  readonly id: string;
  readonly boundary: Boundary;
  readonly effect: Effect;
  readonly victim: Victim;
  /** The business action: the tool's intent is `refund:ORDER`. */
  readonly order: string;
}

export function sweepCase(boundary: Boundary, effect: Effect, victim: Victim): SweepCase {
  const id = `${boundary}-${effect}-${victim}`;
  return { id, boundary, effect, victim, order: `O-${id}` };
}
