import type { Content } from '../../contracts/content.ts';
import type { ApprovalQuestion, OutcomeQuestion, Question } from '../../contracts/question.ts';
import { describeAmount } from '../../policy/describe-amount.ts';
import { namedIntent } from '../named-intent.ts';
import { fit, wrap } from './fit.ts';
import type { Screen } from './screen.ts';
import { ago, clock, span } from './times.ts';

/** Who asks, for where that is not plain. `from` the ledger: `runIs` says why the run itself does not. */
export interface Asker {
  readonly agent: string;
  readonly turn: number | undefined;
  readonly from: 'run' | 'ledger';
  readonly runIs?: 'closed' | 'silent' | 'working';
  readonly webUrl?: string | undefined;
}

/** Where a question is shown. `canAbort`: its run hears of it, and takes an unsigned word. */
export interface Asked {
  readonly asker?: Asker;
  readonly canAbort: boolean;
}

const INDENT = ' '.repeat(6);
const LABEL = 9;

/** One open question: what is known, and the commands that answer it. */
export function questionBlock(question: Question, { asker, canAbort }: Asked, screen: Screen): string {
  const { id, tool, since, run, key, input, amount } = question;
  const { paint, now, width, command } = screen;
  const room = width - INDENT.length - LABEL;
  const head = [`${KINDS[question.kind]} · ${tool}`, ...(amount === undefined ? [] : [describeAmount(amount)])];
  return [
    `${paint.bold(paint.yellow(id))}  ${paint.bold(head.join(' · '))} · ${ago(since, now)}`,
    ...(asker ? [line('run', run + describeAsker(asker))] : []),
    line('intent', fit(namedIntent(tool, key.intent) ?? 'not named by the tool', room)),
    line(question.kind === 'approval' ? 'wants' : 'input', fit(showInput(input), room)),
    ...(question.kind === 'outcome' ? outcomeFacts(question, now) : approvalFacts(question, { now, room })),
    ...lines(
      'known',
      question.known.flatMap((fact) => wrap(fact, room)),
    ),
    ...agreedFacts(question),
    ...lines(
      'decide',
      question.kind === 'outcome' ? outcomeCommands(question, canAbort, screen) : approvalCommands(id, screen),
    ),
    ...(asker ? lines('more', [command('show', run), ...(asker.webUrl ? [asker.webUrl] : [])]) : []),
  ].join('\n');
}

const KINDS = { outcome: 'outcome unknown', approval: 'approval' } as const;

function agreedFacts({ need, have = [] }: Question): readonly string[] {
  if (need === undefined) return [];
  return [line('agreed', `${have.length} of ${need} people${have.length > 0 ? `: ${have.join(', ')}` : ''}`)];
}

function approvalFacts({ because, expiresAt }: ApprovalQuestion, { now, room }: { now: number; room: number }) {
  const reasons = because.flatMap((reason) => wrap(reason, room));
  return [...lines('because', reasons), line('expires', `in ${span(Math.max(0, expiresAt - now))}, then asked again`)];
}

function approvalCommands(id: string, { command }: Screen): readonly string[] {
  return [command('approve', id, '--reason', '…'), command('deny', id, '--reason', '…')];
}

/** The commands that settle it, and when which of them counts. The dots are refused until a person has written in their place. */
function outcomeCommands(
  question: OutcomeQuestion,
  canAbort: boolean,
  { command, now, paint }: Screen,
): readonly string[] {
  const { id, horizon } = question;
  const run = mayBeShared(question) ? ['--run', question.run] : [];
  const early =
    now < horizon ? [`did-not-happen counts from ${clock(horizon, now)} on, in ${span(horizon - now)}`] : [];
  return [
    command('resolve', id, 'happened', '--result', '…', '--reason', '…', ...run),
    command('resolve', id, 'did-not-happen', '--reason', '…', ...run),
    ...[...early, canAbort ? 'also: reversed, abort' : 'also: reversed'].map(paint.dim),
  ];
}

/** Runs that meet one action ask about it under one id: those of a task with several runs, and those of a wider scope. */
const mayBeShared = ({ key, run }: OutcomeQuestion): boolean => key.scope !== `task:${run}`;

const WHY_LEDGER = {
  closed: 'closed, the ledger asks',
  silent: 'no worker answers for it, the ledger asks',
  working: 'has not asked yet, the ledger knows',
} as const;

function describeAsker({ agent, turn, from, runIs = 'closed' }: Asker): string {
  const facts = [
    ...(agent === '' ? [] : [`agent ${agent}`]),
    ...(turn === undefined ? [] : [`turn ${turn}`]),
    ...(from === 'ledger' ? [WHY_LEDGER[runIs]] : []),
  ];
  return facts.length === 0 ? '' : `  (${facts.join(', ')})`;
}

function outcomeFacts({ sentAt, since, horizon }: OutcomeQuestion, now: number): readonly string[] {
  const lands = now < horizon ? `may still land until ${clock(horizon, now)}` : 'can no longer land';
  const sent = sentAt === undefined ? 'not known when' : clock(sentAt, now);
  return [line('sent', `${sent} · sight lost ${clock(since, now)} · ${lands}`)];
}

function showInput(input: Content): string {
  return input.is === 'inline' ? JSON.stringify(input.value) : `stored, ${input.sizeBytes} bytes`;
}

const line = (label: string, text: string): string => INDENT + label.padEnd(LABEL) + text;

const lines = (label: string, texts: readonly string[]): readonly string[] =>
  texts.map((text, at) => line(at === 0 ? label : '', text));
