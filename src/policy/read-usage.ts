import type { LanguageModelV4Usage } from '@ai-sdk/provider';
import type { Usage } from '../contracts/events.ts';
import { readCount } from './read-count.ts';

/** Tokens as the provider counted them; null where it did not say, or said what no count can be. */
export function readUsage(usage: LanguageModelV4Usage | undefined): Usage {
  return {
    inputTokens: readCount(usage?.inputTokens.total),
    outputTokens: readCount(usage?.outputTokens.total),
    cacheReadTokens: readCount(usage?.inputTokens.cacheRead),
    cacheWriteTokens: readCount(usage?.inputTokens.cacheWrite),
  };
}
