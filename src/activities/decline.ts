import type { LedgerEntry } from '../contracts/ledger.ts';
import type { ActivityPorts } from './ports.ts';

/** Writes down a decision that was refused, once. */
export async function decline(
  { ledger }: Pick<ActivityPorts, 'ledger'>,
  entry: LedgerEntry & { readonly is: 'declined' },
): Promise<void> {
  await ledger.decide(entry.key, (records) => {
    const isWritten = records.some(
      (record) => record.is === 'declined' && record.decision.id === entry.decision.id && record.why === entry.why,
    );
    return { append: isWritten ? [] : [entry], answer: undefined };
  });
}
