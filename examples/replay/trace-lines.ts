import type { SpanRecord } from '../../src/testing/index.ts';
import { NAMES } from '../../src/contracts/telemetry-names.ts';
import { fit } from '../../src/cli/screens/fit.ts';
import { span as spanOf } from '../../src/cli/screens/times.ts';
import { attemptWords, isAttempt, waitBefore } from './attempt-words.ts';

export interface TraceScreen {
  /** Columns. */
  readonly width: number;
  readonly paint: Readonly<Record<'dim' | 'red' | 'bold', (text: string) => string>>;
}

/** Where the durations begin and end, counted from the left; what follows is notes. */
const DURATION_AT = 46;
const DURATION = 9;
const GAP = '   ';

/** A trace as a tree: a line a span, its duration, and what there is to say. Without a last newline. */
export function traceLines(spans: readonly SpanRecord[], screen: TraceScreen): string {
  const rows = spans.filter(({ parent }) => !parent).flatMap((root) => branch(root, spans, 0));
  const all = rows.map((row) => line(row, screen));
  return [...all, ...totals(spans)].join('\n');
}

interface Row {
  readonly depth: number;
  readonly text: string;
  readonly failed: boolean;
  readonly ms: number | null;
  readonly notes: readonly string[];
}

function branch(span: SpanRecord, spans: readonly SpanRecord[], depth: number): readonly Row[] {
  const children = spans
    .filter(({ parent }) => parent?.spanId === span.context.spanId)
    .toSorted((a, b) => a.startMs - b.startMs);
  const siblings = spans.filter((other) => isAttempt(other) && other.parent?.spanId === span.parent?.spanId);
  return [rowOf(span, siblings, depth), ...children.flatMap((child) => branch(child, spans, depth + 1))];
}

function rowOf(span: SpanRecord, siblings: readonly SpanRecord[], depth: number): Row {
  const { name, startMs, endMs, error } = span;
  return {
    depth,
    text: isAttempt(span) ? `attempt ${String(span.attributes[NAMES.attempt])} · ${attemptWords(span)}` : name,
    failed: error !== undefined,
    ms: endMs === null ? null : endMs - startMs,
    notes: isAttempt(span)
      ? waitBefore(span, siblings[siblings.indexOf(span) - 1])
      : [...tokensOf(span), ...(error ? [error.type] : [])],
  };
}

function tokensOf({ attributes }: SpanRecord): readonly string[] {
  const [input, output] = [attributes[NAMES.inputTokens], attributes[NAMES.outputTokens]];
  if (input === undefined && output === undefined) return [];
  return [`${String(input ?? '?')} → ${String(output ?? '?')} tokens`];
}

function line({ depth, text, failed, ms, notes }: Row, { width, paint }: TraceScreen): string {
  const label = fit(text, DURATION_AT - 2 * depth - 2);
  const indent = '  '.repeat(depth);
  const pad = ' '.repeat(Math.max(2, DURATION_AT - indent.length - label.length));
  const duration = (ms === null ? 'goes on' : spanOf(ms)).padStart(DURATION);
  const shown = depth === 0 ? paint.bold(label) : failed ? paint.red(label) : label;
  const note = notes.length === 0 ? '' : GAP + fit(notes.join(' · '), width - DURATION_AT - DURATION - GAP.length);
  return indent + shown + pad + duration + paint.dim(note);
}

/** Where the time went: calls that ran side by side count once each. */
function totals(spans: readonly SpanRecord[]): readonly string[] {
  const ended = spans.filter((span): span is SpanRecord & { endMs: number } => span.endMs !== null);
  const sum = (of: readonly { readonly startMs: number; readonly endMs: number }[]) =>
    of.reduce((ms, { startMs, endMs }) => ms + endMs - startMs, 0);
  const attempts = ended.filter(isAttempt);
  const model = sum(attempts.filter(({ name }) => name === 'attempt chat'));
  const tools = sum(attempts.filter(({ name }) => name === 'attempt execute_tool'));
  const waits = sum(
    attempts.flatMap(({ startMs, parent }, at) => {
      const before = attempts[at - 1];
      return before && before.parent?.spanId === parent?.spanId ? [{ startMs: before.endMs, endMs: startMs }] : [];
    }),
  );
  return ['', `time: model ${spanOf(model)} · tools ${spanOf(tools)} · waiting ${spanOf(waits)}`];
}
