import { hasWord } from './provider-words.ts';
import type { SaidOfContent } from './said-of-content.ts';

/** Codes that mean money, a spending cap or an account without any quota: none is cured by waiting. */
const CODES = [
  ...['insufficient_quota', 'credit_balance_exhausted', 'organization_spend_limit_exceeded'],
  ...['project_spend_limit_exceeded', 'organization_usage_limit_exceeded', 'billing_hard_limit_reached'],
  ...['billing_not_active', 'billing_error', 'enforced_spend_limit_reached', 'payment_required'],
  ...['insufficient_balance', 'insufficient_credits', 'insufficient_funds', 'BILLING_DISABLED'],
  ...['openrouter_credits', 'openrouter_key_limit', 'openrouter_guardrail_budget', 'openrouter_workspace_budget'],
  ...['weight_exceeds_budget'],
];

/** Phrases that mean one thing under any status (Anthropic's 400s, Gemini's tiers without a quota, servers with an account behind them). */
const EXACT = [
  /credit balance is (too low|insufficient|exhausted)/i,
  /reached your specified [\w ]{0,60}usage limits/i,
  /(reached|exceeded|hit) (its|your|the|this) [\w' ]{0,40}(spend|spending) (limit|cap)/i,
  /insufficient (balance|credits|funds)/i,
  // A quota of nothing at all; "limit: 0.5" and "limit: 05" are others, and so is "rate limit: 0 remaining".
  /quota exceeded for (quota )?metric\b.{0,300}?\blimit:? 0(?![.\d])/i,
];

/** Where words are all there is. */
const LOOSE = [
  /(monthly|organization'?s?|project'?s?|workspace'?s?|configured) (spend|spending) (limit|cap)/i,
  /insufficient quota/i,
  /(requires|has no|without) [\w ]{0,60}billing/i,
];

/** OpenRouter's 402 that clears up by itself: running requests hold the budget. */
const IN_FLIGHT = ['openrouter_in_flight_budget', 'in_flight_budget_exhausted'];

/** `passing`: the budget is only held by running requests. */
export function readMoney(
  { words, messages, loose }: SaidOfContent,
  statuses: readonly number[],
): 'lasting' | 'passing' | undefined {
  if (hasWord(words, IN_FLIGHT)) return 'passing';
  if (hasWord(words, CODES) || statuses.includes(402)) return 'lasting';
  if (messages.some((message) => EXACT.some((phrase) => phrase.test(message)))) return 'lasting';
  return loose.some((message) => LOOSE.some((phrase) => phrase.test(message))) ? 'lasting' : undefined;
}
