import { didYouMean } from './near-matches.ts';

/** Refuses an option that does not exist: a misspelt one would be a wish that nobody reads. */
export function checkOptions(what: string, given: unknown, options: readonly string[]): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    // The value is not shown: written where it does not belong, it may be a secret.
    throw new Error(`${what} is not an object. Write one with ${options.join(', ')}.`);
  }
  const strange = Object.keys(given).find((option) => !options.includes(option));
  if (strange === undefined) return;
  throw new Error(
    `${what} has no option "${strange}".${didYouMean(strange, options)} The options are ${options.join(', ')}.`,
  );
}
