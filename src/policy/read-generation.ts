import type { CostAnswer } from '../contracts/cost-look-up.ts';
import { isRecord } from './model-error-facts.ts';
import { usdToMicros } from './usd-to-micros.ts';

/**
 * Reads OpenRouter's row of a generation (`GET /api/v1/generation`). Its tokens are the provider's own (`native_tokens_…`). With a
 * key of one's own at the provider, that bill comes on top of the fee. Undefined: it is no such row.
 */
export function readGeneration(body: unknown): Extract<CostAnswer, { is: 'found' }> | undefined {
  const row = isRecord(body) ? body['data'] : undefined;
  if (!isRecord(row)) return undefined;
  const charged = usdToMicros(row['total_cost']);
  if (charged === null) return undefined;
  const upstream = row['is_byok'] === true ? (usdToMicros(row['upstream_inference_cost']) ?? 0) : 0;
  return {
    is: 'found',
    costMicros: charged + upstream,
    usage: {
      inputTokens: countIn(row, 'native_tokens_prompt'),
      outputTokens: countIn(row, 'native_tokens_completion'),
      cacheReadTokens: countIn(row, 'native_tokens_cached'),
      cacheWriteTokens: null,
    },
  };
}

function countIn(row: Readonly<Record<string, unknown>>, name: string): number | null {
  const count = row[name];
  return typeof count === 'number' && count >= 0 ? count : null;
}
