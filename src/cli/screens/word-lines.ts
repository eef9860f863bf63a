import { describeApproval } from '../../policy/accept-approval.ts';
import { describeDecision } from '../../policy/settle-key.ts';
import { isApproval } from '../../policy/weigh-leave.ts';
import type { ToldWord } from '../read-words.ts';
import type { Word } from '../standing-words.ts';
import { fit, wrap } from './fit.ts';
import type { Screen } from './screen.ts';
import { clock } from './times.ts';

/** Shown at most; the latest are what a person looks for. */
const MOST = 20;

/** Who said what about a run's calls, and when; with the arguments where they were changed. */
export function wordLines(words: readonly ToldWord[], screen: Screen): string {
  const left = words.length - MOST;
  const older = left > 0 ? [`  ${screen.paint.dim(`… ${left} earlier ones: holdfast ledger`)}`] : [];
  return [screen.paint.bold('Decisions'), ...older, ...words.slice(-MOST).map((word) => lineOf(word, screen))].join(
    '\n',
  );
}

function lineOf(told: ToldWord, { now, width, paint }: Screen): string {
  const start = `  ${clock(told.at, now).padEnd(10)}${told.question}  `;
  const text =
    told.is === 'expired' ? 'nobody answered in time; asked again' : `${told.tool} · ${describeWord(told.word)}`;
  const [first = '', ...more] = wrap(text, width - start.length);
  return [paint.dim(start) + first, ...more.map((line) => ' '.repeat(start.length) + line)].join('\n');
}

function describeWord(word: Word): string {
  if (!isApproval(word)) return describeDecision({ ...word, settledBy: 'person' });
  const edited = word.input === undefined ? '' : ` ${fit(JSON.stringify(word.input), 200)}`;
  return `${describeApproval(word)}${edited}`;
}
