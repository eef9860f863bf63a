import { createHash } from 'node:crypto';
import type { LedgerKey } from '../contracts/ledger.ts';

/**
 * Names of any length as 32 bytes: an index of PostgreSQL takes at most 2,704. Stored, and locked by: workers of two
 * versions must agree, so this never changes.
 */
export const digestOf = (...names: readonly string[]): Buffer =>
  createHash('sha256').update(JSON.stringify(names)).digest();

export const digestOfKey = ({ namespace, scope, intent }: LedgerKey): Buffer => digestOf(namespace, scope, intent);

/** Of a run's events. Two names, where a key has three: no decision about a key ever waits for an event, or the other way round. */
export const digestOfRun = (run: string): Buffer => digestOf('events', run);

// Advisory locks belong to the whole database, which may hold several ledgers and other programs. Those of one number and
// those of two numbers are two spaces, so that a key and a task never share a lock.

/** The statement that waits for a lock of its own, kept to the end of the transaction. Taken first, and only one. */
export function lockFirst(schema: string, digest: Buffer): string {
  const lock = digestOf(schema, digest.toString('hex'));
  return `SELECT pg_advisory_xact_lock(${lock.readBigInt64BE()})`;
}

/** The statements that wait for further locks, in one fixed order for everybody, so that no two wait for each other. */
export function lockThen(schema: string, digests: readonly Buffer[]): string {
  const locks = digests.map((digest) => digestOf(schema, digest.toString('hex'))).sort(Buffer.compare);
  return locks.map((lock) => `SELECT pg_advisory_xact_lock(${lock.readInt32BE()}, ${lock.readInt32BE(4)})`).join('; ');
}
