import { shellWord } from '../../policy/shell-word.ts';
import type { Screen } from './screen.ts';

export interface InitReport {
  readonly folder: string;
  /** From the current folder; empty when it is that. */
  readonly cd: string;
  readonly files: readonly string[];
}

/** What was written, and the commands that make it run. */
export function initScreen({ folder, cd, files }: InitReport, { paint }: Screen): string {
  return [
    `${paint.green('written')} to ${folder}`,
    ...files.map((file) => `  ${file}`),
    '',
    'Next:',
    `  ${cd === '' ? '' : `cd ${shellWord(cd)} && `}npm install`,
    '  npm test            the refund tool by itself',
    '  npm run dev         a Temporal server with its Web UI, and a worker',
    '  npm start           in a second terminal: a run, and its answer',
  ].join('\n');
}
