import type { Limits } from '../contracts/agent.ts';
import type { Amount } from '../contracts/amount.ts';
import type { RunFacts, Tool } from '../contracts/tool.ts';
import { RUN_DEFAULTS } from '../policy/define-agent.ts';
import { readErrorFacts } from '../policy/error-facts.ts';

/** How often calls like this one came before. */
export interface Repetitions {
  /** With these arguments. */
  readonly equal: number;
  /** Just as the model wrote it, answered with `failed`. */
  readonly failures: number;
  readonly limits: Pick<Limits, 'equalCalls' | 'equalFailures'>;
}

/** Why somebody must agree before a call is made, one reason a line; empty: nobody need. */
export function reasonsToAsk(tool: Tool, input: unknown, run: RunFacts, repetitions: Repetitions): readonly string[] {
  const { equal, failures, limits } = repetitions;
  const mostEqual = limits.equalCalls ?? RUN_DEFAULTS.equalCalls;
  const mostFailures = limits.equalFailures ?? RUN_DEFAULTS.equalFailures;
  // A named action is done once, however often it is asked for; only an unnamed one would be done again each time.
  const isRunaway = tool.effect === 'unflagged' && tool.intent === undefined && equal >= mostEqual;
  return [
    ...reasonOfTool(tool, input, run),
    ...(isRunaway ? [`the same call has been made ${equal} times already in this run`] : []),
    ...(failures >= mostFailures ? [`the same call has failed ${failures} times in this run`] : []),
  ];
}

function reasonOfTool({ name, needsApproval }: Tool, input: unknown, run: RunFacts): readonly string[] {
  if (typeof needsApproval !== 'function') return needsApproval ? [`${name} always needs an approval`] : [];
  try {
    const answer: unknown = needsApproval(input, run);
    if (answer === false) return [];
    if (answer === true) return [`${name} needs an approval for these arguments`];
    if (typeof answer === 'string' && answer !== '') return [answer.slice(0, MAX_REASON)];
    return [`needsApproval of ${name} answered neither true, false nor a reason (a bug in the tool)`];
  } catch (error) {
    return [`needsApproval of ${name} failed: ${readErrorFacts(error).message}`];
  }
}

const MAX_REASON = 500;

/** What a call is worth; null when its tool could not tell, undefined when it names no amount. */
export function amountOf({ amount }: Tool, input: unknown): Amount | null | undefined {
  if (!amount) return undefined;
  try {
    return readAmount(amount(input));
  } catch {
    // Not known counts as high: `needOf`.
    return null;
  }
}

function readAmount(answer: unknown): Amount | null {
  if (typeof answer === 'number') return Number.isFinite(answer) ? { value: answer } : null;
  const { value, currency } = (answer ?? {}) as { readonly value?: unknown; readonly currency?: unknown };
  if (typeof value !== 'number' || !Number.isFinite(value)) return null;
  return typeof currency === 'string' ? { value, currency: currency.slice(0, 10) } : { value };
}
