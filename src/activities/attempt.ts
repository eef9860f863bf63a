import { activityInfo, Context } from '@temporalio/activity';
import type { Envelope, OpenAttempt } from '../contracts/envelope.ts';
import type { RunEvent, Usage } from '../contracts/events.ts';
import type { Failure } from '../contracts/failure.ts';
import type { ActivityPorts } from './ports.ts';

export interface AttemptSubject {
  readonly run: string;
  readonly call: string;
  readonly turn: number;
  readonly schedule: number;
  readonly kind: 'model' | 'tool';
  readonly name: string;
  readonly intent?: string;
  readonly timeoutMs: number;
}

export interface AttemptEnd {
  readonly outcome: 'success' | 'failure' | 'cancelled' | 'unknown';
  readonly failure?: Failure;
  readonly usage?: Usage;
  readonly nextWaitMs?: number;
}

/** One try of a call while it runs: it beats, and its beginning and end are on record. */
export interface Attempt {
  readonly number: number;
  /** The envelope as it stands, to be completed with a verdict. */
  readonly envelope: Envelope;
  progress(text: string): void;
  /** Stops the beat and records the end. Called once. */
  end(end: AttemptEnd): Promise<void>;
}

const BEAT_MS = 500;

/**
 * Begins an attempt: the record is written before any request, so that a start without an end is known to be an estimate.
 * `number` is Temporal's for reading tools and models, and the ledger's count for the others.
 */
export async function beginAttempt(
  ports: ActivityPorts,
  subject: AttemptSubject,
  number = activityInfo().attempt,
): Promise<Attempt> {
  const { run, call, turn, kind, name, intent } = subject;
  const about = { call, turn, kind, name, attempt: number };
  const started: RunEvent = { type: 'attempt-started', at: ports.now(), ...about, ...(intent ? { intent } : {}) };
  // A model call's record is the only trace of its cost. A writing tool's attempt stands in the ledger.
  if (kind === 'model') await ports.events.append(run, [started]);
  else await appendQuietly(ports, run, started);
  const context = Context.current();
  let open: OpenAttempt = { attempt: number, startedAt: ports.now(), timeoutMs: subject.timeoutMs, name };
  const envelopeNow = (): Envelope => ({ hf: 1, call, schedule: subject.schedule, closed: number - 1, open });
  const beat = () => {
    context.heartbeat(envelopeNow());
  };
  beat();
  const beating = setInterval(beat, BEAT_MS);
  return {
    number,
    get envelope() {
      return { ...envelopeNow(), closed: number, open: null };
    },
    progress(text) {
      open = { ...open, progress: text };
      beat();
    },
    async end(end) {
      clearInterval(beating);
      await appendQuietly(ports, run, { type: 'attempt-ended', at: ports.now(), ...about, ...end });
    },
  };
}

/** The effect is on record in the ledger already: an event store that is away must not turn it into a failure. */
async function appendQuietly(ports: ActivityPorts, run: string, event: RunEvent): Promise<void> {
  try {
    await ports.events.append(run, [event]);
  } catch (error) {
    ports
      .logFor({ run })
      .warn('The end of an attempt could not be written to the event store.', { error: String(error) });
  }
}
