/** A request for refunds or orders, as it came in. Times are epoch milliseconds. */
export interface Arrival {
  readonly at: number;
  readonly method: string;
  readonly path: string;
  /** The `idempotency-key` header. */
  readonly key: string | null;
  /** The `holdfast-attempt` header, for senders that number their attempts. */
  readonly attempt: string | null;
  /** SHA-256 of the body's bytes, 64 hex digits. */
  readonly bodyHash: string;
  readonly body: string;
}

/** A refund that happened. */
export interface PaymentEffect {
  /** `re_1` for the first. */
  readonly id: string;
  readonly at: number;
  readonly orderId: string;
  readonly cents: number;
  readonly reason: string;
  readonly key: string | null;
}

export interface Order {
  readonly orderId: string;
  readonly cents: number;
}

export const SCHEMA = `
  create table if not exists arrivals (
    seq integer primary key, at integer not null, method text not null, path text not null,
    key text, attempt text, bodyHash text not null, body text not null
  ) strict;
  create table if not exists effects (
    seq integer primary key, at integer not null, orderId text not null, cents integer not null,
    reason text not null, key text
  ) strict;
  create table if not exists results (
    key text primary key, fingerprint text not null, status integer not null, body text not null
  ) strict;
  create table if not exists orders (orderId text primary key, cents integer not null) strict;
`;

export const ARRIVALS = 'select at, method, path, key, attempt, bodyHash, body from arrivals order by seq';
export const EFFECTS = `select 're_' || seq as id, at, orderId, cents, reason, key from effects`;
