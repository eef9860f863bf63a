import type { CostTotals } from '../../contracts/bill.ts';
import type { RequestCost, TimeSplit } from '../../contracts/cost.ts';
import type { CostRow, CostTable } from '../cost-table.ts';
import { dollars } from './dollars.ts';
import { fit, wrap } from './fit.ts';
import { money } from './money.ts';
import type { Screen } from './screen.ts';
import { shortModel } from './short-model.ts';
import { paintStatus, statusWords } from './status-words.ts';
import { table } from './table.ts';
import { ATTEMPT_WORDS } from './outcome-words.ts';
import { clock, span } from './times.ts';

/** Lines shown at most. */
const MOST_ROWS = 40;
const NAME_COLUMNS = 26;

/** What runs cost: the two totals, where the time went, and a line for each agent, turn, call or attempt. */
export function costScreen(costs: CostTable, screen: Screen): string {
  if (costs.runs === 0) return `No runs since ${clock(costs.since ?? 0, screen.now)}.   ${screen.command('ls')}`;
  return [headline(costs, screen), totals(costs, screen), rowTable(costs, screen), ...notes(costs, screen)]
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
    ['Spent', [money(spend) || dollars(0), ...share, ...open].join(' · ')],
    ['Answer', money(answer) || 'none yet'],
    ['Tokens', [tokens(spend), requests(spend.requests), ...cached(spend)].filter((part) => part !== '').join(' · ')],
    ['Time', timeWords(time)],
  ];
  return facts.flatMap(([label, text]) => labelled(label, wrap(text, width - LABEL_COLUMNS))).join('\n');
}

const labelled = (label: string, lines: readonly string[]): readonly string[] =>
  lines.map((line, at) => (at === 0 ? label : '').padEnd(LABEL_COLUMNS) + line);

const requests = (count: number): string => `${count.toLocaleString('en-US')} ${count === 1 ? 'request' : 'requests'}`;

/** Tokens that were reported; `?` where not all were. */
function tokens({ inputTokens, outputTokens, requests: sent, estimated }: CostTotals): string {
  return sent === 0 ? '' : `${count(inputTokens)} → ${count(outputTokens)}${estimated > 0 ? ' + ?' : ''}`;
}

function cached({ cacheReadTokens, cacheWriteTokens }: CostTotals): readonly string[] {
  const read = cacheReadTokens === 0 ? [] : [`${count(cacheReadTokens)} read from a cache`];
  return [...read, ...(cacheWriteTokens === 0 ? [] : [`${count(cacheWriteTokens)} written to one`])];
}

const count = (number: number): string => number.toLocaleString('en-US');

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

function rowTable(costs: CostTable, screen: Screen): string {
  const { rows, by, isSlowestFirst, run } = costs;
  if (rows.length === 0) return '';
  const shown = isSlowestFirst || by === 'agent' ? rows.slice(0, MOST_ROWS) : rows.slice(-MOST_ROWS);
  const left = rows.length - shown.length;
  const columns = COLUMNS[by].filter(({ head }) => head !== 'run' || !run);
  const head = columns.map((column) => screen.paint.dim(column.head));
  const lines = shown.map((row, at) =>
    columns.map(({ cell }) => cell(row, isSlowestFirst ? undefined : shown[at - 1])),
  );
  const note = left > 0 ? `\n${screen.paint.dim(`… ${left} more; all with --json`)}` : '';
  return table([head, ...lines]) + note;
}

interface Column {
  readonly head: string;
  /** `before`: the row above, where its like is not said again. */
  readonly cell: (row: CostRow, before: CostRow | undefined) => string;
}

const runColumn: Column = { head: 'run', cell: (row, before) => (row.run === before?.run ? '' : (row.run ?? '')) };
const turnColumn: Column = {
  head: 'turn',
  cell: ({ run, turn }, before) => (run === before?.run && turn === before?.turn ? '' : String(turn ?? '')),
};
const nameColumn: Column = {
  head: 'call',
  cell: ({ kind, name = '' }) => fit(kind === 'model' ? shortModel(name) : name, NAME_COLUMNS),
};
const took: Column = { head: 'took', cell: ({ tookMs }) => span(tookMs) };
const inOut: Column = { head: 'tokens', cell: ({ spend }) => tokens(spend) };
const spent: Column = { head: 'spent', cell: ({ spend }) => money(spend) };
const answer: Column = { head: 'answer', cell: (row) => (row.answer ? money(row.answer) : '') };
const timeColumn = (head: string, of: (time: TimeSplit) => number): Column => {
  return { head, cell: ({ time }) => (time && of(time) > 0 ? span(of(time)) : '') };
};
const waiting = timeColumn('waiting', ({ peopleMs, providerMs, retriesMs }) => peopleMs + providerMs + retriesMs);
const times = [timeColumn('model', ({ modelMs }) => modelMs), timeColumn('tools', ({ toolsMs }) => toolsMs), waiting];

const COLUMNS: Readonly<Record<CostTable['by'], readonly Column[]>> = {
  agent: [
    { head: 'agent', cell: ({ agent }) => fit(agent || '-', NAME_COLUMNS) },
    { head: 'runs', cell: ({ runs = 0 }) => count(runs) },
    ...[spent, answer, inOut, ...times],
  ],
  turn: [runColumn, turnColumn, spent, answer, inOut, took, ...times],
  call: [
    ...[runColumn, turnColumn, nameColumn],
    { head: 'attempts', cell: ({ attempts }) => String(attempts ?? '') },
    ...[took, spent, answer, inOut],
  ],
  attempt: [
    ...[runColumn, turnColumn, nameColumn],
    { head: 'attempt', cell: ({ attempt, outcome }) => `${attempt ?? ''} ${outcomeWord(outcome)}` },
    ...[took, spent, inOut],
    { head: 'requests', cell: ({ requests: sent = [] }) => (sent.length < 2 ? '' : sent.map(requestWord).join(', ')) },
  ],
};

const outcomeWord = (outcome: CostRow['outcome']): string =>
  outcome === null || outcome === undefined ? 'no end on record' : ATTEMPT_WORDS[outcome];

function requestWord({ model, outcome, cost }: RequestCost): string {
  const how = outcome === null ? 'open' : REQUESTS[outcome];
  const price = cost.is === 'unknown' ? '?' : `${cost.is === 'estimate' ? '~' : ''}${dollars(cost.micros)}`;
  return `${shortModel(model)} ${how} ${price}`;
}

/** Shorter than elsewhere: several stand in one line. */
const REQUESTS = {
  whole: 'answered',
  broken: 'failed',
  cut: 'broke off',
  'lost-hedge': 'was slower',
  left: 'given up',
} as const;

/** Kinds of estimates that are explained. */
const MOST_ESTIMATES = 3;

function notes({ estimates, unpriced, spend }: CostTable, { paint, width }: Screen): readonly string[] {
  const explained = estimates.slice(0, MOST_ESTIMATES).map((how) => `~ is an estimate: ${how}.`);
  const all = [...explained, ...unknownNotes(unpriced, spend)];
  return all.length === 0 ? [] : [paint.dim(all.flatMap((note) => wrap(note, width)).join('\n'))];
}

function unknownNotes(unpriced: readonly string[], { unknown }: CostTotals): readonly string[] {
  const [first] = unpriced;
  if (first !== undefined) {
    return [
      `? Nobody has said what ${unpriced.join(', ')} costs. In the configuration, in USD per 1,000,000 tokens:`,
      `  prices: { '${first}': { input: 0.5, output: 2 } }`,
    ];
  }
  return unknown > 0 ? ['? Nothing is on record that a cost could be estimated from.'] : [];
}
