import type { LedgerEntry, LedgerRecord } from '../contracts/ledger.ts';
import type { ActivityPorts } from './ports.ts';

/** `record`: the record's counter in its task. `pending`: it could not be written in time and must be written later. */
export type Written = { readonly record: number } | { readonly pending: LedgerEntry };

/**
 * Writes a record about a claim, once: the same statement about the same claim again is the one that stands. Tried until
 * `until` (epoch milliseconds), or `isOver`; failure to record is never failure of the call.
 */
export async function writeRecord(
  ports: ActivityPorts,
  entry: LedgerEntry,
  until: number,
  isOver: () => boolean = () => false,
): Promise<Written> {
  for (;;) {
    try {
      return { record: await writeOnce(ports, entry) };
    } catch (error) {
      ports.logFor({ run: entry.run, call: entry.call }).warn('The ledger did not take a record; trying again.', {
        is: entry.is,
        error: String(error),
      });
      if (isOver() || ports.now() + RETRY_MS >= until) return { pending: entry };
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

const RETRY_MS = 250;

async function writeOnce({ ledger }: ActivityPorts, entry: LedgerEntry): Promise<number> {
  const { answer, written } = await ledger.decide(entry.key, (records) => {
    const standing = records.find((record) => isSameStatement(record, entry));
    return { append: standing ? [] : [entry], answer: standing?.counter };
  });
  const counter = answer ?? written[0]?.counter;
  if (counter === undefined) throw new Error('The ledger appended nothing and named no record.');
  return counter;
}

function isSameStatement(record: LedgerRecord, entry: LedgerEntry): boolean {
  if (record.is !== entry.is) return false;
  if ('claim' in record && 'claim' in entry) return record.claim === entry.claim;
  return record.is === 'settled' && entry.is === 'settled' && record.decision.id === entry.decision.id;
}
