import { activityInfo, Context } from '@temporalio/activity';
import type { Envelope, OpenAttempt } from '../contracts/envelope.ts';
import type { RunEvent, Usage } from '../contracts/events.ts';
import type { Failure } from '../contracts/failure.ts';
import { FRESH_TALLY, type CallTally } from '../contracts/retry-budget.ts';
import { tallyAttempt } from '../policy/spend-retries.ts';
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
  /** What the call had used in earlier schedules. */
  readonly tally?: CallTally;
}

export interface AttemptEnd {
  readonly outcome: 'success' | 'failure' | 'cancelled' | 'unknown' | 'parked';
  readonly failure?: Failure;
  readonly usage?: Usage;
  readonly nextWaitMs?: number;
}

/** One try of a call while it runs: it beats, and its beginning and end are on record. */
export interface Attempt {
  readonly number: number;
  /** When the server scheduled it, epoch milliseconds. */
  readonly scheduledAt: number;
  /** What the call had used before this attempt. */
  readonly before: CallTally;
  /** Milliseconds since it began, by a clock that nobody can set. */
  tookMs(): number;
  /** The envelope as it stands, to be completed with a verdict. */
  readonly envelope: Envelope;
  progress(text: string): void;
  /** Puts its beginning on record, once: for a model, when it is about to send something. */
  announce(): Promise<void>;
  /** Hands what the call has used to its next attempt, whoever makes it. */
  carry(tally: CallTally): void;
  /** Records the end, and beats on. Called once, if `end` is not. */
  record(end: AttemptEnd): Promise<void>;
  /** Stops the beat. */
  stop(): void;
  /** Stops the beat and records the end. Called once. */
  end(end: AttemptEnd): Promise<void>;
}

const BEAT_MS = 500;

/**
 * Begins an attempt: the record is written before any request, so that a start without an end is known to be an estimate.
 * `number` is Temporal's for reading tools, and the ledger's count for writing ones. A model's attempts are those that sent something.
 */
export async function beginAttempt(ports: ActivityPorts, subject: AttemptSubject, number?: number): Promise<Attempt> {
  const before = tallyBefore(subject);
  return begin(ports, subject, before, number ?? (subject.kind === 'model' ? before.sent + 1 : activityInfo().attempt));
}

/** The last attempt of this schedule knows, through its heartbeat; else the workflow. */
function tallyBefore({ call, schedule, tally = FRESH_TALLY }: AttemptSubject): CallTally {
  const last = activityInfo().heartbeatDetails as Partial<Envelope> | null | undefined;
  const isOurs = last?.hf === 1 && last.call === call && last.schedule === schedule;
  return (isOurs ? last.tally : undefined) ?? tally;
}

async function begin(
  ports: ActivityPorts,
  subject: AttemptSubject,
  before: CallTally,
  number: number,
): Promise<Attempt> {
  const began = performance.now();
  const { run, call, turn, kind, name, intent } = subject;
  // This worker may have been given up and replaced: both attempts carry one number.
  const scheduledAt = activityInfo().currentAttemptScheduledTimestampMs;
  const about = { call, turn, kind, name, attempt: number, scheduledAt };
  const started: RunEvent = { type: 'attempt-started', at: ports.now(), ...about, ...(intent ? { intent } : {}) };
  let announced: Promise<void> | undefined;
  // A writing tool's attempt stands in the ledger, a model's requests in records of their own.
  const announce = () => (announced ??= appendQuietly(ports, run, started));
  if (kind === 'tool') await announce();
  const context = Context.current();
  let open: OpenAttempt = { attempt: number, startedAt: ports.now(), timeoutMs: subject.timeoutMs, name };
  // Should this worker be lost now, the attempt was made.
  let tally = tallyAttempt(before, 0);
  const envelopeNow = (): Envelope => {
    return { hf: 1, call, schedule: subject.schedule, closed: number - 1, open, tally };
  };
  const beat = () => {
    context.heartbeat(envelopeNow());
  };
  beat();
  const beating = setInterval(beat, BEAT_MS);
  const stop = () => {
    clearInterval(beating);
  };
  const record = async (end: AttemptEnd) => {
    if (!announced && end.outcome === 'parked') return;
    await ports.ends.write(run, { type: 'attempt-ended', at: ports.now(), ...about, ...end });
  };
  return {
    number,
    scheduledAt,
    before,
    announce,
    tookMs: () => Math.round(performance.now() - began),
    get envelope() {
      return { ...envelopeNow(), closed: number, open: null };
    },
    progress(text) {
      open = { ...open, progress: text };
      beat();
    },
    carry(used) {
      tally = used;
      beat();
    },
    record,
    stop,
    async end(end) {
      stop();
      await record(end);
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
      .warn('The beginning of an attempt could not be written to the event store.', { error: String(error) });
  }
}
