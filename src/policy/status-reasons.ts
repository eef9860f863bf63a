import type { FailureReason } from '../contracts/failure.ts';

const REASONS: Readonly<Record<number, FailureReason>> = {
  401: 'auth',
  402: 'billing',
  403: 'forbidden',
  404: 'not-found',
  408: 'timeout',
  409: 'conflict',
  410: 'not-found',
  413: 'too-large',
  414: 'too-large',
  424: 'server',
  429: 'rate',
  // Groq's flex tier without capacity.
  498: 'capacity',
  503: 'overload',
  504: 'timeout',
  // A proxy's: the server took the request, or the connection, and did not answer in time.
  522: 'timeout',
  524: 'timeout',
  // Anthropic's own, passed on by OpenRouter and others.
  529: 'overload',
  598: 'timeout',
  599: 'timeout',
};

/** What an HTTP status says where no code of the provider says more. Undefined for a success. */
export function reasonOfStatus(status: number): FailureReason | undefined {
  if (status < 400) return undefined;
  return REASONS[status] ?? (status >= 500 ? 'server' : 'bad-request');
}

/** When to ask again what a call has cost: the row of a generation appears after seconds to minutes (OpenRouter). The last one repeats. */
export const COST_LOOK_UP_WAITS_MS: readonly number[] = Object.freeze([15_000, 30_000, 60_000, 120_000]);
