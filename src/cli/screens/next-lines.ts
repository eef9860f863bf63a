import { assertNever } from '../../policy/assert-never.ts';
import type { Next } from '../what-follows.ts';
import { wrap } from './fit.ts';
import type { Screen } from './screen.ts';
import { paintStatus } from './status-words.ts';

/** What a run does next, and the command that goes with it. */
export function nextLines(next: Next, run: string, screen: Screen): string {
  const { paint, command } = screen;
  switch (next.is) {
    case 'ended':
      return [`The run has ended: ${paintStatus(next.status, paint)}.`, ...quoted(next.text, screen)].join('\n');
    case 'asks':
      return `The run waits for a person: ${paint.yellow(next.question)}.\n  ${command('inbox')}`;
    case 'answered': {
      const open = `${next.open} ${next.open === 1 ? 'outcome is' : 'outcomes are'} still open`;
      return [`The run has answered; ${open}.`, ...quoted(next.text, screen), `  ${command('inbox')}`].join('\n');
    }
    case 'works':
      return `The run goes on: turn ${next.turn}, ${next.on} at work.\n  ${command('watch', run)}`;
    case 'silent':
      return `Nothing was heard of the run yet.\n  ${command('show', run)}`;
    default:
      return assertNever(next);
  }
}

function quoted(text: string, { width }: Screen): readonly string[] {
  return text === '' ? [] : wrap(text, width - 2).map((line) => `  ${line}`);
}
