import type { Question } from '../../contracts/question.ts';
import type { Next } from '../what-follows.ts';
import { nextLines } from './next-lines.ts';
import type { Screen } from './screen.ts';

export interface Resolved {
  readonly question: Question;
  readonly verdict: string;
  /** `more`: it is on record, and another person must say the same. */
  readonly is: 'applied' | 'more';
  readonly message: string;
  /** What the run did then; absent when only the ledger heard of it. */
  readonly next?: Next;
}

/** What a decision settled, and what follows from it. */
export function resolvedLines({ is, question, verdict, message, next }: Resolved, screen: Screen): string {
  const { paint, command } = screen;
  const head = `${paint.bold(question.id)} ${is === 'more' ? 'is still open' : 'settled'}: ${paint.bold(verdict)} · ${question.tool} · ${question.key.intent}`;
  const follows = next ? nextLines(next, question.run, screen) : `${message}\n  ${command('show', question.run)}`;
  return `${head}\n${follows}`;
}
