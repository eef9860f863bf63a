import type { ApprovalQuestion, OutcomeQuestion, Question } from '../../../src/contracts/question.ts';
import { assertNever } from '../../../src/policy/assert-never.ts';
import { readPayments } from '../../../src/testing/read-payments.ts';
import type { Word } from './said.ts';

export interface Sight {
  readonly order: string;
  readonly paymentsDb: string;
  /** What follows when it did not happen: the call again by order, or the model is told and may ask again. */
  readonly then: 'retry' | 'tell-model';
}

/** What an honest person says: what the payments service has on its books, and yes to the refund that was asked for. */
export function truthAbout(question: Question, sight: Sight): Word {
  switch (question.kind) {
    case 'outcome':
      return outcomeOf(question, sight);
    case 'approval':
      return approvalOf(question);
    default:
      return assertNever(question);
  }
}

function outcomeOf({ id, digest }: OutcomeQuestion, { order, paymentsDb, then }: Sight): Word {
  const refund = readPayments(paymentsDb).effects.find(({ orderId }) => orderId === order);
  const words = { question: id, digest, by: 'oracle', reason: 'The payments database says so.' };
  return refund
    ? { ...words, id: `${id}-happened`, verdict: 'happened', result: { id: refund.id } }
    : { ...words, id: `${id}-did-not-happen`, verdict: 'did-not-happen', then };
}

function approvalOf({ id, digest }: ApprovalQuestion): Word {
  return { question: id, digest, id: `${id}-approve`, verdict: 'approve', by: 'oracle', reason: 'The order is right.' };
}

/** A word that would count at any time, were it about this question: it is sent where it must be refused. */
export function certain({ kind, id, digest }: Question): Word {
  const words = { id: `${id}-stranger`, question: id, digest, by: 'stranger', reason: 'Somebody said so.' };
  return kind === 'outcome' ? { ...words, verdict: 'happened', result: null } : { ...words, verdict: 'approve' };
}

/** A colleague who sees it otherwise, too late: what stands must be named, and stay. */
export function opposite(word: Word): Word {
  const words = { id: `${word.id}-second`, question: word.question, by: 'colleague', reason: 'I saw it otherwise.' };
  switch (word.verdict) {
    case 'approve':
    case 'deny':
      return { ...words, verdict: 'deny' };
    case 'happened':
      return { ...words, verdict: 'did-not-happen', then: 'retry', override: true };
    case 'did-not-happen':
    case 'reversed':
    case 'abort':
      return { ...words, verdict: 'happened', result: null };
    default:
      return assertNever(word);
  }
}
