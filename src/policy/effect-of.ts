import type { Effect } from '../contracts/effect.ts';

interface Flags {
  readonly readOnly?: boolean;
  readonly idempotent?: true | 'by-key';
}

/** The effect that a tool's flags declare. Both flags together mean read-only. */
export function effectOf({ readOnly, idempotent }: Flags): Effect {
  if (readOnly) return 'read-only';
  if (idempotent === 'by-key') return 'by-key';
  return idempotent ? 'idempotent' : 'unflagged';
}

const STRICTNESS: readonly Effect[] = ['read-only', 'idempotent', 'by-key', 'unflagged'];

/** The stricter of two: when a deploy changed a tool's flags under a run, the call is judged by the one that promises less. */
export function stricterEffect(a: Effect, b: Effect): Effect {
  return STRICTNESS.indexOf(a) >= STRICTNESS.indexOf(b) ? a : b;
}
