import type { RunEvent, Usage } from '../contracts/events.ts';
import type { RunTrace, SpanContext, SpanRecord } from '../contracts/span.ts';
import { NAMES } from '../contracts/telemetry-names.ts';
import { attemptSpans } from './attempt-spans.ts';
import { callsOfEvents, type AttemptFacts, type CallFacts } from './calls-of-events.ts';
import { errorTypeOf } from './error-type.ts';
import { humanSpans } from './human-spans.ts';
import { targetOf } from './model-label.ts';
import { spanId, traceId } from './stable-id.ts';

type Of<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>;
type Error = NonNullable<SpanRecord['error']>;

/**
 * The trace of one run, out of what is on record about it: `invoke_agent` with a `chat` and an `execute_tool` for each call, and
 * their attempts. Parents come before their children. The same events give the same ids wherever they are read; while the run
 * goes on, what is open has no end. Empty when its start is not on record.
 */
export function traceOf(run: string, events: readonly RunEvent[]): readonly SpanRecord[] {
  const started = events.find((event) => event.type === 'run-started');
  if (!started) return [];
  const ended = events.findLast((event) => event.type === 'run-ended');
  const calls = callsOfEvents(events);
  const context = { traceId: traceId(run), spanId: spanId({ run, segment: 0 }) };
  const of: RunTrace = { run, agent: started.agent, context, endedMs: ended?.at ?? null };
  return [
    rootSpan(of, { startMs: started.at, ended, calls }),
    ...calls.flatMap((call) => callSpans(of, call)),
    ...humanSpans(of, events),
  ];
}

interface RootFacts {
  readonly startMs: number;
  readonly ended: Of<'run-ended'> | undefined;
  readonly calls: readonly CallFacts[];
}

function rootSpan({ run, agent, context }: RunTrace, { startMs, ended, calls }: RootFacts): SpanRecord {
  const ofKind = (kind: CallFacts['kind']) => calls.filter((call) => call.kind === kind).length;
  return {
    name: `invoke_agent ${agent}`,
    kind: 'internal',
    context,
    startMs,
    endMs: ended?.at ?? null,
    attributes: {
      [NAMES.operation]: 'invoke_agent',
      [NAMES.agent]: agent,
      [NAMES.run]: run,
      [NAMES.segment]: 0,
      ...(ended && { [NAMES.segmentEnd]: ended.status === 'stopped' ? 'cancelled' : ended.status }),
      [NAMES.runCalls]: ofKind('model'),
      [NAMES.runToolCalls]: ofKind('tool'),
      [NAMES.runAttempts]: calls.reduce((sum, { attempts }) => sum + attempts.length, 0),
    },
    links: [],
    // A run that was stopped did what it was told.
    ...(ended?.status === 'failed' && { error: lastError(calls) }),
  };
}

function lastError(calls: readonly CallFacts[]): Error {
  const failed = calls.findLast((call) => errorOf(call) !== undefined);
  return (failed && errorOf(failed)) ?? { type: '_OTHER' };
}

function callSpans(of: RunTrace, call: CallFacts): readonly SpanRecord[] {
  const context = { traceId: of.context.traceId, spanId: spanId({ run: of.run, call: call.call }) };
  const error = errorOf(call);
  const logical: SpanRecord = {
    name: call.kind === 'model' ? `chat ${targetOf(call.name, 0).model}` : `execute_tool ${call.name}`,
    kind: call.kind === 'model' ? 'client' : 'internal',
    context,
    parent: of.context,
    startMs: call.startMs,
    endMs: endOf(call) ?? of.endedMs,
    attributes: { ...aboutCall(of, call), ...usageOf(call) },
    links: [],
    ...(error && { error }),
  };
  return [logical, ...attemptSpans(of, call, context), ...lateSpan(of, call, context)];
}

const isDone = ({ end }: AttemptFacts): boolean => end !== undefined && end.nextWaitMs === undefined;

