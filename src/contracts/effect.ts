/**
 * What a repeated execution of a tool would mean. Derived once from the tool's flags; everything else reads this word.
 *
 * - `read-only`: changes nothing; may be repeated freely.
 * - `idempotent`: the same arguments again change nothing more.
 * - `by-key`: the receiver deduplicates on our idempotency key.
 * - `unflagged`: may act again each time it runs, so it never runs again on a guess.
 */
export type Effect = 'read-only' | 'idempotent' | 'by-key' | 'unflagged';
