import type { Failure } from '../contracts/failure.ts';
import { readErrorFacts } from './error-facts.ts';
import { readRetryAfter } from './retry-after.ts';

const TRANSIENT_STATUSES = [408, 409, 425, 429, 500, 502, 503, 504, 529];
const CONNECTION_CODES = /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_)/;
const QUOTA = /insufficient[_ ]quota|billing|credit balance|exceeded your current quota/i;

/**
 * Names the failure of a model attempt: transport codes first, then the status, with quota words beating it. A model call
 * changes nothing, so its delivery never matters. Anything nobody has named is permanent: it stops once.
 */
export function classifyModelError(error: unknown, now: number): Failure {
  const { message, codes, status, messages, names } = readErrorFacts(error);
  const failure = { delivery: 'maybe-sent', message: `The model could not be asked: ${message}` } as const;
  const isConnection = codes.some((code) => CONNECTION_CODES.test(code)) || messages.includes('terminated');
  if (isConnection || names.includes('IncompleteReply')) return { ...failure, kind: 'transient' };
  if (status === undefined) return { ...failure, kind: 'permanent' };
  const isQuota = messages.some((text) => QUOTA.test(text));
  const waitMs = readRetryAfter((name) => headerOf(error, name), now);
  return {
    ...failure,
    kind: TRANSIENT_STATUSES.includes(status) && !isQuota ? 'transient' : 'permanent',
    status,
    ...(waitMs === undefined ? {} : { waitMs }),
  };
}

function headerOf(error: unknown, name: string): string | null {
  const headers = (error as { responseHeaders?: unknown } | null)?.responseHeaders;
  if (typeof headers !== 'object' || headers === null) return null;
  const value = (headers as Record<string, unknown>)[name];
  return typeof value === 'string' ? value : null;
}
