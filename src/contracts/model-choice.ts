import type { LanguageModelV4 } from '@ai-sdk/provider';

/** `provider/model`, or an AI SDK model. */
export type ModelRef = string | LanguageModelV4;

/** Several models for one agent. */
export interface ModelChoice {
  readonly primary: ModelRef;
  /** Models that are asked beside one that is slow, one after the other; the first that begins to answer wins. Each request costs. */
  readonly hedge?: {
    /** How long each is waited for before the next is asked, in milliseconds. 0: all at once. */
    readonly afterMs: number;
    readonly models: readonly ModelRef[];
  };
  /** Asked in this order when the primary, or one of these, fails before it began to answer. */
  readonly fallback?: readonly ModelRef[];
}

/** Parts of a model call that are there unless an agent leaves them out. */
export const BUILT_INS = ['rate-limit', 'breaker', 'patience'] as const;
export type BuiltIn = (typeof BUILT_INS)[number];
