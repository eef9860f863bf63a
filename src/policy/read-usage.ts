import type { LanguageModelV4Usage } from '@ai-sdk/provider';
import type { Usage } from '../contracts/events.ts';

/** Tokens as the provider counted them; null where it did not say. */
export function readUsage(usage: LanguageModelV4Usage | undefined): Usage {
  return {
    inputTokens: usage?.inputTokens.total ?? null,
    outputTokens: usage?.outputTokens.total ?? null,
    cacheReadTokens: usage?.inputTokens.cacheRead ?? null,
    cacheWriteTokens: usage?.inputTokens.cacheWrite ?? null,
  };
}
