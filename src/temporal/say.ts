/** Told in words for a person what is being waited for. One line each time, without a newline. */
export type Say = (line: string) => void;

const TICK_MS = 2_000;

/** Runs `work` and says what it is: at once, and with the seconds gone by at least every 2 s, so that silence never looks like a hang. */
export async function sayWhile<Result>(say: Say, line: string, work: () => Promise<Result>): Promise<Result> {
  const startedAt = performance.now();
  say(`${line} …`);
  const ticking = setInterval(() => {
    say(`${line} … ${Math.round((performance.now() - startedAt) / 1000)} s`);
  }, TICK_MS);
  try {
    return await work();
  } finally {
    clearInterval(ticking);
  }
}
