import type { ContentionReport } from './contention.ts';
import type { ContentionWait } from './contention-waits.ts';

const NAMES: Readonly<Record<ContentionWait, string>> = {
  none: 'no wait',
  exponential: 'exponential, no jitter',
  full: 'full jitter (default)',
  equal: 'equal jitter',
  decorrelated: 'decorrelated jitter',
  fixed: 'fixed, 10 ms',
};

/** Both tables, for people. */
export function contentionTable({ clients, admit, seeds, crowd, row }: ContentionReport): string {
  return [
    `${clients} clients ask at once; the provider admits ${admit} per 100 ms and refuses the rest at once.`,
    `Base 100 ms, at most 2 s, mean of ${seeds} seeds.`,
    '',
    line('wait', 'requests a client', 'all admitted after'),
    ...crowd.map((one) => line(NAMES[one.wait], one.requestsPerClient.toFixed(1), `${one.seconds.toFixed(1)} s`)),
    '',
    `${clients} clients write one row, each if nobody wrote since it read (AWS' model: network 10 ms ± 2, base 5 ms, at most 2 s).`,
    '',
    line('wait', 'calls'),
    ...row.map((one) => line(NAMES[one.wait], String(one.calls))),
  ].join('\n');
}

const line = (wait: string, ...cells: readonly string[]): string =>
  `  ${wait.padEnd(24)}${cells.map((cell) => cell.padStart(20)).join('')}`;

/** What differs between a saved report and a new one, a line each. */
export function compareContention(saved: ContentionReport, now: ContentionReport): readonly string[] {
  const [before, after] = [figuresOf(saved), figuresOf(now)];
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((name) => before.get(name) !== after.get(name))
    .map((name) => `${name}: ${before.get(name) ?? 'nothing'} in the saved copy, now ${after.get(name) ?? 'nothing'}`);
}

function figuresOf({ clients, admit, seeds, crowd, row }: ContentionReport): ReadonlyMap<string, number> {
  return new Map([
    ['clients', clients],
    ['admit', admit],
    ['seeds', seeds],
    ...crowd.flatMap((one) => [
      [`crowd, ${one.wait}: requests a client`, one.requestsPerClient] as const,
      [`crowd, ${one.wait}: seconds`, one.seconds] as const,
    ]),
    ...row.map((one) => [`row, ${one.wait}: calls`, one.calls] as const),
  ]);
}
