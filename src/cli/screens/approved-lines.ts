import type { ApprovalQuestion } from '../../contracts/question.ts';
import type { Next } from '../what-follows.ts';
import { nextLines } from './next-lines.ts';
import type { Screen } from './screen.ts';

export interface Approved {
  readonly question: ApprovalQuestion;
  readonly verdict: 'approve' | 'deny';
  /** `more`: it is on record, and another person must say the same. */
  readonly is: 'applied' | 'more';
  readonly message: string;
  /** What the run did then. */
  readonly next?: Next;
}

/** What a person's word on a call came to, and what follows from it. */
export function approvedLines({ is, question, verdict, message, next }: Approved, screen: Screen): string {
  const { paint } = screen;
  const said = verdict === 'approve' ? 'approved' : 'denied';
  const head = `${paint.bold(question.id)} ${is === 'more' ? 'is still open' : paint.bold(said)} · ${question.tool} · ${question.key.intent}`;
  if (is === 'more' || next === undefined) return `${head}\n${message}`;
  return `${head}\n${nextLines(next, question.run, screen)}`;
}
