import { DatabaseSync } from 'node:sqlite';
import type { KeyState } from './judge-key.ts';
import type { PaymentResult } from './payment-reply.ts';
import { EFFECTS, SCHEMA, type Arrival, type Order, type PaymentEffect } from './payment-rows.ts';

/** The service's own database. Each method is one transaction: once it has returned, a kill -9 loses nothing of it. */
export interface PaymentBook {
  recordArrival(arrival: Arrival): void;
  keyState(key: string): KeyState;
  /** Commits the effect and, with a key, the result it leads to, both or neither. */
  commit(commit: Commit): PaymentResult;
  refundsOf(orderId: string): readonly PaymentEffect[];
  order(orderId: string): Order | undefined;
  close(): void;
}

export interface Commit {
  /** Undefined when nothing happened and only a result is to be kept. */
  readonly effect: Omit<PaymentEffect, 'id' | 'key'> | undefined;
  readonly key: string | null;
  readonly fingerprint: string;
  readonly toResult: (effect: PaymentEffect | undefined) => PaymentResult;
}

/** Opens or creates the database. */
export function openPaymentBook(dbFile: string, seed: readonly Order[]): PaymentBook {
  const db = new DatabaseSync(dbFile, { timeout: 5_000 });
  // WAL lets other processes count while this one writes. NORMAL survives a killed process, which is what is promised.
  db.exec(`pragma journal_mode = wal; pragma synchronous = normal; ${SCHEMA}`);
  const addOrder = db.prepare('insert or ignore into orders (orderId, cents) values (?, ?)');
  for (const { orderId, cents } of seed) addOrder.run(orderId, cents);

  const addArrival = db.prepare(
    `insert into arrivals (at, method, path, key, attempt, bodyHash, body)
     values (:at, :method, :path, :key, :attempt, :bodyHash, :body)`,
  );
  const addEffect = db.prepare(
    'insert into effects (at, orderId, cents, reason, key) values (:at, :orderId, :cents, :reason, :key)',
  );
  const addResult = db.prepare('insert into results (key, fingerprint, status, body) values (?, ?, ?, ?)');
  const oneResult = db.prepare('select fingerprint, status, body from results where key = ?');
  const refunds = db.prepare(`${EFFECTS} where orderId = ? order by seq`);
  const oneOrder = db.prepare('select orderId, cents from orders where orderId = ?');

  function write({ effect, key, fingerprint, toResult }: Commit): PaymentResult {
    const made = effect && { ...effect, key, id: `re_${addEffect.run({ ...effect, key }).lastInsertRowid}` };
    const result = toResult(made);
    if (key !== null) addResult.run(key, fingerprint, result.status, result.body);
    return result;
  }

  return {
    recordArrival: (arrival) => void addArrival.run({ ...arrival }),
    keyState: (key) => toKeyState(oneResult.get(key)),
    commit: (commit) => inTransaction(db, () => write(commit)),
    // The columns of the statements are those of the types; node:sqlite cannot know.
    refundsOf: (orderId) => refunds.all(orderId) as unknown as readonly PaymentEffect[],
    order: (orderId) => oneOrder.get(orderId) as Order | undefined,
    close: () => db.close(),
  };
}

function toKeyState(row: unknown): KeyState {
  // A row of `results`, or nothing.
  return row === undefined
    ? { is: 'new' }
    : { is: 'finished', ...(row as PaymentResult & { readonly fingerprint: string }) };
}

function inTransaction<Answer>(db: DatabaseSync, write: () => Answer): Answer {
  db.exec('begin immediate');
  try {
    const answer = write();
    db.exec('commit');
    return answer;
  } catch (error) {
    db.exec('rollback');
    throw error;
  }
}
