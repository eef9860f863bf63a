import type { CostTotals } from '../../contracts/bill.ts';
import type { TimeSplit } from '../../contracts/cost.ts';
import type { CostTable } from '../cost-table.ts';
import { dollars } from './dollars.ts';
import { costLines, count, tokens } from './cost-lines.ts';
import { wrap } from './fit.ts';
import { money } from './money.ts';
import type { Screen } from './screen.ts';
import { paintStatus, statusWords } from './status-words.ts';
import { clock, span } from './times.ts';

/** What runs cost: the two totals, where the time went, and a line for each agent, turn, call or attempt. */
export function costScreen(costs: CostTable, screen: Screen): string {
  if (costs.runs === 0) return `No runs since ${clock(costs.since ?? 0, screen.now)}.   ${screen.command('ls')}`;
  return [headline(costs, screen), totals(costs, screen), costLines(costs, screen), ...notes(costs, screen)]
    .filter((part) => part !== '')
    .join('\n\n');
}

function headline({ run, runs, running, since }: CostTable, { paint, now }: Screen): string {
  if (!run) {
    const goingOn = running === 0 ? [] : [`${running} still ${running === 1 ? 'goes' : 'go'} on`];
    return [paint.bold(`${runs} ${runs === 1 ? 'run' : 'runs'} since ${clock(since ?? 0, now)}`), ...goingOn].join(
      ' · ',
    );
  }
  const { status, agent, startedAt, endedAt } = run;
  const words = paint.bold(paintStatus(status, paint, statusWords(status)));
  const facts = [words, ...(agent === '' ? [] : [`agent ${agent}`]), `started ${clock(startedAt, now)}`];
  const length = endedAt === null ? 'so far' : `took ${span(endedAt - startedAt)}`;
  return `${[...facts, length].join(' · ')}\n${paint.dim(run.run)}`;
}

const LABEL_COLUMNS = 8;

function totals({ spend, answer, time }: CostTable, { width }: Screen): string {
  const { estimated, estimatedMicros, unknown } = spend;
  const share = estimated === 0 ? [] : [`${dollars(estimatedMicros)} of it estimated, ${requests(estimated)}`];
  const open = unknown === 0 ? [] : [`${requests(unknown)} of unknown cost`];
  const facts: readonly (readonly [string, string])[] = [
    ['Spent', [money(spend) || 'nothing on record', ...share, ...open].join(' · ')],
    ['Answer', money(answer) || 'none yet'],
    ['Tokens', [tokens(spend), requests(spend.requests), ...cached(spend)].filter((part) => part !== '').join(' · ')],
    ['Time', timeWords(time)],
  ];
  return facts.flatMap(([label, text]) => labelled(label, wrap(text, width - LABEL_COLUMNS))).join('\n');
}

const labelled = (label: string, lines: readonly string[]): readonly string[] =>
  lines.map((line, at) => (at === 0 ? label : '').padEnd(LABEL_COLUMNS) + line);

const requests = (count: number): string => `${count.toLocaleString('en-US')} ${count === 1 ? 'request' : 'requests'}`;

function cached({ cacheReadTokens, cacheWriteTokens }: CostTotals): readonly string[] {
  const read = cacheReadTokens === 0 ? [] : [`${count(cacheReadTokens)} read from a cache`];
  return [...read, ...(cacheWriteTokens === 0 ? [] : [`${count(cacheWriteTokens)} written to one`])];
}

function timeWords({ totalMs, modelMs, toolsMs, peopleMs, providerMs, retriesMs, otherMs }: TimeSplit): string {
  const parts: readonly (readonly [string, number])[] = [
    ['model', modelMs],
    ['tools', toolsMs],
    ['waiting for people', peopleMs],
    ['for the provider', providerMs],
    ['before repeating', retriesMs],
    ['on the way', otherMs],
  ];
  const said = parts.filter(([, ms]) => ms > 0).map(([name, ms]) => `${name} ${span(ms)}`);
  return said.length === 0 ? span(totalMs) : `${span(totalMs)}: ${said.join(' · ')}`;
}

/** Kinds of estimates that are explained. */
const MOST_ESTIMATES = 3;

function notes(costs: CostTable, { paint, width }: Screen): readonly string[] {
  const explained = costs.estimates.slice(0, MOST_ESTIMATES).map((how) => `~ is an estimate: ${how}.`);
  const all = [...awaitedNotes(costs), ...explained, ...unknownNotes(costs)];
  return all.length === 0 ? [] : [paint.dim(all.flatMap((note) => wrap(note, width)).join('\n'))];
}

const awaitedNotes = ({ awaited }: CostTable): readonly string[] =>
  awaited === 0
    ? []
    : [`The provider is asked what ${requests(awaited)} cost, for up to 15 min: this will still change.`];

function unknownNotes({ unpriced, spend, awaited }: CostTable): readonly string[] {
  const [first] = unpriced;
  if (first !== undefined) {
    return [
      `? Nobody has said what ${unpriced.join(', ')} costs. In the configuration, in USD per 1,000,000 tokens:`,
      `  prices: { '${first}': { input: 0.5, output: 2 } }`,
    ];
  }
  return spend.unknown > awaited ? ['? Nothing is on record that a cost could be estimated from.'] : [];
}
