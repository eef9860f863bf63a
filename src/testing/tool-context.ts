import type { ToolContext } from '../contracts/tool.ts';

/** A request that a tool made through `ctx.fetch`, as it left. `answer`: the status, or what went wrong. */
export interface ToolRequest {
  readonly method: string;
  readonly url: string;
  /** Names in lower case; the idempotency key is among them, as in a run. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly answer: number | string;
}

export interface ToolContextOptions {
  /** Default: 32 hex digits that are always the same. */
  readonly idempotencyKey?: string;
  /** Answers the tool's requests. Default: the real `fetch`, for servers on this machine only. */
  readonly fetch?: typeof fetch;
  /** Default 1. */
  readonly attempt?: number;
  /** Default: one that never fires. */
  readonly signal?: AbortSignal;
}

/** What a tool gets in a run, for a test of the tool alone; and what the tool did with it. */
export interface TestToolContext extends ToolContext {
  /** Every request so far, in order. */
  readonly requests: readonly ToolRequest[];
  /** What was said with `heartbeat`, in order. */
  readonly heartbeats: readonly string[];
  /** What was said with `log`, in order. */
  readonly logged: readonly string[];
}

const KEY = '00112233445566778899aabbccddeeff';
const ATTEMPT_MS = 60_000;

/** A context for one execution of a tool. Nothing is retried, recorded in a ledger, or judged: that is the run's part. */
export function toolContext(options: ToolContextOptions = {}): TestToolContext {
  const { idempotencyKey = KEY, fetch: send = fetchHere, attempt = 1 } = options;
  const signal = options.signal ?? new AbortController().signal;
  const requests: ToolRequest[] = [];
  const heartbeats: string[] = [];
  const logged: string[] = [];
  const log = (message: string) => {
    logged.push(message);
  };
  return {
    ...{ runId: 'test-run', taskId: 'test-task', callId: 't0c0', attempt, idempotencyKey, signal },
    deadline: Date.now() + ATTEMPT_MS,
    fetch: recordingFetch(send, requests, { idempotencyKey, signal }),
    heartbeat: (progress = '') => {
      heartbeats.push(progress);
    },
    log: { info: log, warn: log },
    requests,
    heartbeats,
    logged,
  };
}

function recordingFetch(
  send: typeof fetch,
  requests: ToolRequest[],
  { idempotencyKey, signal }: Pick<ToolContext, 'idempotencyKey' | 'signal'>,
): typeof fetch {
  return async (target, init) => {
    const asked = new Request(target, init);
    const headers = { 'idempotency-key': idempotencyKey, ...Object.fromEntries(asked.headers) };
    const body = await asked.text();
    const keep = (answer: number | string) => {
      requests.push({ method: asked.method, url: asked.url, headers, body, answer });
    };
    try {
      const ended = AbortSignal.any([signal, asked.signal]);
      const response = await send(asked.url, {
        ...init,
        method: asked.method,
        headers,
        signal: ended,
        ...bodyOf(body),
      });
      keep(response.status);
      return response;
    } catch (error) {
      keep(error instanceof Error ? error.message : String(error));
      throw error;
    }
  };
}

const bodyOf = (body: string): Pick<RequestInit, 'body'> => (body === '' ? {} : { body });

/** A test that forgot to give a `fetch` must not refund anything. */
const fetchHere: typeof fetch = async (target, init) => {
  const { hostname, href } = new URL(target instanceof Request ? target.url : target);
  if (['127.0.0.1', 'localhost', '[::1]'].includes(hostname)) return fetch(target, init);
  throw new Error(
    `toolContext() sends to this machine only, and the tool asked for ${href}. Answer it in the test: toolContext({ fetch: async () => Response.json({ … }) }).`,
  );
};
