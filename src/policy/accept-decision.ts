import type { Decision } from '../contracts/decision.ts';
import type { ResolveOutcome } from '../contracts/messages.ts';
import type { Question } from '../contracts/question.ts';
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
  | { readonly is: 'accepted'; readonly question: Question; readonly decision: Decision }
  | { readonly is: 'same' }
  | { readonly is: 'early' }
  | { readonly is: 'refused'; readonly why: string };

const VERDICTS = ['happened', 'did-not-happen', 'reversed', 'abort'];

/** Judges a person's answer to an unknown outcome. Pure: the update's validator and the signal's handler both ask it. */
export function acceptDecision(message: ResolveOutcome, { questions, decisions, now }: Bench): Acceptance {
  const fault = findFault(message);
  if (fault) return { is: 'refused', why: fault };
  const standing = decisions.find((decision) => decision.question === message.question);
  if (standing) {
    return isSameDecision(standing, message)
      ? { is: 'same' }
      : { is: 'refused', why: `Already settled: ${describeDecision(standing)}.` };
  }
  const question = questions.find(({ id }) => id === message.question);
  if (!question) return { is: 'early' };
  if (message.digest !== undefined && message.digest !== question.digest) {
    return {
      is: 'refused',
      why: `The digest is not the question's: it was ${question.digest}. Look at the question again.`,
    };
  }
  if (message.verdict === 'did-not-happen' && now < question.horizon && !message.override) {
    const from = new Date(question.horizon).toISOString();
    return {
      is: 'refused',
      why: `The effect may still land until ${from}: "did-not-happen" counts from then on. To overrule that, send override: true; it is recorded.`,
    };
  }
  return { is: 'accepted', question, decision: { ...message, settledBy: 'person' } };
}

/** A signal carries whatever its sender typed. */
function findFault(message: Partial<ResolveOutcome> | null | undefined): string | undefined {
  if (typeof message !== 'object' || message === null) {
    return `A decision is a JSON object with id, question, verdict, by and reason, not ${JSON.stringify(message) ?? 'nothing'}.`;
  }
  const missing = (['id', 'question', 'verdict', 'by', 'reason'] as const).filter((field) => !isText(message[field]));
  if (missing.length > 0) return `The decision lacks ${missing.join(', ')}: each must be a text that is not empty.`;
  if (!VERDICTS.includes(String(message.verdict))) {
    return `"${message.verdict}" is not a verdict. Use one of ${VERDICTS.join(', ')}.`;
  }
  if (message.then !== undefined && message.then !== 'retry' && message.then !== 'tell-model') {
    return `"${String(message.then)}" is not a way to go on. "then" is retry or tell-model.`;
  }
  if (message.override !== undefined && typeof message.override !== 'boolean') {
    return `"override" is ${JSON.stringify(message.override)}. Write true or false, without quotes, or leave it out.`;
  }
  const odd = (['digest', 'evidence'] as const).find(
    (field) => message[field] !== undefined && !isText(message[field]),
  );
  if (odd) return `"${odd}" must be a text that is not empty, or be left out.`;
  if (message.verdict === 'happened' && !('result' in message)) {
    return 'Verdict "happened" needs "result": what the tool would have returned, or null when there is nothing to give.';
  }
  return undefined;
}

const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';
