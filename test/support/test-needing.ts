import { test } from '@jest/globals';

/** A program that not everybody can install. `path`: where it was found, if it was. */
export interface Need {
  readonly name: string;
  readonly path: string | undefined;
  /** The command that installs it, for the person who reads that a test was skipped. */
  readonly install: string;
}

/**
 * `test` for those who have the program; for others a skipped test whose title says what is missing. scripts/test.ts turns
 * that into a line of its own, and with HOLDFAST_CI=1 counts it as failed.
 */
export function testNeeding({ name, path, install }: Need): (title: string, body: () => Promise<void>) => void {
  if (path !== undefined) return test;
  return (title, body) => {
    test.skip(`${title} (needs ${name}: ${install})`, body);
  };
}
