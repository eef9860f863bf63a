import type { FetchRequest, RequestAnswer, SentRequest, ToolFetch } from '../contracts/fetch-record.ts';
import { readHeaderWait } from '../policy/asked-wait.ts';
import { answerOfError } from '../policy/connection-phase.ts';
import { readErrorFacts } from '../policy/error-facts.ts';

export interface ToolFetchOptions extends FetchRequest {
  /** What really sends. Its dispatcher must have no time-outs of its own. */
  readonly fetch: typeof fetch;
  readonly now: () => number;
}

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/**
 * A `fetch` that keeps account: which requests could have changed something, and how each was answered. The account, not the
 * error a tool throws, is what proves that nothing happened.
 */
export function createToolFetch(options: ToolFetchOptions): ToolFetch {
  const requests: (Omit<SentRequest, 'answer'> & { answer: RequestAnswer })[] = [];
  const tracked: typeof fetch = async (target, init) => {
    const request = readRequest(target, init, requests);
    const changes = !SAFE_METHODS.includes(request.method);
    const answer: RequestAnswer = { is: 'open' };
    const entry = { changes, method: request.method, url: withoutQuery(request.url), answer: answer as RequestAnswer };
    requests.push(entry);
    if (changes && options.now() >= options.sendBy) {
      entry.answer = { is: 'not-sent', why: 'its time to send had passed', isLasting: false };
      throw new Error(`${request.method} ${entry.url} was not sent: the attempt's time to send had passed.`);
    }
    try {
      const response = await options.fetch(request.url, requestInit(request, init, changes, options));
      const asked = readHeaderWait((name) => response.headers.get(name), options.now());
      const from = asked && { waitFrom: asked.from };
      entry.answer = { is: 'status', status: response.status, waitMs: asked?.ms, ...from };
      return response;
    } catch (error) {
      entry.answer = answerOfError(readErrorFacts(error));
      throw error;
    }
  };
  return { fetch: tracked, record: () => requests };
}

/** @throws TypeError for a request that cannot be read; on record, because it never left. */
function readRequest(
  target: Parameters<typeof fetch>[0],
  init: RequestInit | undefined,
  requests: SentRequest[],
): Request {
  try {
    return new Request(target, init);
  } catch (error) {
    const { message } = readErrorFacts(error);
    const method = (init?.method ?? 'GET').toUpperCase();
    const answer = { is: 'not-sent', why: message, isLasting: true } as const;
    requests.push({ changes: !SAFE_METHODS.includes(method), method, url: 'a request that cannot be read', answer });
    throw error;
  }
}

function requestInit(
  request: Request,
  init: RequestInit | undefined,
  changes: boolean,
  { headers: added, idempotencyKey, signal }: ToolFetchOptions,
): RequestInit {
  const headers = Object.fromEntries(request.headers);
  const hasCredentials = 'authorization' in headers || 'cookie' in headers;
  return {
    ...init,
    method: request.method,
    headers: { 'idempotency-key': idempotencyKey, ...added, ...headers },
    body: init?.body ?? request.body,
    signal: AbortSignal.any([signal, request.signal]),
    // A redirect would carry the key, and perhaps credentials, to whoever is named in it.
    redirect: changes || hasCredentials ? 'manual' : request.redirect,
    ...(request.body && !init?.body ? { duplex: 'half' } : {}),
  };
}

function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
