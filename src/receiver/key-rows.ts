import type { DatabaseSync } from 'node:sqlite';
import type { KeyRecord } from './judge-key.ts';
import type { DoubtfulKey, KeptAnswer, KeyedRequest } from './key-store.ts';

/** A key without a status has begun and not ended. `leaseUntil` and `answeredAt` in epoch milliseconds. */
const TABLE = `
  CREATE TABLE IF NOT EXISTS holdfast_keys (
    scope TEXT NOT NULL, key TEXT NOT NULL, digest TEXT NOT NULL, method TEXT NOT NULL, path TEXT NOT NULL,
    startedAt INTEGER NOT NULL, token TEXT NOT NULL, leaseUntil INTEGER NOT NULL,
    status INTEGER, headers TEXT, body BLOB, answeredAt INTEGER,
    PRIMARY KEY (scope, key)
  ) STRICT;
  CREATE UNIQUE INDEX IF NOT EXISTS holdfast_keys_by_token ON holdfast_keys (token);
  CREATE INDEX IF NOT EXISTS holdfast_keys_by_end ON holdfast_keys (answeredAt);
`;

type Name = Pick<KeyedRequest, 'scope' | 'key'>;

export interface KeyRows {
  find(name: Name): KeyRecord | undefined;
  start(request: KeyedRequest, times: { token: string; startedAt: number; leaseUntil: number }): void;
  /** Of a token that has not ended; any other is left as it is. */
  setLease(token: string, leaseUntil: number): void;
  setAnswer(token: string, answer: KeptAnswer, answeredAt: number): void;
  remove(token: string): void;
  tokenOf(name: Name): string | undefined;
  removeAnswered(before: number): void;
  /** Begun, not ended, with a lease that is over. */
  doubtful(now: number): readonly DoubtfulKey[];
}

/** The table of keys, made when missing. Every method is one statement. */
export function openKeyRows(database: DatabaseSync): KeyRows {
  database.exec(TABLE);
  const select = database.prepare('SELECT * FROM holdfast_keys WHERE scope = ? AND key = ?');
  const insert = database.prepare(
    `INSERT OR REPLACE INTO holdfast_keys (scope, key, digest, method, path, startedAt, token, leaseUntil)
     VALUES (:scope, :key, :digest, :method, :path, :startedAt, :token, :leaseUntil)`,
  );
  const lease = database.prepare('UPDATE holdfast_keys SET leaseUntil = ? WHERE token = ? AND status IS NULL');
  const answer = database.prepare(
    'UPDATE holdfast_keys SET status = ?, headers = ?, body = ?, answeredAt = ? WHERE token = ? AND status IS NULL',
  );
  const remove = database.prepare('DELETE FROM holdfast_keys WHERE token = ? AND status IS NULL');
  const expire = database.prepare('DELETE FROM holdfast_keys WHERE answeredAt <= ?');
  const open = database.prepare(
    `SELECT scope, key, method, path, startedAt FROM holdfast_keys
     WHERE status IS NULL AND leaseUntil <= ? ORDER BY startedAt`,
  );
  // The columns of the statements are those of the types; node:sqlite cannot know.
  const rowOf = ({ scope, key }: Name) => select.get(scope, key) as KeyRow | undefined;
  return {
    find: (name) => toRecord(rowOf(name)),
    start: (request, times) => void insert.run({ ...request, ...times }),
    setLease: (token, leaseUntil) => void lease.run(leaseUntil, token),
    setAnswer: (token, { status, headers, body }, answeredAt) =>
      void answer.run(status, JSON.stringify(headers), body, answeredAt, token),
    remove: (token) => void remove.run(token),
    tokenOf: (name) => rowOf(name)?.token,
    removeAnswered: (before) => void expire.run(before),
    // The statement's columns are those of the type; node:sqlite cannot know.
    doubtful: (now) => open.all(now) as unknown as readonly DoubtfulKey[],
  };
}

interface KeyRow {
  readonly digest: string;
  readonly token: string;
  readonly leaseUntil: number;
  readonly status: number | null;
  readonly headers: string;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly answeredAt: number;
}

function toRecord(row: KeyRow | undefined): KeyRecord | undefined {
  if (!row) return undefined;
  const { digest, leaseUntil, status, headers, body, answeredAt } = row;
  if (status === null) return { is: 'started', digest, leaseUntil };
  // Written by `setAnswer` alone.
  const kept = { status, headers: JSON.parse(headers) as KeptAnswer['headers'], body };
  return { is: 'answered', digest, answeredAt, answer: kept };
}
