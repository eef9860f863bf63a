import type { ErrorType } from './telemetry-names.ts';

export interface SpanContext {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
}

/** Where a span points without being its child: `previous_attempt`, `late_outcome_of`. */
export interface SpanLink {
  readonly to: SpanContext;
  readonly reason: string;
}

/** One span of a trace as data; its names are those of `telemetry-names.ts`. Times are epoch milliseconds. */
export interface SpanRecord {
  readonly name: string;
  readonly kind: 'client' | 'internal';
  readonly context: SpanContext;
  /** Undefined for the root. */
  readonly parent?: SpanContext;
  readonly startMs: number;
  /** Null while it goes on. */
  readonly endMs: number | null;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  readonly links: readonly SpanLink[];
  /** Absent: it did not fail. What was repeated and then went well is an error of the attempt, never of the call. */
  readonly error?: { readonly type: ErrorType; readonly message?: string };
}

/** The trace of one run that spans are made for. */
export interface RunTrace {
  readonly run: string;
  readonly agent: string;
  /** Of its root. */
  readonly context: SpanContext;
  /** When the run ended, epoch milliseconds; null while it goes on. */
  readonly endedMs: number | null;
}
