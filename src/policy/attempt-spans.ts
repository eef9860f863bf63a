import type { Usage } from '../contracts/events.ts';
import type { RunTrace, SpanContext, SpanLink, SpanRecord } from '../contracts/span.ts';
import { NAMES } from '../contracts/telemetry-names.ts';
import type { AttemptFacts, CallFacts, RequestFacts } from './calls-of-events.ts';
import { cleanMessage } from './clean-message.ts';
import { errorTypeOf } from './error-type.ts';
import { spanId } from './stable-id.ts';

type Error = NonNullable<SpanRecord['error']>;

/**
 * A span for each attempt of a call, and where one attempt asked several models, for each request under it. They carry no
 * `gen_ai.*`: what they used is on the call, and would be counted twice.
 */
export function attemptSpans(trace: RunTrace, call: CallFacts, parent: SpanContext): readonly SpanRecord[] {
  const { run } = trace;
  const subjects = subjectsOf(call);
  return call.attempts.flatMap((attempt, at) => {
    const [subject, before] = [subjects[at] ?? { call: call.call }, subjects[at - 1]];
    const context = { traceId: parent.traceId, spanId: spanId({ run, ...subject }) };
    const links: readonly SpanLink[] = before
      ? [{ to: { ...context, spanId: spanId({ run, ...before }) }, reason: 'previous_attempt' }]
      : [];
    const endMs = attempt.end?.at ?? call.attempts[at + 1]?.startMs ?? call.answered?.at ?? trace.endedMs;
    const span = { ...attemptSpan(trace, call, attempt, endMs), context, parent, links };
    const requests = requestSpans(run, attempt, { context, endMs, idOf: (part) => spanId({ run, ...subject, part }) });
    return [span, ...requests];
  });
}

/** What the id of each attempt is about. A schedule made anew counts its attempts anew: the second of a number has an id of its own. */
function subjectsOf({ call, attempts }: CallFacts): readonly { readonly call: string; readonly attempt: number }[] {
  return attempts.map(({ number: attempt }, at) => {
    const earlier = attempts.slice(0, at).filter((other) => other.number === attempt).length;
    return { call: earlier === 0 ? call : `${call}#${earlier + 1}`, attempt };
  });
}

function attemptSpan(
  { run }: RunTrace,
  { call, kind, name }: CallFacts,
  { number, startMs, end }: AttemptFacts,
  endMs: number | null,
): Omit<SpanRecord, 'context' | 'parent' | 'links'> {
  // Without a word of its end, though it is over: whoever made it is gone.
  const outcome = end?.outcome ?? (endMs === null ? undefined : 'unknown');
  const error = errorOf(end, endMs);
  const { reason, status } = end?.failure ?? {};
  return {
    name: `attempt ${kind === 'model' ? 'chat' : 'execute_tool'}`,
    kind: 'internal',
    startMs,
    endMs,
    attributes: {
      [NAMES.run]: run,
      [NAMES.call]: call,
      [NAMES.attempt]: number,
      [NAMES.attemptKind]: number === 1 ? 'primary' : 'retry',
      [kind === 'model' ? NAMES.attemptModel : NAMES.attemptTool]: name,
      ...(outcome && { [NAMES.attemptOutcome]: outcome }),
      ...(outcome === 'failure' && { [NAMES.attemptRetryable]: end?.nextWaitMs !== undefined }),
      ...(end?.nextWaitMs !== undefined && { [NAMES.attemptNextDelayMs]: end.nextWaitMs }),
      ...tokensOf(end?.usage),
      ...(reason !== undefined && { [NAMES.errorReason]: reason }),
      ...(status !== undefined && { [NAMES.errorStatus]: status }),
    },
    ...(error && { error }),
  };
}

/** What nobody reported is left out: it is not 0. */
function tokensOf({ inputTokens, outputTokens }: Pick<Usage, 'inputTokens' | 'outputTokens'> = UNKNOWN) {
  return {
    ...(inputTokens !== null && { [NAMES.attemptInputTokens]: inputTokens }),
    ...(outputTokens !== null && { [NAMES.attemptOutputTokens]: outputTokens }),
  };
}

const UNKNOWN = { inputTokens: null, outputTokens: null };

const MESSAGE_LENGTH = 256;

function errorOf(end: AttemptFacts['end'], endMs: number | null): Error | undefined {
  if (!end) return endMs === null ? undefined : { type: 'worker_lost' };
  if (end.outcome !== 'failure' && end.outcome !== 'unknown') return undefined;
  if (!end.failure) return { type: '_OTHER' };
  return { type: errorTypeOf(end.failure), message: cleanMessage(end.failure.message).slice(0, MESSAGE_LENGTH) };
}

interface AttemptSpan {
  readonly context: SpanContext;
  readonly endMs: number | null;
  readonly idOf: (part: number) => string;
}

function requestSpans(run: string, { number, requests }: AttemptFacts, attempt: AttemptSpan): readonly SpanRecord[] {
  if (requests.length < 2) return [];
  const { traceId } = attempt.context;
  return requests.map(({ sent, end }) => ({
    name: `request ${sent.model}`,
    kind: 'client',
    context: { traceId, spanId: attempt.idOf(sent.part) },
    parent: attempt.context,
    startMs: sent.at,
    endMs: end?.at ?? attempt.endMs,
    attributes: {
      [NAMES.run]: run,
      [NAMES.call]: sent.call,
      [NAMES.attempt]: number,
      [NAMES.attemptKind]: kindOf(sent),
      [NAMES.attemptModel]: `${sent.account}/${sent.model}`,
      ...(end && { [NAMES.attemptOutcome]: OUTCOMES[end.outcome] }),
      ...tokensOf(end?.usage),
    },
    links: [],
    ...(end && OUTCOMES[end.outcome] === 'failure' && { error: { type: '_OTHER' as const } }),
  }));
}

/** A hedge that lost, or that nobody waited for, did nothing wrong. */
const OUTCOMES: Readonly<Record<NonNullable<RequestFacts['end']>['outcome'], string>> = {
  whole: 'success',
  broken: 'failure',
  cut: 'failure',
  'lost-hedge': 'cancelled',
  left: 'cancelled',
};

function kindOf({ reason, part }: RequestFacts['sent']): string {
  if (reason === 'hedge') return 'hedge';
  if (part > 1) return 'fallback';
  return reason === 'first' ? 'primary' : 'retry';
}
