/** What is known of an idempotency key: nothing, a first request that still runs, or a stored result. */
export type KeyState =
  | { readonly is: 'new' }
  | { readonly is: 'running'; readonly fingerprint: string }
  | { readonly is: 'finished'; readonly fingerprint: string; readonly status: number; readonly body: string };

export type KeyVerdict =
  | { readonly is: 'act' }
  | { readonly is: 'replay'; readonly status: number; readonly body: string }
  | { readonly is: 'in-use' }
  | { readonly is: 'reused' };

/**
 * Stripe's rules for a key (docs.stripe.com/api/idempotent_requests): the first result is given again, also a 500; other
 * parameters under the same key are an error; so is a request while the first one runs. `fingerprint` stands for the
 * parameters.
 */
export function judgeKey(state: KeyState, fingerprint: string): KeyVerdict {
  if (state.is === 'new') return { is: 'act' };
  if (state.fingerprint !== fingerprint) return { is: 'reused' };
  if (state.is === 'running') return { is: 'in-use' };
  return { is: 'replay', status: state.status, body: state.body };
}
