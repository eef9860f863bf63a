import type { Money } from '../../contracts/bill.ts';
import { describeRule } from '../../policy/fits-rule.ts';
import type { RefusedDecision } from '../../contracts/run.ts';
import type { CallReport, RunReport } from '../run-report.ts';
import { callOutcome, callTokens, callTook } from './call-facts.ts';
import { fit, wrap } from './fit.ts';
import { questionBlock } from './question-block.ts';
import type { Screen } from './screen.ts';
import { shortModel } from './short-model.ts';
import { paintStatus, statusWords } from './status-words.ts';
import { wordLines } from './word-lines.ts';
import { money } from './money.ts';
import { columnWidths, table } from './table.ts';
import { clock, span } from './times.ts';

/** Calls shown at most; the latest are what a person looks for. */
const MOST_CALLS = 40;
const NAME_COLUMNS = 24;

/** A run: where it stands, its calls by turn, its answer, and what a person has to decide. */
export function showScreen(report: RunReport, screen: Screen): string {
  const { run, calls, questions, canAbort, words, refused, rules, webUrl, endedAt } = report;
  const { paint, command, width } = screen;
  const watch = endedAt === undefined && questions.length === 0 ? [command('watch', run)] : [];
  return [
    headline(report, screen),
    ...(report.toldBy === 'records' ? [paint.dim(recordsNote(report, screen))] : []),
    ...(calls.length === 0 ? [] : [callTable(calls, screen)]),
    ...ending(report, screen),
    ...questions.map((question) => questionBlock(question, { canAbort }, screen)),
    ...(words.length === 0 ? [] : [wordLines(words, screen)]),
    ...(rules.length === 0 ? [] : [rules.flatMap((rule) => wrap(`Rule: ${describeRule(rule)}`, width)).join('\n')]),
    ...(refused.length === 0 ? [] : [refused.flatMap((one) => wrap(refusalOf(one), width)).join('\n')]),
    [...watch, ...(webUrl === undefined ? [] : [webUrl])].join('\n'),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

const refusalOf = ({ question, why }: RefusedDecision): string => `Refused decision on ${question}: ${why}`;

function headline(report: RunReport, { paint, now }: Screen): string {
  const { run, status, agent, turn, startedAt, endedAt, spend } = report;
  const { inputTokens, outputTokens, unmetered } = spend;
  const facts = [
    ...(agent === '' ? [] : [`agent ${agent}`]),
    ...(turn === 0 ? [] : [`turn ${turn}`]),
    `started ${clock(startedAt, now)}`,
    ...(endedAt === undefined ? [] : [`took ${span(endedAt - startedAt)}`]),
    ...costWords(spend.cost),
  ];
  const spent = [
    ...(inputTokens + outputTokens > 0 ? [`${count(inputTokens)} → ${count(outputTokens)} tokens`] : []),
    ...(unmetered > 0 ? [`${unmetered} unmetered`] : []),
  ];
  const words = paint.bold(paintStatus(status, paint, statusWords(status)));
  return `${[words, ...facts].join(' · ')}\n${paint.dim([run, ...spent].join(' · '))}`;
}

/** Nothing where nothing was asked yet. */
function costWords(cost: Money | undefined): readonly string[] {
  const words = cost === undefined ? '' : money(cost);
  if (words === '') return [];
  return [words === '?' ? 'cost ?' : words];
}

function recordsNote({ calls, endedAt }: RunReport, { command, width }: Screen): string {
  const what =
    calls.length > 0
      ? 'No worker answers for this run. Below is what the server, the event store and the ledger know.'
      : 'No worker answers for this run, and the stores here know no call of it: no worker has taken it up yet, or it was started with another data folder.';
  const remedy = endedAt === undefined ? [`A worker: ${command('dev')}`] : [];
  return [...wrap(what, width), ...remedy].join('\n');
}

function callTable(calls: readonly CallReport[], screen: Screen): string {
  const shown = calls.slice(-MOST_CALLS);
  const left = calls.length - shown.length;
  const note = left > 0 ? `  ${screen.paint.dim(`… ${left} earlier calls; all with --json`)}\n` : '';
  const heads = shown.map((call, at) => [
    call.turn === shown[at - 1]?.turn ? '' : String(call.turn),
    call.kind,
    fit(call.kind === 'model' ? shortModel(call.name) : call.name, NAME_COLUMNS),
    callTook(call, screen.now),
  ]);
  const room = screen.width - columnWidths(heads).reduce((all, width) => all + width + 2, 2);
  const rows = heads.flatMap((head, at) => callRows(head, shown[at], Math.max(24, room), screen));
  return note + table(rows, '  ');
}

/** What does not fit beside a call stands below it, in the same column. */
function callRows(head: readonly string[], call: CallReport | undefined, room: number, { paint }: Screen) {
  const facts = call ? [callOutcome(call), call.kind === 'model' ? callTokens(call) : (call.intent ?? '')] : [];
  const [first = '', ...more] = wrap(facts.filter((fact) => fact !== '').join(' · '), room);
  const tint = call?.question === undefined ? (text: string) => text : paint.yellow;
  return [[...head, tint(first)], ...more.map((line) => ['', '', '', '', tint(line)])];
}

function ending({ answer, failure, status }: RunReport, { paint, width }: Screen): readonly string[] {
  if (failure !== undefined) return [paint.red(wrap(failure, width).join('\n'))];
  if (answer === undefined) return [];
  const indented = wrap(answer, width - 2).map((line) => `  ${line}`);
  return [[status === 'answered' ? 'Answer so far' : 'Answer', ...indented].join('\n')];
}

const count = (tokens: number): string => tokens.toLocaleString('en-US');
