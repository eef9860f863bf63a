/** One case of a failure and what we must make of it. The fields are described in test/fixtures/provider-failures/README.md. */
export interface Fixture {
  readonly name: string;
  readonly title?: string;
  readonly provider: string;
  readonly call: string;
  readonly tools?: readonly string[];
  readonly now?: string;
  readonly response?: FixtureResponse;
  readonly responses?: readonly FixtureResponse[];
  readonly fault?: FixtureFault;
  readonly client?: FixtureClient;
  readonly tool?: FixtureTool;
  readonly outcome?: FixtureOutcome;
  readonly expect: Expected;
}

export interface FixtureResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly parts?: readonly string[];
  readonly sse?: readonly SseEvent[];
  readonly awsEvents?: readonly AwsEvent[];
  readonly delayMs?: number;
  readonly hang?: boolean;
  readonly end?: 'clean' | 'close' | 'reset' | 'reset-now' | 'hang' | 'bad-chunk';
}

export interface SseEvent {
  readonly event?: string;
  readonly data?: unknown;
  readonly comment?: string;
  readonly raw?: string;
}

export interface AwsEvent {
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: unknown;
  readonly cutBytes?: number;
}

export interface FixtureFault {
  readonly kind: string;
  readonly code?: string;
  readonly bytes?: string;
  readonly cert?: 'selfsigned' | 'expired' | 'wronghost';
  readonly trust?: boolean;
  readonly afterBytes?: number;
}

export interface FixtureClient {
  readonly headersTimeoutMs?: number;
  readonly bodyTimeoutMs?: number;
  readonly connectTimeoutMs?: number;
  readonly attemptTimeoutMs?: number;
  readonly callerAbortMs?: number;
  readonly callerReason?: string;
  readonly callerTimeoutMs?: number;
  readonly timeoutMs?: number;
}

export interface FixtureTool {
  readonly name: string;
  readonly readOnly?: boolean;
  readonly sideEffect?: boolean;
  readonly idempotent?: true | 'by-key';
  readonly idempotencyKey?: string;
  readonly via?: 'ctx.fetch' | 'own client';
  readonly thrown?: 'unknown' | 'refused';
  readonly refusedStatuses?: readonly number[];
}

export interface FixtureOutcome {
  readonly http?: {
    readonly status: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: unknown;
  };
  readonly socket?: string;
  readonly throws?: { readonly name?: string; readonly message?: string; readonly [field: string]: unknown };
  readonly timeout?: boolean;
  readonly crash?: boolean;
  readonly returns?: unknown;
}

export type Expected = Readonly<Record<string, unknown>>;

/** What we made of a case, in the words of `expect`. */
export interface Finding {
  readonly class: string;
  readonly reason: string;
  readonly retry: boolean;
  readonly wait: Wait;
  readonly resetsAt?: string;
  readonly overCap?: boolean;
  readonly runTools?: boolean;
  readonly resetStream?: boolean;
  readonly billed?: string;
  readonly sent?: string;
}

export type Wait =
  | { readonly source: 'none' | 'backoff' }
  | { readonly source: 'server'; readonly ms: number; readonly from: string }
  | { readonly source: 'schedule'; readonly ms: readonly number[] };
