import { DatabaseSync } from 'node:sqlite';
import { ARRIVALS, EFFECTS, type Arrival, type PaymentEffect } from './payment-rows.ts';

/** What a payment service was asked and what it did. Two counts, so that neither can hide the other. */
export interface PaymentsCount {
  /** Requests that could act: every POST that came in whole, refused ones included. Oldest first. */
  readonly arrivals: readonly Arrival[];
  /** Requests that only looked. */
  readonly lookUps: readonly Arrival[];
  /** Refunds that happened. */
  readonly effects: readonly PaymentEffect[];
  /** Their sum. */
  readonly cents: number;
}

/**
 * Counts from the service's database file, read-only: from any process, while the service runs or after it was killed.
 * @throws when the file does not exist.
 */
export function readPayments(dbFile: string): PaymentsCount {
  const db = new DatabaseSync(dbFile, { readOnly: true, timeout: 5_000 });
  try {
    // One transaction, so that an effect is never counted without its arrival.
    db.exec('begin');
    // The columns of the statements are those of the types; node:sqlite cannot know.
    const requests = db.prepare(ARRIVALS).all() as unknown as readonly Arrival[];
    const effects = db.prepare(`${EFFECTS} order by seq`).all() as unknown as readonly PaymentEffect[];
    return {
      arrivals: requests.filter(({ method }) => method === 'POST'),
      lookUps: requests.filter(({ method }) => method !== 'POST'),
      effects,
      cents: effects.reduce((sum, effect) => sum + effect.cents, 0),
    };
  } finally {
    db.close();
  }
}
