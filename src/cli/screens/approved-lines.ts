import type { ApprovalRule } from '../../contracts/approval.ts';
import type { Json } from '../../contracts/json.ts';
import type { ApprovalQuestion } from '../../contracts/question.ts';
import { describeAmount } from '../../policy/describe-amount.ts';
import { describeRule } from '../../policy/fits-rule.ts';
import { namedIntent } from '../named-intent.ts';
import type { Next } from '../what-follows.ts';
import { fit, wrap } from './fit.ts';
import { nextLines } from './next-lines.ts';
import type { Screen } from './screen.ts';

export interface Approved {
  readonly question: ApprovalQuestion;
  readonly verdict: 'approve' | 'deny';
  readonly by: string;
  /** `more`: it is on record, and another person must say the same. `kept`: the run has not judged it yet. */
  readonly is: 'applied' | 'more' | 'kept';
  readonly message: string;
  /** The arguments it was approved with, where they are not those of the question. */
  readonly input?: Json;
  /** It was to be remembered. */
  readonly remember?: object;
  /** What is remembered, by the ledger. */
  readonly rule?: ApprovalRule;
  /** What the run did then. */
  readonly next?: Next;
}

/** What a person's word on a call came to, and what follows from it. */
export function approvedLines(approved: Approved, screen: Screen): string {
  const { is, question, message, input, next } = approved;
  const { width, paint } = screen;
  const { id, tool, key, amount, run } = question;
  const intent = namedIntent(tool, key.intent);
  const about = [tool, ...(intent === undefined ? [] : [intent]), ...(amount ? [describeAmount(amount)] : [])];
  const said = is !== 'applied' ? 'is still open' : paint.bold(wordFor(approved));
  return [
    [`${paint.bold(id)} ${said}`, ...about].join(' · '),
    ...(input === undefined ? [] : [`  ${fit(`with ${JSON.stringify(input)}`, width - 2)}`]),
    ...ruleWords(approved).flatMap((line) => wrap(line, width)),
    ...(next ? [nextLines(next, run, screen)] : wrap(message, width)),
    ...(is === 'more' ? [`  ${screen.command('approve', id, '--by', '…', '--reason', '…')}`] : []),
  ].join('\n');
}

function ruleWords({ rule, remember }: Approved): readonly string[] {
  if (rule) return [`Remembered: ${describeRule(rule)}.`];
  return remember ? ['Nothing is remembered yet: a rule is made by the word that lets the call pass.'] : [];
}

function wordFor({ verdict, input }: Approved): string {
  if (verdict === 'deny') return 'denied';
  return input === undefined ? 'approved' : 'approved with other arguments';
}
