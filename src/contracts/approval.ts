import type { Json } from './json.ts';

/**
 * A remembered approval: calls of the tool within the task, whose arguments equal `where` field by field, need not be asked
 * about again. An empty `where` holds for any arguments.
 */
export interface ApprovalRule {
  /** Id of the decision that made it. */
  readonly id: string;
  readonly tool: string;
  readonly where: Readonly<Record<string, Json>>;
  readonly by: string;
  readonly reason: string;
}

/** Bounds on approvals: the default beside the type. Times in milliseconds. */
export interface ApprovalTerms {
  /** Unanswered so long, a question for approval expires and is asked again. Default 7 days. */
  readonly expiresMs: number;
  /** From this amount on, two different people must agree. Absent: one is enough. */
  readonly quorum: Quorum | undefined;
}

export interface Quorum {
  /** Amounts greater than this need a second person, and so does a call whose amount could not be told. */
  readonly above: number;
  /** ISO 4217. An amount in another currency needs a second person too. Absent: the number alone counts. */
  readonly currency?: string;
}

export const APPROVAL_DEFAULTS: ApprovalTerms = Object.freeze({ expiresMs: 7 * 86_400_000, quorum: undefined });
