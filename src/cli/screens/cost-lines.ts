import type { CostTotals } from '../../contracts/bill.ts';
import type { RequestCost, TimeSplit } from '../../contracts/cost.ts';
import { sumRequests } from '../../policy/sum-costs.ts';
import type { CostRow, CostTable } from '../cost-table.ts';
import { fit } from './fit.ts';
import { money } from './money.ts';
import { ATTEMPT_WORDS } from './outcome-words.ts';
import type { Screen } from './screen.ts';
import { shortModel } from './short-model.ts';
import { columnWidths, table } from './table.ts';
import { span } from './times.ts';

/** Rows shown at most. */
const MOST_ROWS = 40;

/** A line for each agent, turn, call or attempt, and below an attempt that sent several requests one for each of them. */
export function costLines({ rows, by, isSlowestFirst, run }: CostTable, { paint, width }: Screen): string {
  if (rows.length === 0) return '';
  const shown = isSlowestFirst || by === 'agent' ? rows.slice(0, MOST_ROWS) : rows.slice(-MOST_ROWS);
  const lines = shown.flatMap(linesOf);
  const columns = COLUMNS[by].filter(({ head }) => head !== 'run' || !run);
  const { drawn, left } = LAYOUTS.map((layout) => draw(columns, lines, { ...layout, isSlowestFirst })).reduce(
    (chosen, next) => (widthOf(chosen.drawn) <= width ? chosen : next),
  );
  const [head = [], ...rest] = drawn;
  const notes = [
    ...(rows.length > shown.length ? [`… ${count(rows.length - shown.length)} more`] : []),
    ...(left.length > 0 ? [`no room for ${left.join(', ')}`] : []),
  ];
  const note = notes.length === 0 ? '' : `\n${paint.dim(`${notes.join(' · ')}; all with --json`)}`;
  return table([head.map((text) => paint.dim(text)), ...rest]) + note;
}

/** What is given up where a screen is narrow, one after the other. */
const LAYOUTS: readonly Layout[] = [
  { without: [], names: 26 },
  { without: [], names: 16 },
  { without: ['tokens'], names: 16 },
  { without: ['tokens', 'took'], names: 16 },
  { without: ['tokens', 'took', 'answer'], names: 16 },
];

interface Layout {
  /** Columns that are left out. */
  readonly without: readonly string[];
  /** How wide a name may be. */
  readonly names: number;
}

interface Drawn {
  /** The heads first. */
  readonly drawn: readonly (readonly string[])[];
  /** Heads of the columns that are left out. */
  readonly left: readonly string[];
}

function draw(
  columns: readonly Column[],
  lines: readonly Line[],
  { without, names, isSlowestFirst }: Layout & { readonly isSlowestFirst: boolean },
): Drawn {
  const kept = columns.filter(({ head }) => !without.includes(head));
  const left = columns.filter((column) => !kept.includes(column)).map(({ head }) => head);
  const cells = lines.map((line, at) =>
    kept.map(({ cell }) => cell(line, { names, before: isSlowestFirst ? undefined : lines[at - 1] })),
  );
  return { drawn: [kept.map(({ head }) => head), ...cells], left };
}

const widthOf = (drawn: Drawn['drawn']): number => columnWidths(drawn).reduce((sum, width) => sum + width + 2, -2);

interface Line {
  readonly row: CostRow;
  /** One request of the row's attempt. */
  readonly request?: RequestCost;
}

const linesOf = (row: CostRow): readonly Line[] => {
  const { requests = [] } = row;
  return [{ row }, ...(requests.length < 2 ? [] : requests.map((request) => ({ row, request })))];
};

interface Place {
  readonly names: number;
  /** The line above, where its like is not said again. */
  readonly before: Line | undefined;
}

interface Column {
  readonly head: string;
  readonly cell: (line: Line, place: Place) => string;
}

/** Of a row only: its requests do not say it again. */
const ofRow = (head: string, cell: (row: CostRow, place: Place) => string): Column => {
  return { head, cell: ({ row, request }, place) => (request ? '' : cell(row, place)) };
};

