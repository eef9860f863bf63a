/** How long after its send-by time a claim may still be on its way to its record: start-to-close is longer by this. */
export const RECORD_GRACE_MS = 5_000;

/** Writes to the ledger are tried until so long before start-to-close; then the verdict is reported with its record pending. */
export const REPORT_BEFORE_MS = 2_000;

/** A held key is asked again after 1 s, doubling to 1 min. */
export const heldWaitMs = (waits: number): number => Math.min(60_000, 1_000 * 2 ** waits);

/** The ledger is asked about an open question after 1 s, doubling to 15 min: one poll is 11 events of history. */
export const pollWaitMs = (polls: number): number => Math.min(900_000, 1_000 * 2 ** polls);
