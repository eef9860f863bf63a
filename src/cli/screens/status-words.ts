import type { Paint } from './screen.ts';

/** A run's status as a sentence would have it. */
export function statusWords(status: string): string {
  if (status === 'waiting') return 'waiting for a person';
  return status === 'answered' ? 'answered, an outcome still open' : status;
}

/** In its colour: green when all is done, yellow when a person is needed, red when it failed; a wish that was met has none. */
export function paintStatus(status: string, paint: Paint, words = status): string {
  if (status === 'completed') return paint.green(words);
  if (status === 'waiting' || status === 'answered' || status === 'paused') return paint.yellow(words);
  if (status === 'stopped' || status === 'partial') return words;
  return status === 'running' ? paint.cyan(words) : paint.red(words);
}
