import type { Cost } from '../contracts/cost.ts';
import type { RunEvent, Usage } from '../contracts/events.ts';
import type { ModelPrice } from '../contracts/price.ts';
import type { RequestFacts } from './calls-of-events.ts';
import { priceTokens } from './price-tokens.ts';
import type { TokenRatio } from './token-ratio.ts';

export interface CostBasis {
  readonly price: ModelPrice | undefined;
  readonly ratio: TokenRatio;
  /** Characters of its reply that were passed on while it came: what there is to go by where its end is not on record. */
  readonly passedChars?: number | undefined;
  /** What the provider said when it was asked later. */
  readonly found?: Extract<RunEvent, { type: 'cost-found' }> | undefined;
}

/** What one request cost, by the best that is on record about it: the provider's own figure beats the price table. */
export function costOfRequest({ sent, end }: RequestFacts, { price, ratio, passedChars, found }: CostBasis): Cost {
  if (found) return { is: 'measured', micros: found.costMicros, by: 'look-up' };
  if (end?.costMicros !== undefined) return { is: 'measured', micros: end.costMicros, by: 'provider' };
  if (end?.billed === 'no') return { is: 'measured', micros: 0, by: 'refused' };
  if (!price) return { is: 'unknown', why: 'no-price' };
  const input = guess(end?.usage.inputTokens, sent.inputChars, ratio.input, ratio.isCounted.input);
  const output = guess(
    end?.usage.outputTokens,
    end ? end.outputChars : passedChars,
    ratio.output,
    ratio.isCounted.output,
  );
  if (!input) return { is: 'unknown', why: 'no-usage' };
  const micros = priceTokens(tokensOf(input.tokens, output?.tokens ?? 0, end?.usage), price);
  if (micros === null) return { is: 'unknown', why: 'no-price' };
  // What was counted before nobody listened any more may not be all that was generated.
  const isFinal = end?.outcome === 'whole' || end?.outcome === 'broken';
  if (isFinal && input.from === COUNTED && output?.from === COUNTED) return { is: 'measured', micros, by: 'price' };
  return {
    is: 'estimate',
    micros,
    how: `input ${input.from}, output ${output?.from ?? 'not on record, taken as none'}`,
  };
}

const COUNTED = 'as counted';

interface Guess {
  readonly tokens: number;
  readonly from: string;
}

function guess(
  tokens: number | null | undefined,
  chars: number | undefined,
  ratio: number,
  isCounted: boolean,
): Guess | undefined {
  if (tokens !== null && tokens !== undefined) return { tokens, from: COUNTED };
  if (chars === undefined) return undefined;
  const rate = `${Math.round(ratio * 10) / 10} a token`;
  return { tokens: Math.ceil(chars / ratio), from: `by characters, ${rate}${isCounted ? ' as in this run' : ''}` };
}

const tokensOf = (inputTokens: number, outputTokens: number, usage: Usage | undefined) => ({
  inputTokens,
  outputTokens,
  cacheReadTokens: usage?.cacheReadTokens ?? 0,
  cacheWriteTokens: usage?.cacheWriteTokens ?? 0,
});
