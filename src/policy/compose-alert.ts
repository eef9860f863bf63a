import type { Alert, AlertQuestion, ShownArguments } from '../contracts/alert.ts';
import { canonicalJson } from '../contracts/canonical-json.ts';
import type { Content } from '../contracts/content.ts';
import type { Question } from '../contracts/question.ts';
import type { AlertReason, AlertRequest } from '../contracts/requests.ts';
import { assertNever } from './assert-never.ts';
import { decideCommands } from './decide-command.ts';
import { describeAmount } from './describe-amount.ts';
import { oneLine } from './one-line.ts';
import { stableHash } from './stable-id.ts';

const MAX_ARGUMENTS_BYTES = 2_048;
const MAX_LINES = 20;
const MAX_LINE = 500;

export interface AlertPlace {
  readonly namespace: string;
  /** The options that lead a pasted command to the run's data. */
  readonly place: string;
  /** Base address of the Web UI. */
  readonly webUi: string | undefined;
  /** Epoch milliseconds. */
  readonly at: number;
}

type Subject = Pick<AlertRequest, 'question' | 'reason' | 'run' | 'task' | 'agent'>;

/** What people are told of a question. Arguments go out as the question has them, bounded. */
export function composeAlert({ question, reason, run, task, agent }: Subject, place: AlertPlace): Alert {
  const link = linkTo(run, place);
  return {
    id: `alert_${stableHash([place.namespace, run, question.id, reason])}`,
    type: `holdfast.question.${reason}`,
    at: iso(place.at),
    data: {
      question: toAlertQuestion(question),
      evidence: boundLines(question.known),
      ...(question.kind === 'approval' && { because: boundLines(question.because) }),
      run,
      task,
      agent,
      commands: decideCommands(question, place.place),
      ...(link !== undefined && { link }),
      text: oneLine(sentenceOf({ question, reason, run, agent }), MAX_LINE),
    },
  };
}

function toAlertQuestion(question: Question): AlertQuestion {
  const { id, kind, tool, key, amount, input, digest, since, need, have } = question;
  return {
    id,
    kind,
    tool,
    intent: oneLine(key.intent, MAX_LINE),
    ...(amount !== undefined && { amount }),
    arguments: showArguments(input),
    digest,
    since: iso(since),
    ...(question.kind === 'outcome' ? { horizon: iso(question.horizon) } : { expiresAt: iso(question.expiresAt) }),
    ...(need !== undefined && { need, have: have ?? [] }),
  };
}

function showArguments(input: Content): ShownArguments {
  if (input.is === 'stored') return { is: 'stored', sizeBytes: input.sizeBytes };
  const bytes = new TextEncoder().encode(canonicalJson(input.value));
  if (bytes.length <= MAX_ARGUMENTS_BYTES) return { is: 'whole', value: input.value };
  // As a stream, a letter that the cut has halved is left out.
  const text = new TextDecoder().decode(bytes.slice(0, MAX_ARGUMENTS_BYTES), { stream: true });
  return { is: 'cut', text, sizeBytes: bytes.length };
}

/** What a question is about, in words that no model chose. */
export function headlineOf({ kind, tool }: Pick<Question, 'kind' | 'tool'>, reason: AlertReason): string {
  return `${prefixOf(reason)}${kind === 'outcome' ? `${tool} may or may not have happened` : `${tool} waits for approval`}`;
}

function prefixOf(reason: AlertReason): string {
  switch (reason) {
    case 'asked':
      return '';
    case 'reminder':
      return 'Still open: ';
    case 'escalation':
      return 'Nobody has answered: ';
    default:
      return assertNever(reason);
  }
}

function sentenceOf({ question, reason, run, agent }: Omit<Subject, 'task'>): string {
  const { id, key, amount } = question;
  const worth = amount === undefined ? '' : ` (${describeAmount(amount)})`;
  return `${headlineOf(question, reason)}${worth}: ${oneLine(key.intent, 100)}. Question ${id}, run ${run}, agent ${agent}.`;
}

const boundLines = (lines: readonly string[]): readonly string[] =>
  lines.slice(0, MAX_LINES).map((line) => oneLine(line, MAX_LINE));

function linkTo(run: string, { webUi, namespace }: AlertPlace): string | undefined {
  if (webUi === undefined) return undefined;
  const base = webUi.replace(/\/+$/, '');
  return `${base}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(run)}`;
}

const iso = (ms: number): string => new Date(ms).toISOString();
