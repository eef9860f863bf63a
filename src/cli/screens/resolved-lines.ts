import type { Question } from '../../contracts/question.ts';
import { namedIntent } from '../named-intent.ts';
import type { Next } from '../what-follows.ts';
import { wrap } from './fit.ts';
import { nextLines } from './next-lines.ts';
import type { Screen } from './screen.ts';

export interface Resolved {
  readonly question: Question;
  readonly verdict: string;
  /** `more`: it is on record, and another person must say the same. `kept`: the run has not judged it yet. */
  readonly is: 'applied' | 'more' | 'kept';
  readonly message: string;
  /** What the run did then; absent when only the ledger heard of it. */
  readonly next?: Next;
}

/** What a decision settled, and what follows from it. */
export function resolvedLines({ is, question, verdict, message, next }: Resolved, screen: Screen): string {
  const { paint, command, width } = screen;
  const intent = namedIntent(question.tool, question.key.intent);
  const about = [question.tool, ...(intent === undefined ? [] : [intent])].join(' · ');
  const head = `${paint.bold(question.id)} ${is !== 'applied' ? 'is still open' : 'settled'}: ${paint.bold(verdict)} · ${about}`;
  if (next) return `${head}\n${nextLines(next, question.run, screen)}`;
  const result = verdict === 'happened' ? ['--result', '…'] : [];
  const then =
    is === 'more'
      ? command('resolve', question.id, verdict, ...result, '--by', '…', '--reason', '…')
      : command('show', question.run);
  return [head, ...wrap(message, width), `  ${then}`].join('\n');
}
