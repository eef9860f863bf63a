/**
 * What becomes of a key when its work has answered with a status.
 *
 * - `keep`: the answer is definite (2xx, 3xx, 4xx) and is given again.
 * - `free`: 429, "not now": nothing was done.
 * - `doubt`: 5xx and 408 say that something broke, not what had happened by then. Kept and given again, as Stripe does, such an
 *   answer could never be corrected; a key in doubt can, by `resolve`.
 */
export function fateOf(status: number): 'keep' | 'free' | 'doubt' {
  if (status === 429) return 'free';
  return status >= 500 || status === 408 ? 'doubt' : 'keep';
}
