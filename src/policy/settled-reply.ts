import type { Decision } from '../contracts/decision.ts';
import type { CallProgress, SettledPending } from '../contracts/run.ts';
import { afterDecision } from './next-progress.ts';

/** What `check_outcome` answers about a question that is settled, by news or by a decision. Undefined: news of no end. */
export function settledReply(settled: CallProgress | Decision): Omit<SettledPending, 'question'> | undefined {
  if ('verdict' in settled) return replyToDecision(settled);
  if (settled.is !== 'closed') return undefined;
  const { reply, result } = settled;
  return { reply, ...(result && { result }) };
}

function replyToDecision(decision: Decision): Omit<SettledPending, 'question'> | undefined {
  const progress = afterDecision(decision);
  if (progress.is === 'closed') return settledReply(progress);
  // The order to repeat was for a call that has been answered: the model makes it anew, and it passes once.
  const message = `It did not happen (${decision.by}: ${decision.reason}). It is to be done: make the call again.`;
  return { reply: { status: 'failed', message, retryable: true } };
}
