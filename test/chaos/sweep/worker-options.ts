import type { Duration } from '../../../src/contracts/duration.ts';
import type { Effect } from '../../../src/contracts/effect.ts';
import type { Boundary } from './sweep-case.ts';

/** What a worker of the sweep is told when it is started, as JSON. */
export interface SweepWorkerOptions {
  readonly dataDir: string;
  readonly address: string;
  readonly taskQueue: string;
  /** Base URL of the payments service and of the model, both through the proxy. */
  readonly paymentsUrl: string;
  readonly modelUrl: string;
  readonly effect: Effect;
  readonly timeout: Duration;
  readonly landsWithin: Duration;
  readonly maxAttempts: number;
  readonly needsApproval: boolean;
  /** Where to announce itself and wait; each boundary once. */
  readonly holds: readonly Boundary[];
}

/** From the worker: it has reached a boundary and waits there. */
export interface Reached {
  readonly reached: Boundary;
}

/** To the worker: go on. `stay`: and ask again the next time it comes by. */
export interface GoOn {
  readonly go: Boundary;
  readonly stay?: true;
}
