/**
 * What becomes of a key when its work has answered with a status.
 *
 * - `keep`: the answer is definite (2xx, 3xx, 4xx) and is given again.
 * - `free`: 429, "not now": nothing was done.
 * - `doubt`: 5xx and 408 say that something broke, not what had happened by then. Kept and given again, as Stripe does, such an
 *   answer could never be corrected; a key in doubt can, by `resolve`. So is what is no status of an answer (not 200 to 599).
 */
export function fateOf(status: number): 'keep' | 'free' | 'doubt' {
  if (status === 429) return 'free';
  const isDefinite = Number.isInteger(status) && status >= 200 && status < 500 && status !== 408;
  return isDefinite ? 'keep' : 'doubt';
}
