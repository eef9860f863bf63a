import { NAMES } from '../../src/contracts/telemetry-names.ts';
import { wrap } from '../../src/cli/screens/fit.ts';
import { span as spanOf } from '../../src/cli/screens/times.ts';
import type { SpanRecord } from '../../src/testing/index.ts';
import { attemptWords, waitBefore } from './attempt-words.ts';
import type { TraceScreen } from './trace-lines.ts';

export interface ReplayEnd {
  readonly status: string;
  readonly text: string;
  /** Requests that came by the proxy, and how many of them it spoiled. */
  readonly requests: number;
  readonly spoiled: number;
}

const NAME = 28;
const DURATION = 10;

/** What happened, a line a call, and how it ended. Without a last newline. */
export function storyLines(spans: readonly SpanRecord[], end: ReplayEnd, { width, paint }: TraceScreen): string {
  const [root] = spans;
  const calls = spans.filter(({ parent }) => parent !== undefined && parent.spanId === root?.context.spanId);
  const { status, text, requests, spoiled } = end;
  const said = wrap(`${status}: ${text}`, width - 2);
  const shown = status === 'completed' ? said : said.map(paint.red);
  return [
    `Agent ${String(root?.attributes[NAMES.agent])}, replayed as a real run`,
    ...calls.map((call) => fitRight(`  ${storyLine(call, spans)}`, width)),
    ...shown,
    paint.dim(`${counted(requests, 'request')} to the model, ${spoiled === 0 ? 'none' : spoiled} spoiled`),
    ...(spoiled === 0 ? [`Next: npm run replay -- --faults 503,429 --trace`] : []),
  ].join('\n');
}

function storyLine(call: SpanRecord, spans: readonly SpanRecord[]): string {
  const took = call.endMs === null ? 'goes on' : spanOf(call.endMs - call.startMs);
  const attempts = spans.filter(({ parent }) => parent?.spanId === call.context.spanId);
  const words = attempts.map((attempt, at) =>
    [...waitBefore(attempt, attempts[at - 1]), attemptWords(attempt)].join(', '),
  );
  const head = call.name.padEnd(NAME) + took.padStart(DURATION);
  return `${head}   ${words.length === 0 ? (call.error?.type ?? 'ok') : words.join(', ')}`;
}

/** Cut and marked where it does not fit; the columns stay. */
const fitRight = (text: string, width: number): string => (text.length > width ? `${text.slice(0, width - 1)}…` : text);

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
