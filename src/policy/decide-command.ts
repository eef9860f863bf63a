import type { Question } from '../contracts/question.ts';
import { assertNever } from './assert-never.ts';
import { shellWord } from './shell-word.ts';

/**
 * What answers a question, to be pasted into a shell: one line for each way. The dots are refused until a person has written
 * in their place, and no verdict on an outcome is filled in: an unread paste must not confirm anything. `place`: the options
 * that lead a command to the run's data.
 */
export function decideCommands(
  { kind, id, run }: Pick<Question, 'kind' | 'id' | 'run'>,
  place: string,
): readonly string[] {
  const command = (words: string) => pasteable(`${words} --reason "…" --run ${shellWord(run)}`, place);
  switch (kind) {
    case 'outcome':
      return [command(`resolve ${id} VERDICT`)];
    case 'approval':
      return [command(`approve ${id}`), command(`deny ${id}`)];
    default:
      return assertNever(kind);
  }
}

/** What ends a run, to be pasted into a shell. */
export const stopCommand = (run: string, place: string): string => pasteable(`stop ${shellWord(run)}`, place);

const pasteable = (words: string, place: string): string =>
  [`npx holdfast ${words}`, place].filter((part) => part !== '').join(' ');
