import { assertNever } from '../policy/assert-never.ts';
import { replayOf } from './kept-answer.ts';
import type { KeyTaken } from './key-store.ts';
import { problem } from './problem.ts';

/** What a request is answered whose key was there before it. */
export function answerTaken(taken: KeyTaken): Response {
  switch (taken.is) {
    case 'running':
      return problem('in-progress');
    case 'doubtful':
      return problem('outcome-unknown');
    case 'reused':
      return problem('key-reused');
    case 'answered':
      return replayOf(taken.answer);
    default:
      return assertNever(taken);
  }
}
