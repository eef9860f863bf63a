import type { ContentionWait } from './contention-waits.ts';
import { playCrowd, type CrowdSetting } from './crowded-provider.ts';
import { playRow, type RowSetting } from './contended-row.ts';

export interface ContentionOptions {
  readonly clients: number;
  /** Requests the crowded provider admits per 100 ms. */
  readonly admit: number;
  /** Each row is the mean of so many plays. */
  readonly seeds: number;
  /** Called after each play. */
  readonly onPlay?: (done: number, all: number) => void;
}

export const CONTENTION_DEFAULTS = Object.freeze({ clients: 100, admit: 10, seeds: 200 });

export interface CrowdLine {
  readonly wait: ContentionWait;
  /** To a hundredth. */
  readonly requestsPerClient: number;
  /** To a hundredth. */
  readonly seconds: number;
}

export interface RowLine {
  readonly wait: ContentionWait;
  readonly calls: number;
}

/** What different waits cost when many want the same at once: a provider that is full, and a row that all want to write. */
export interface ContentionReport {
  readonly clients: number;
  readonly admit: number;
  readonly seeds: number;
  readonly crowd: readonly CrowdLine[];
  readonly row: readonly RowLine[];
}

const CROWD_WAITS: readonly ContentionWait[] = ['fixed', 'exponential', 'full', 'equal', 'decorrelated'];
const ROW_WAITS: readonly ContentionWait[] = ['none', 'exponential', 'decorrelated', 'equal', 'full'];
const ROW_CAP = { maxMs: 2_000, fixedMs: 0 };

/** The same numbers for the same options, on every machine. */
export function playContention({ clients, admit, seeds, onPlay }: ContentionOptions): ContentionReport {
  const crowd: CrowdSetting = { clients, admit, windowMs: 100, waits: { baseMs: 100, maxMs: 2_000, fixedMs: 10 } };
  const all = seeds * (CROWD_WAITS.length + ROW_WAITS.length);
  let done = 0;
  const meanOf = <Result>(play: (seed: number) => Result, measures: readonly ((result: Result) => number)[]) => {
    const sums = measures.map(() => 0);
    for (let seed = 1; seed <= seeds; seed++) {
      const result = play(seed);
      measures.forEach((measure, at) => (sums[at] = (sums[at] ?? 0) + measure(result)));
      onPlay?.(++done, all);
    }
    return sums.map((sum) => sum / seeds);
  };
  return {
    clients,
    admit,
    seeds,
    crowd: CROWD_WAITS.map((wait) => {
      const play = (seed: number) => playCrowd(wait, crowd, seed);
      const [requests = 0, ms = 0] = meanOf(play, [(one) => one.requestsPerClient, (one) => one.endedMs]);
      return { wait, requestsPerClient: toHundredth(requests), seconds: toHundredth(ms / 1_000) };
    }),
    row: ROW_WAITS.map((wait) => {
      const [calls = 0] = meanOf((seed) => playRow(wait, rowOf(wait, clients), seed), [(writes) => writes]);
      return { wait, calls: Math.round(calls) };
    }),
  };
}

/** AWS' model doubles before the first wait too, so its base of 5 ms is our 10; decorrelated waits begin at the base. */
function rowOf(wait: ContentionWait, clients: number): RowSetting {
  const waits = { ...ROW_CAP, baseMs: wait === 'decorrelated' ? 5 : 10 };
  return { clients, networkMs: { mean: 10, deviation: 2 }, waits };
}

const toHundredth = (value: number): number => Math.round(value * 100) / 100;
