import type { RunEvent } from '../contracts/events.ts';
import type { RunTrace, SpanRecord } from '../contracts/span.ts';
import { NAMES } from '../contracts/telemetry-names.ts';
import { spanId } from './stable-id.ts';

type Asked = Extract<RunEvent, { type: 'question-raised' }>;
type Over = Extract<RunEvent, { type: 'question-settled' | 'question-expired' }>;

/** A span for each question to people, from when it was asked to when it was over. */
export function humanSpans(trace: RunTrace, events: readonly RunEvent[]): readonly SpanRecord[] {
  const asked = new Map(events.flatMap((event) => (event.type === 'question-raised' ? [[event.question, event]] : [])));
  return [...asked.values()].map((question) => humanSpan(trace, question, events.find(isEndOf(question))));
}

const isEndOf =
  ({ question }: Asked) =>
  (event: RunEvent): event is Over =>
    (event.type === 'question-settled' || event.type === 'question-expired') && event.question === question;

function humanSpan({ run, context, endedMs }: RunTrace, asked: Asked, over: Over | undefined): SpanRecord {
  const { question, call, kind = 'outcome', at } = asked;
  const endMs = over?.at ?? endedMs;
  return {
    name: `await_human ${kind}`,
    kind: 'internal',
    context: { traceId: context.traceId, spanId: spanId({ run, call: `question/${question}` }) },
    parent: context,
    startMs: at,
    endMs,
    attributes: {
      [NAMES.run]: run,
      [NAMES.call]: call,
      [NAMES.humanKind]: kind,
      ...(over && { [NAMES.humanOutcome]: over.type === 'question-settled' ? 'settled' : 'expired' }),
      ...(endMs !== null && { [NAMES.waitMs]: endMs - at }),
    },
    links: [],
    ...(over?.type === 'question-expired' && { error: { type: 'human_timeout' as const } }),
  };
}
