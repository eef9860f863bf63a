import type { CostAnswer } from '../contracts/cost-look-up.ts';
import { isRecord } from './model-error-facts.ts';
import { readCount } from './read-count.ts';
import { usdToMicros, withUpstream } from './usd-to-micros.ts';

/**
 * Reads OpenRouter's row of a generation (`GET /api/v1/generation`). Its tokens are the provider's own (`native_tokens_…`). With a
 * key of one's own at the provider, that bill comes on top of the fee. Undefined: it is no such row.
 */
export function readGeneration(body: unknown): Extract<CostAnswer, { is: 'found' }> | undefined {
  const row = isRecord(body) ? body['data'] : undefined;
  if (!isRecord(row)) return undefined;
  const charged = usdToMicros(row['total_cost']);
  if (charged === null) return undefined;
  const costMicros = row['is_byok'] === true ? withUpstream(charged, row['upstream_inference_cost']) : charged;
  if (costMicros === null) return undefined;
  return {
    is: 'found',
    costMicros,
    usage: {
      inputTokens: readCount(row['native_tokens_prompt']),
      outputTokens: readCount(row['native_tokens_completion']),
      cacheReadTokens: readCount(row['native_tokens_cached']),
      cacheWriteTokens: null,
    },
  };
}
