import type { Logger } from '@temporalio/worker';

const silent = () => undefined;

/** Tests make things fail on purpose: their log lines would only hide the one that matters. HOLDFAST_TEST_LOG=1 shows them. */
const loud = process.env['HOLDFAST_TEST_LOG'] === '1';
const say = (...parts: unknown[]) => {
  console.error(...parts);
};

export const quietLogger: Logger = {
  log: silent,
  trace: silent,
  debug: silent,
  info: silent,
  warn: loud ? say : silent,
  error: loud ? say : silent,
};
