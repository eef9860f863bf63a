import type { StoredEvent } from '../../contracts/events.ts';
import type { Failure } from '../../contracts/failure.ts';
import { assertNever } from '../../policy/assert-never.ts';
import { namedIntent } from '../named-intent.ts';
import { fit, wrap } from './fit.ts';
import { shortModel } from './short-model.ts';
import type { Screen } from './screen.ts';
import { paintStatus } from './status-words.ts';
import { clock, span } from './times.ts';

/** What earlier events of the run say about the one that is shown. */
export interface EventContext {
  /** The name of the tool or model behind a call id. */
  readonly nameOf: (call: string) => string | undefined;
  /** When the call's last attempt began, epoch milliseconds. */
  readonly beganAt: (call: string) => number | undefined;
}

const LABEL = 14;
const TIME = 10;

/** A plain ok adds nothing to the end of its attempt. */
export const isQuiet = (event: StoredEvent): boolean =>
  event.type === 'call-answered' && event.reply.status === 'ok' && event.reply.message === undefined;

/** One event for people: when, what, and what there is to do about it. One line; more only for an answer or a command. */
export function eventLines(event: StoredEvent, context: EventContext, screen: Screen): string {
  const { paint, now, width } = screen;
  const [label, text, ...more] = describe(event, context, screen);
  const indent = ' '.repeat(TIME + LABEL);
  const first = `${paint.dim(clock(event.at, now).padEnd(TIME))}${fit(label, LABEL - 2).padEnd(LABEL)}`;
  return [first + fitUnpainted(text, width - TIME - LABEL), ...more.map((line) => indent + line)].join('\n');
}

type Told = readonly [label: string, text: string, ...more: readonly string[]];

function describe(event: StoredEvent, context: EventContext, screen: Screen): Told {
  const { paint, width } = screen;
  switch (event.type) {
    case 'run-started':
      return ['started', `agent ${event.agent} · ${readText(event.input)}`];
    case 'attempt-started':
      return [event.kind === 'model' ? 'model' : event.name, paint.dim(beginning(event))];
    case 'attempt-ended':
      return [event.kind === 'model' ? 'model' : event.name, ending(event, context, screen)];
    case 'late-outcome':
      return [context.nameOf(event.call) ?? event.call, `late news: it ${event.is === 'done' ? 'happened' : 'failed'}`];
    case 'question-raised':
      return ['question', ...question(event, context, screen)];
    case 'question-settled':
      return ['settled', `${event.question} by ${event.by}`];
    case 'call-answered':
      return [
        event.tool,
        paint.dim(`the model is told: ${event.reply.status}${event.reply.message ? ` · ${event.reply.message}` : ''}`),
      ];
    case 'said': {
      const [first = '', ...rest] = wrap(event.text, Math.max(30, width - TIME - LABEL));
      return ['answer', first, ...rest];
    }
    case 'run-ended':
      return ['ended', paintStatus(event.status, paint)];
    default:
      return assertNever(event);
  }
}

function beginning({ turn, attempt, kind, name, intent }: Extract<StoredEvent, { type: 'attempt-started' }>): string {
  const about = kind === 'model' ? shortModel(name) : (namedIntent(name, intent) ?? '');
  return [`turn ${turn}`, ...(attempt > 1 ? [`attempt ${attempt}`] : []), about, '…']
    .filter((part) => part !== '')
    .join(' · ')
    .replace(/ · …$/, ' …');
}

function ending(
  event: Extract<StoredEvent, { type: 'attempt-ended' }>,
  { beganAt }: EventContext,
  { paint }: Screen,
): string {
  const { call, at, outcome, failure, usage, nextWaitMs } = event;
  const began = beganAt(call);
  const tokens = usage ? `${usage.inputTokens ?? '?'} → ${usage.outputTokens ?? '?'} tokens` : '';
  const facts = [
    OUTCOMES[outcome],
    began === undefined ? '' : span(at - began),
    tokens,
    failure ? reason(failure) : '',
    nextWaitMs === undefined ? '' : `again in ${span(nextWaitMs)}`,
  ];
  const text = facts.filter((fact) => fact !== '').join(' · ');
  return outcome === 'success' ? text : paint.yellow(text);
}

const OUTCOMES = { success: 'ok', failure: 'failed', cancelled: 'cancelled', unknown: 'outcome unknown' } as const;

const reason = ({ message }: Failure): string => message;

function question(
  { question: id, call }: Extract<StoredEvent, { type: 'question-raised' }>,
  { nameOf }: EventContext,
  { command, paint }: Screen,
): readonly [string, ...string[]] {
  return [
    paint.bold(paint.yellow(`${id} · ${nameOf(call) ?? call} may or may not have happened`)),
    command('resolve', id, 'happened', '--result', '…', '--reason', '…'),
    command('resolve', id, 'did-not-happen', '--reason', '…'),
    `${paint.dim('What is known:')} ${command('inbox')}`,
  ];
}

// Cutting painted text would cut its colour's end off too; it is short by itself.
const fitUnpainted = (text: string, columns: number): string => (text.includes('\u001b') ? text : fit(text, columns));

/** An input is kept as JSON, cut at some length; most are texts. */
function readText(json: string): string {
  try {
    const input: unknown = JSON.parse(json);
    return typeof input === 'string' ? input : json;
  } catch {
    return json;
  }
}
