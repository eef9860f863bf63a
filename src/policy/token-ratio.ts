import type { RequestOf, RunEvent, ScheduledAttempt } from '../contracts/events.ts';
import type { ModelTarget } from '../contracts/middleware.ts';

/** Characters a token holds, of what a model is given and of what it answers. */
export interface TokenRatio {
  readonly input: number;
  readonly output: number;
  /** Counted in this run; otherwise the rule of thumb. */
  readonly isCounted: { readonly input: boolean; readonly output: boolean };
}

/**
 * What nobody counted should rather cost too much than too little, for budgets go by it: English prose has about 4, as OpenAI and
 * Google put it in their guides; JSON, code and other languages have fewer.
 */
const RULE_OF_THUMB = 3;

interface Count {
  chars: number;
  tokens: number;
}

/**
 * How many characters of a run made a token, by model, from its requests that came to their end with their tokens counted: a
 * better guess than a rule of thumb where it is not English, and it has hidden reasoning in it.
 */
export function tokenRatios(events: readonly RunEvent[]): (target: ModelTarget) => TokenRatio {
  const counts = new Map<string, { input: Count; output: Count }>();
  const chars = new Map<string, number>();
  for (const event of events) {
    if (event.type === 'request-sent' && event.inputChars !== undefined) chars.set(requestKey(event), event.inputChars);
    if (event.type !== 'request-ended' || event.outcome !== 'whole') continue;
    const key = modelKey(event);
    const known = counts.get(key) ?? { input: { chars: 0, tokens: 0 }, output: { chars: 0, tokens: 0 } };
    counts.set(key, known);
    count(known.input, chars.get(requestKey(event)), event.usage.inputTokens);
    count(known.output, event.outputChars, event.usage.outputTokens);
  }
  return (target) => {
    const { input, output } = counts.get(modelKey(target)) ?? {};
    return {
      input: ratioOf(input),
      output: ratioOf(output),
      isCounted: { input: isCounted(input), output: isCounted(output) },
    };
  };
}

const modelKey = ({ account, model }: ModelTarget): string => `${account}/${model}`;

const requestKey = ({ call, attempt, scheduledAt, part }: RequestOf & ScheduledAttempt): string =>
  `${call} ${attempt} ${scheduledAt ?? ''} ${part}`;

function count(into: Count, chars: number | undefined, tokens: number | null): void {
  if (!chars || !tokens) return;
  into.chars += chars;
  into.tokens += tokens;
}

const isCounted = (counted: Count | undefined): boolean => counted !== undefined && counted.tokens > 0;

const ratioOf = (counted: Count | undefined): number =>
  counted && isCounted(counted) ? counted.chars / counted.tokens : RULE_OF_THUMB;
