import type { StoredEvent } from '../../contracts/events.ts';
import type { ReplySoFar } from '../../policy/follow-reply.ts';
import { assertNever } from '../../policy/assert-never.ts';
import { ATTEMPT_WORDS, REQUEST_WORDS } from './outcome-words.ts';
import { namedIntent } from '../named-intent.ts';
import { dollars } from './dollars.ts';
import { fit, wrap } from './fit.ts';
import type { Paint, Screen } from './screen.ts';
import { shortModel } from './short-model.ts';
import { paintStatus } from './status-words.ts';
import { clock, span } from './times.ts';

/** What earlier events of the run say about the one that is shown. */
export interface EventContext {
  /** The name of the tool or model behind a call id. */
  readonly nameOf: (call: string) => string | undefined;
  /** When the call's last attempt began, epoch milliseconds. */
  readonly beganAt: (call: string) => number | undefined;
  /** The reply of this model call, as far as it has come. */
  readonly replyOf: (call: string) => ReplySoFar | undefined;
}

type Of<Type extends StoredEvent['type']> = Extract<StoredEvent, { type: Type }>;

/** What is said of an event. Painted only after it has been cut: a cut through a colour would colour all that follows. */
interface Told {
  readonly label: string;
  readonly text: string;
  readonly tint?: (text: string) => string;
  readonly more?: readonly string[];
}

const TIME = 10;
const LABEL = 14;

/** A plain ok adds nothing to the end of its attempt. */
export const isQuiet = (event: StoredEvent): boolean =>
  ((event.type === 'request-sent' || event.type === 'request-ended') && event.part === 1) ||
  event.type === 'request-answered' ||
  event.type === 'piece' ||
  event.type === 'call-planned' ||
  (event.type === 'call-answered' && event.reply.status === 'ok' && event.reply.message === undefined);

/** One event for people: when, what, and what there is to do about it. One line; more only for an answer or commands. */
export function eventLines(event: StoredEvent, context: EventContext, screen: Screen): string {
  const { paint, now, width } = screen;
  const { label, text, tint = (uncoloured: string) => uncoloured, more = [] } = tell(event, context, screen);
  const when = paint.dim(clock(event.at, now).padEnd(TIME));
  const first = when + fit(label, LABEL - 2).padEnd(LABEL) + tint(fit(text, width - TIME - LABEL));
  return [first, ...more.map((line) => ' '.repeat(TIME + LABEL) + line)].join('\n');
}

function tell(event: StoredEvent, context: EventContext, screen: Screen): Told {
  const { paint } = screen;
  switch (event.type) {
    case 'run-started':
      return { label: 'started', text: `agent ${event.agent} · ${readText(event.input)}` };
    case 'attempt-started':
      return { label: labelOf(event), text: beginning(event), tint: paint.dim };
    case 'attempt-ended':
      return {
        label: labelOf(event),
        text: ending(event, context),
        tint: tintOf(event, paint),
        more: saidBeside(event, context, screen),
      };
    case 'request-sent':
      return { label: event.account, text: `turn ${event.turn} · asked too: ${event.model}`, tint: paint.dim };
    case 'request-ended':
      return { label: event.account, text: `${event.model}: ${REQUEST_WORDS[event.outcome]}`, tint: paint.dim };
    case 'request-answered':
      return { label: event.account, text: `${event.model}: began to answer`, tint: paint.dim };
    case 'cost-found':
      return { label: 'cost', text: `${dollars(event.costMicros)} for a reply of ${event.account}`, tint: paint.dim };
    case 'cost-not-found':
      return {
        label: 'cost',
        text: `of a reply of ${event.account} stays an estimate · ${event.why}`,
        tint: paint.dim,
      };
    case 'limits-changed':
      return { label: 'limits', text: `${event.limits.length} limits changed` };
    case 'chat-message':
      return { label: 'chat', text: `a message that ${event.run} answers` };
    case 'piece':
      return { label: event.of, text: event.delta, tint: paint.dim };
    case 'reset':
      return { label: 'model', text: `begins anew · what had come of its reply is void`, tint: paint.dim };
    case 'call-planned':
      return { label: event.tool, text: `asked for with ${JSON.stringify(event.input)}`, tint: paint.dim };
    case 'call-waits':
      return { label: 'waits', text: `${span(event.waitMs)} for the provider · ${event.why}`, tint: paint.yellow };
    case 'late-outcome':
      return {
        label: context.nameOf(event.call) ?? event.call,
        text: event.contradicts
          ? `CONTRADICTION: it happened after all, although ${event.contradicts}`
          : LATE[event.is],
      };
    case 'question-raised':
      return question(event, context, screen);
    case 'question-settled':
      return { label: 'settled', text: `${event.question} by ${event.by}` };
    case 'question-expired':
      return { label: 'expired', text: `${event.question} · nobody answered in time; asked again` };
    case 'decision-refused':
      return { label: 'refused', text: `decision on ${event.question}: ${event.why}`, tint: paint.yellow };
    case 'call-answered': {
      const { status, message } = event.reply;
      return {
        label: event.tool,
        text: `the model is told: ${status}${message ? ` · ${message}` : ''}`,
        tint: paint.dim,
      };
    }
    case 'said': {
      const [text = '', ...more] = wrap(event.text, screen.width - TIME - LABEL);
      return { label: 'answer', text, more };
    }
    case 'run-ended':
      return { label: 'ended', text: event.status, tint: (text) => paintStatus(event.status, paint, text) };
    default:
      return assertNever(event);
  }
}

