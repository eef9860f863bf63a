import type { LedgerKey } from '../contracts/ledger.ts';

/** A decision has seen the records of one key only: what it says of another key may be wrong already. @throws for another key. */
export function refuseOtherKey(key: LedgerKey, other: LedgerKey): void {
  const same = key.namespace === other.namespace && key.scope === other.scope && key.intent === other.intent;
  if (!same)
    throw new Error(
      `Cannot append to key "${other.intent}" in a decision about "${key.intent}". Decide on it by itself.`,
    );
}
