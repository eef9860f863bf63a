import type { Quorum } from './approval.ts';
import type { CostPace } from './cost-look-up.ts';
import type { Effect } from './effect.ts';
import type { RetryBudget } from './retry-budget.ts';

/** A tool as a run knows it: what its flags and times were when the run began. No schema, no code. */
export interface ToolCard {
  readonly name: string;
  readonly effect: Effect;
  readonly timeoutMs: number;
  readonly totalTimeoutMs: number | undefined;
  readonly maxAttempts: number;
  readonly landsWithinMs: number;
  readonly onUnknown: 'wait' | 'tell-model';
  /** The tool has a look-up of its own. */
  readonly confirms: boolean;
  /** The tool can ask its receiver to call an action off. */
  readonly cancels?: boolean;
  /** Digest of the definition: a change between two deploys is visible. */
  readonly definition: string;
}

/** What a run learns from its worker in its first activity and keeps, also after a deploy. */
export interface AgentCard {
  readonly agent: string;
  readonly version: string;
  /** For people: `provider/model`. */
  readonly model: string;
  readonly tools: readonly ToolCard[];
  readonly maxTurns: number;
  /** Attempts of a model call. Absent in cards of older versions, as is the next. */
  readonly modelAttempts?: number;
  /** What the run may spend on repeating. */
  readonly retryBudget?: RetryBudget;
  readonly deadlineMs: number | undefined;
  readonly escalateTo: string | undefined;
  /** Options that lead a `holdfast` command in a new shell to this run's data; empty where the default does. */
  readonly place: string;
  /** Deciders are configured: a decision counts only with a signature. */
  readonly signed?: boolean;
  /** From which amount on two people must agree; a worker without it must not let one word pass. */
  readonly quorum?: Quorum;
  /** When people are told of a question again, and when somebody else is; in milliseconds. Absent: nobody is told. */
  readonly alerts?: AlertTimes;
  /** When a provider is asked what a reply cost. Absent: as usual. */
  readonly costPace?: CostPace;
  /** Which of our search attributes the namespace has. Only these are upserted: a missing one would wedge the run. */
  readonly searchAttributes: readonly string[];
  /** The ledger this run belongs to, and the task's counter when it began. */
  readonly ledger: LedgerView;
}

/** What a run remembers of the ledger: another id, or a lower counter, is not its ledger and nothing is sent. */
export interface LedgerView {
  readonly id: string;
  readonly counter: number;
}

/** When people are told of a question, counted from when it was asked. Milliseconds. */
export interface AlertTimes {
  readonly remindMs: number;
  /** Undefined: nobody else is told. */
  readonly escalateMs: number | undefined;
}
