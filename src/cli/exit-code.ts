/** What the process ends with. `failed`: something went wrong, or was found. `waits`: a person has to decide. */
export const EXIT = Object.freeze({ done: 0, failed: 1, usage: 2, waits: 3, notReached: 4 });
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
