import { hasWord } from './provider-words.ts';

/** Codes that mean money, a spending cap or an account without any quota: none is cured by waiting. */
const CODES = [
  ...['insufficient_quota', 'credit_balance_exhausted', 'organization_spend_limit_exceeded'],
  ...['project_spend_limit_exceeded', 'organization_usage_limit_exceeded', 'billing_hard_limit_reached'],
  ...['billing_not_active', 'billing_error', 'enforced_spend_limit_reached', 'payment_required'],
  ...['insufficient_balance', 'insufficient_credits', 'insufficient_funds', 'BILLING_DISABLED'],
  ...['openrouter_credits', 'openrouter_key_limit', 'openrouter_guardrail_budget', 'openrouter_workspace_budget'],
  ...['weight_exceeds_budget'],
];

/** Where words are all there is (Anthropic's 400s, Gemini's tiers without a quota, servers with an account behind them). */
const PHRASES = [
  /credit balance is (too low|insufficient|exhausted)/i,
  /reached your specified [\w ]*usage limits/i,
  /(monthly|organization'?s?|project'?s?|workspace'?s?|configured) (spend|spending) (limit|cap)/i,
  /insufficient (balance|credits|funds|quota)/i,
  /(requires|has no|without) [\w ]*billing/i,
  // A quota of nothing at all; "limit: 0.5" and "limit: 05" are others.
  /\blimit:? 0(?![.\d])/i,
];

/** OpenRouter's 402 that clears up by itself: running requests hold the budget. */
const IN_FLIGHT = ['openrouter_in_flight_budget', 'in_flight_budget_exhausted'];

/** `passing`: the budget is only held by running requests. */
export function readMoney(
  words: readonly string[],
  messages: readonly string[],
  statuses: readonly number[],
): 'lasting' | 'passing' | undefined {
  if (hasWord(words, IN_FLIGHT)) return 'passing';
  if (hasWord(words, CODES) || statuses.includes(402)) return 'lasting';
  return messages.some((message) => PHRASES.some((phrase) => phrase.test(message))) ? 'lasting' : undefined;
}