const runColumn = ofRow('run', ({ run = '' }, { before, names }) => (run === before?.row.run ? '' : fit(run, names)));
const turnColumn = ofRow('turn', ({ run, turn }, { before }) =>
  run === before?.row.run && turn === before?.row.turn ? '' : String(turn ?? ''),
);
const nameColumn = ofRow('call', ({ kind, name = '' }, { names }) =>
  fit(kind === 'model' ? shortModel(name) : name, names),
);
const agentColumn = ofRow('agent', ({ agent }, { names }) => fit(agent || '-', names));
const runsColumn = ofRow('runs', ({ runs = 0 }) => count(runs));
const attemptsColumn = ofRow('attempts', ({ attempts }) => String(attempts ?? ''));
const attemptColumn: Column = {
  head: 'attempt',
  cell: ({ row, request }, { names }) =>
    request
      ? `  ${fit(shortModel(request.model), names)} ${requestWord(request, row)}`
      : `${row.attempt ?? ''} ${outcomeWord(row)}`,
};
const tookColumn: Column = {
  head: 'took',
  cell: ({ row, request }) => {
    if (!request) return span(row.tookMs);
    return request.endedAt === null ? '' : span(request.endedAt - request.sentAt);
  },
};
const spentColumn: Column = { head: 'spent', cell: (line) => money(spendOf(line)) };
const tokensColumn: Column = { head: 'tokens', cell: (line) => tokens(spendOf(line)) };
const answerColumn = ofRow('answer', ({ answer }) => (answer ? money(answer) : ''));
const timeColumn = (head: string, of: (time: TimeSplit) => number): Column =>
  ofRow(head, ({ time }) => (time && of(time) > 0 ? span(of(time)) : ''));
const timeColumns = [
  timeColumn('model', ({ modelMs }) => modelMs),
  timeColumn('tools', ({ toolsMs }) => toolsMs),
  timeColumn('waiting', ({ peopleMs, providerMs, retriesMs }) => peopleMs + providerMs + retriesMs),
];

const spendOf = ({ row, request }: Line): CostTotals => (request ? sumRequests([request]) : row.spend);

const COLUMNS: Readonly<Record<CostTable['by'], readonly Column[]>> = {
  agent: [agentColumn, runsColumn, spentColumn, answerColumn, tokensColumn, ...timeColumns],
  turn: [runColumn, turnColumn, spentColumn, answerColumn, tokensColumn, tookColumn, ...timeColumns],
  call: [runColumn, turnColumn, nameColumn, attemptsColumn, tookColumn, spentColumn, answerColumn, tokensColumn],
  attempt: [runColumn, turnColumn, nameColumn, attemptColumn, tookColumn, spentColumn, tokensColumn],
};

function outcomeWord({ outcome, isUnderWay }: CostRow): string {
  if (isUnderWay) return 'at work';
  return outcome ? ATTEMPT_WORDS[outcome] : 'no end on record';
}

function requestWord({ outcome, cost }: RequestCost, { isUnderWay }: CostRow): string {
  if (cost.is === 'measured' && cost.by === 'refused') return 'refused';
  if (outcome === null) return isUnderWay ? 'at work' : 'no end on record';
  return REQUESTS[outcome];
}

/** Shorter than elsewhere. */
const REQUESTS = {
  whole: 'answered',
  broken: 'failed',
  cut: 'broke off',
  'lost-hedge': 'was slower',
  left: 'given up',
} as const;

/** Tokens that were reported; `?` where not all were. */
export function tokens({ inputTokens, outputTokens, requests: sent, estimated, unknown }: CostTotals): string {
  if (sent === 0) return '';
  if (inputTokens + outputTokens === 0 && estimated + unknown > 0) return '?';
  return `${count(inputTokens)} → ${count(outputTokens)}${estimated > 0 ? ' + ?' : ''}`;
}

export const count = (number: number): string => number.toLocaleString('en-US');
