import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import type { Duration } from '../contracts/duration.ts';
import { durationMs } from '../policy/duration-ms.ts';
import { inTransaction } from './in-transaction.ts';
import { judgeKey, type KeyRecord } from './judge-key.ts';
import { toKept } from './kept-answer.ts';
import { openKeyRows } from './key-rows.ts';
import type { KeptAnswer, KeyedRequest, KeyStore, KeyTaken } from './key-store.ts';

export interface KeyStoreOptions {
  /** How long an answer is kept. Default 7 days; never 20 hours or less, for so long callers repeat a request. */
  readonly expireAfter?: Duration;
  /** After a crash a key looks `running` for at most this long, then `doubtful`. Default 30 seconds. */
  readonly lease?: Duration;
  /** Epoch milliseconds. Default: the machine's clock. */
  readonly now?: () => number;
}

export const KEY_STORE_DEFAULTS = Object.freeze({ expireAfter: '7d', lease: '30s' } as const);

/** How long a Holdfast tool repeats a request under one key: the default of its `keyValidFor`. */
const REPEATED_FOR_MS = 20 * 3_600_000;
const SWEEP_EVERY_MS = 60_000;
/** How long a writer waits for another process of the machine that is writing. */
const BUSY_MS = 5_000;

export interface SqliteKeyStore extends KeyStore {
  /**
   * Key, effect and answer in one transaction: all of them or none, whatever is killed when. `work` must be done when it
   * returns. What it throws is passed on, after everything is undone; so is an answer that `keeps` refuses, without throwing.
   */
  act(
    request: KeyedRequest | undefined,
    work: (database: DatabaseSync) => KeptAnswer,
    keeps: (answer: KeptAnswer) => boolean,
  ): Promise<{ readonly is: 'acted'; readonly answer: KeptAnswer } | KeyTaken>;
}

/**
 * Idempotency keys in SQLite: in a file of their own, which is made when missing, or beside the service's own tables in its
 * own connection (then `close` leaves it open; one without a time-out for a locked database is given 5 s). For all processes
 * of one machine.
 * @throws when the file cannot be opened, or an option is not what it should be.
 */
export function openKeyStore(where: string | DatabaseSync, options: KeyStoreOptions = {}): SqliteKeyStore {
  const { now = Date.now } = options;
  const expireAfterMs = durationMs(options.expireAfter ?? KEY_STORE_DEFAULTS.expireAfter, 'openKeyStore: expireAfter');
  const leaseMs = durationMs(options.lease ?? KEY_STORE_DEFAULTS.lease, 'openKeyStore: lease');
  if (expireAfterMs <= REPEATED_FOR_MS) {
    throw new Error(
      `openKeyStore: expireAfter is ${JSON.stringify(options.expireAfter)}. A caller may repeat a request for 20 hours: write more, e.g. '7d'.`,
    );
  }
  const database = typeof where === 'string' ? openFile(where) : patient(where);
  const rows = openKeyRows(database);
  let sweptAt = 0;

  function judge({ digest, ...name }: KeyedRequest) {
    if (now() >= sweptAt + SWEEP_EVERY_MS) {
      rows.removeAnswered(now() - expireAfterMs);
      sweptAt = now();
    }
    return judgeKey(rows.find(name), digest, { now: now(), expireAfterMs });
  }

  function start(request: KeyedRequest): string {
    const token = randomUUID();
    rows.start(request, { token, startedAt: now(), leaseUntil: now() + leaseMs });
    return token;
  }

  return {
    begin: async (request) =>
      inTransaction(database, () => {
        const standing = judge(request);
        return standing.is === 'free' ? { is: 'begun', token: start(request), leaseMs } : standing;
      }),
    extend: async (token) => rows.setLease(token, now() + leaseMs),
    keep: async (token, answer) => rows.setAnswer(token, answer, now()),
    free: async (token) => rows.remove(token),
    doubt: async (token) => rows.setLease(token, 0),
    doubtful: async () => rows.doubtful(now()),
    async resolve({ scope = '', key }, outcome) {
      const answer = outcome === 'not-done' ? undefined : await toKept(outcome);
      inTransaction(database, () => {
        refuseSettled(key, rows.find({ scope, key }), now());
        const token = rows.tokenOf({ scope, key }) ?? '';
        if (answer) rows.setAnswer(token, answer, now());
        else rows.remove(token);
      });
    },
    act: async (request, work, keeps) =>
      inTransaction(database, (undo) => {
        const standing = request ? judge(request) : ({ is: 'free' } as const);
        if (standing.is !== 'free') return standing;
        const token = request && start(request);
        const answer = work(database);
        if (!keeps(answer)) undo();
        else if (token) rows.setAnswer(token, answer, now());
        return { is: 'acted', answer };
      }),
    close: () => {
      if (typeof where === 'string') database.close();
    },
  };
}

/** A connection that was told no time-out fails at once when another process is writing, with "database is locked". */
function patient(database: DatabaseSync): DatabaseSync {
  const set = database.prepare('PRAGMA busy_timeout').get();
  if (set?.timeout === 0) database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
  return database;
}

function openFile(path: string): DatabaseSync {
  try {
    const database = new DatabaseSync(path, { timeout: BUSY_MS });
    // A key must be on the disk before its work begins, also through a power cut.
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    return database;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `Cannot open the keys at ${path}: ${why}. Name a file in a folder that exists and may be written.`,
      {
        cause,
      },
    );
  }
}

function refuseSettled(key: string, record: KeyRecord | undefined, now: number): void {
  const why = whyNotResolvable(record, now);
  if (why) throw new Error(`Cannot resolve key ${JSON.stringify(key)}: ${why}`);
}

function whyNotResolvable(record: KeyRecord | undefined, now: number): string | undefined {
  if (!record) return 'it is not known. Look at doubtful() for those that are, with their scope.';
  if (record.is === 'answered') return `it was answered with ${record.answer.status}, which stands.`;
  if (now < record.leaseUntil) return 'its work may still be running. Try again when its lease is over.';
  return undefined;
}
