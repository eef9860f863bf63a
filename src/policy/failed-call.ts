import type { FailureReason, ModelFailure, ModelFailureClass } from '../contracts/failure.ts';
import type { AnswerFacts } from './judge-answer.ts';
import type { Link } from './model-error-facts.ts';
import type { ProviderError } from './read-provider-error.ts';

/** What is known of a failed call before it has a name. */
export interface FailedCall {
  readonly links: readonly Link[];
  readonly said: ProviderError;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number | undefined;
  readonly answer: AnswerFacts | undefined;
  readonly streamed: boolean;
}

/** A name for the failure. `class` only where the reason alone does not tell it. */
export interface Named {
  readonly reason: FailureReason;
  readonly class?: ModelFailureClass;
  readonly sent?: ModelFailure['sent'];
}
