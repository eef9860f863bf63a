import type { Decision } from '../contracts/decision.ts';
import type { ResolveOutcome } from '../contracts/messages.ts';
import type { OutcomeQuestion, Question } from '../contracts/question.ts';
import { faultOfDecision, faultOfDigest } from './fault-of-decision.ts';
import { describeDecision, isSameDecision } from './settle-key.ts';

/** What is known when a decision comes in. `now` is workflow time, epoch milliseconds. */
export interface Bench {
  readonly questions: readonly Question[];
  readonly decisions: readonly Decision[];
  readonly now: number;
}

/**
 * `accepted`: it may take its place. `same`: it stands already. `early`: no such question yet; keep it for when it comes
 * (a reset replays signals first). `refused`: it uses up nothing; `why` says what stands or what is missing.
 */
export type Acceptance =
  | { readonly is: 'accepted'; readonly question: OutcomeQuestion; readonly decision: Decision }
  | { readonly is: 'same' }
  | { readonly is: 'early' }
  | { readonly is: 'refused'; readonly why: string };

const VERDICTS = ['happened', 'did-not-happen', 'reversed', 'abort'];

/** Judges a person's answer to an unknown outcome. Pure: the update's validator and the signal's handler both ask it. */
export function acceptDecision(message: ResolveOutcome, { questions, decisions, now }: Bench): Acceptance {
  const fault = faultOfDecision(message, VERDICTS) ?? faultOfOutcome(message);
  if (fault) return refuse(fault);
  const standing = decisions.find((decision) => decision.question === message.question);
  if (standing) {
    return isSameDecision(standing, message)
      ? { is: 'same' }
      : refuse(`Already settled: ${describeDecision(standing)}.`);
  }
  const question = questions.find(({ id }) => id === message.question);
  if (!question) return { is: 'early' };
  if (question.kind !== 'outcome') {
    return refuse(`Question ${question.id} asks for an approval. Answer it with "decideApproval": approve or deny.`);
  }
  const misread = faultOfDigest(message.digest, question);
  if (misread) return refuse(misread);
  if (message.verdict === 'did-not-happen' && now < question.horizon && !message.override) {
    const from = new Date(question.horizon).toISOString();
    return refuse(
      `The effect may still land until ${from}: "did-not-happen" counts from then on. To overrule that, send override: true; it is recorded.`,
    );
  }
  return { is: 'accepted', question, decision: { ...message, settledBy: 'person' } };
}

const refuse = (why: string) => ({ is: 'refused', why }) as const;

function faultOfOutcome(message: Partial<ResolveOutcome>): string | undefined {
  if (message.then !== undefined && message.then !== 'retry' && message.then !== 'tell-model') {
    return '"then" is not a way to go on. Write retry or tell-model, or leave it out.';
  }
  if (message.override !== undefined && typeof message.override !== 'boolean') {
    return `"override" is ${JSON.stringify(message.override)}. Write true or false, without quotes, or leave it out.`;
  }
  if (message.verdict === 'happened' && !('result' in message)) {
    return 'Verdict "happened" needs "result": what the tool would have returned, or null when there is nothing to give.';
  }
  return undefined;
}