const labelOf = ({ kind, name }: Of<'attempt-started' | 'attempt-ended'>): string =>
  kind === 'model' ? 'model' : name;

function beginning({ turn, attempt, kind, name, intent }: Of<'attempt-started'>): string {
  const about = kind === 'model' ? shortModel(name) : namedIntent(name, intent);
  const facts = [`turn ${turn}`, ...(attempt > 1 ? [`attempt ${attempt}`] : []), ...(about ? [about] : [])];
  return `${facts.join(' · ')} …`;
}

function ending({ call, at, outcome, failure, usage, nextWaitMs }: Of<'attempt-ended'>, { beganAt }: EventContext) {
  const began = beganAt(call);
  return [
    ATTEMPT_WORDS[outcome],
    ...(began === undefined ? [] : [span(at - began)]),
    ...(usage ? [`${usage.inputTokens ?? '?'} → ${usage.outputTokens ?? '?'} tokens`] : []),
    ...(nextWaitMs === undefined ? [] : [`again in ${span(nextWaitMs)}`]),
    ...(failure ? [failure.message] : []),
  ].join(' · ');
}

/** What the model said beside the calls it asks for; an answer has an event of its own. */
function saidBeside({ call, outcome }: Of<'attempt-ended'>, { replyOf }: EventContext, { width }: Screen) {
  const reply = replyOf(call);
  if (outcome !== 'success' || !reply || reply.calls.length === 0 || reply.text.trim() === '') return [];
  return wrap(reply.text.trim(), width - TIME - LABEL);
}

const LATE = { done: 'late news: it happened', failed: 'late news: it failed' } as const;

function tintOf({ outcome }: Of<'attempt-ended'>, paint: Paint): (text: string) => string {
  return outcome === 'success' ? (text) => text : paint.yellow;
}

function question(event: Of<'question-raised'>, { nameOf }: EventContext, screen: Screen): Told {
  const { question: id, call, kind = 'outcome', tool = nameOf(call) ?? call } = event;
  const { command, paint } = screen;
  const asks = kind === 'outcome' ? `${tool} may or may not have happened` : `may ${tool} be called?`;
  return {
    label: 'question',
    text: `${id} · ${asks}`,
    tint: (text) => paint.bold(paint.yellow(text)),
    more: [...answersTo(id, kind, command), `${paint.dim('What is known:')} ${command('inbox')}`],
  };
}

function answersTo(id: string, kind: 'outcome' | 'approval', command: Screen['command']): readonly string[] {
  return kind === 'outcome'
    ? [
        command('resolve', id, 'happened', '--result', '…', '--reason', '…'),
        command('resolve', id, 'did-not-happen', '--reason', '…'),
      ]
    : [command('approve', id, '--reason', '…'), command('deny', id, '--reason', '…')];
}

/** An input is kept as JSON, cut at some length; most are texts. */
function readText(json: string): string {
  try {
    const input: unknown = JSON.parse(json);
    return typeof input === 'string' ? input : json;
  } catch {
    return json;
  }
}