/** A tool call ends with its answer; a model call with an attempt after which none follows. */
function endOf({ kind, attempts, answered }: CallFacts): number | undefined {
  if (kind === 'tool') return answered?.at;
  const last = attempts.at(-1);
  return last && isDone(last) ? last.end?.at : undefined;
}

/** Whether the call as a whole has failed: a failure that was repeated, and then went well, is none. */
function errorOf({ kind, attempts, answered }: CallFacts): Error | undefined {
  const last = attempts.at(-1)?.end;
  const failure = last?.failure;
  const own: Error | undefined = failure && { type: errorTypeOf(failure), message: failure.message };
  if (kind === 'model') return last?.outcome === 'failure' && last.nextWaitMs === undefined ? own : undefined;
  switch (answered?.reply.status) {
    case 'failed':
      return own ?? { type: 'tool_error' };
    case 'blocked':
      return { type: 'tool_rejected' };
    case 'unavailable':
      return own ?? { type: '_OTHER' };
    case 'ok':
    case 'pending':
    case undefined:
      return undefined;
  }
}

function aboutCall({ run, agent }: RunTrace, { call, kind, name, attempts }: CallFacts): SpanRecord['attributes'] {
  const { account, model } = targetOf(name, 0);
  return {
    ...(kind === 'model'
      ? { [NAMES.operation]: 'chat', [NAMES.provider]: account, [NAMES.requestModel]: model }
      : { [NAMES.operation]: 'execute_tool', [NAMES.tool]: name }),
    [NAMES.agent]: agent,
    [NAMES.run]: run,
    [NAMES.call]: call,
    [NAMES.callAttempts]: attempts.length,
  };
}

/** The usage of the attempt that counts, and what all of them have used: what nobody reported is left out. */
function usageOf({ kind, attempts }: CallFacts): SpanRecord['attributes'] {
  if (kind === 'tool') return {};
  const winner = attempts.findLast(({ end }) => end?.outcome === 'success');
  const responseId = winner?.requests.find(({ end }) => end?.outcome === 'whole')?.end?.responseId;
  const all = attempts.flatMap(({ requests }) => requests.flatMap(({ end }) => (end ? [end.usage] : [])));
  return {
    ...(responseId !== undefined && { [NAMES.responseId]: responseId }),
    ...(winner?.end?.usage && namedUsage(winner.end.usage)),
    ...totalOf(NAMES.callInputTokens, all, 'inputTokens'),
    ...totalOf(NAMES.callOutputTokens, all, 'outputTokens'),
  };
}

function totalOf(name: string, usages: readonly Usage[], field: keyof Usage): SpanRecord['attributes'] {
  const known = usages.flatMap((usage) => usage[field] ?? []);
  return known.length === 0 ? {} : { [name]: known.reduce((sum, tokens) => sum + tokens, 0) };
}

const namedUsage = ({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: Usage) => ({
  ...(inputTokens !== null && { [NAMES.inputTokens]: inputTokens }),
  ...(outputTokens !== null && { [NAMES.outputTokens]: outputTokens }),
  ...(cacheReadTokens !== null && { [NAMES.cacheReadTokens]: cacheReadTokens }),
  ...(cacheWriteTokens !== null && { [NAMES.cacheWriteTokens]: cacheWriteTokens }),
});

/** News of a call that nobody waited for any more: a moment, for its span has been exported long ago. */
function lateSpan({ run }: RunTrace, { call, late }: CallFacts, parent: SpanContext): readonly SpanRecord[] {
  if (!late) return [];
  return [
    {
      name: 'late_outcome',
      kind: 'internal',
      context: { traceId: parent.traceId, spanId: spanId({ run, call: `${call}/late` }) },
      parent,
      startMs: late.at,
      endMs: late.at,
      attributes: {
        [NAMES.run]: run,
        [NAMES.call]: call,
        [NAMES.attemptOutcome]: late.is === 'done' ? 'late_success' : 'late_failure',
      },
      links: [{ to: parent, reason: 'late_outcome_of' }],
    },
  ];
}
