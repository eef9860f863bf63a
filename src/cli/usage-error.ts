/** The command line cannot be acted upon as it is written. The message says what to write instead. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
