import stringWidth from 'string-width';
import type { CallSoFar, ReplySoFar } from '../../policy/follow-reply.ts';
import type { LiveState, OpenCall } from '../follow-live.ts';
import { breakColumns, cutColumns, endColumns } from './cut-columns.ts';
import { wrap } from './fit.ts';
import { plain } from './plain.ts';
import type { Screen } from './screen.ts';
import { span } from './times.ts';

const INDENT = '  ';
/** How wide a terminal shows one depends on where it stands. */
const TAB = '  ';
/** Of a reply that comes, the end: the whole of it is printed when it is there. */
const MOST_LINES = 8;
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;
const IDLE = { unheard: 'nothing was heard of the run yet', going: 'begun' };

/** What stands under a watched run while it goes on: the reply as it comes, and what is under way for how long. */
export function liveLines(state: LiveState, screen: Screen): readonly string[] {
  const { paint, now } = screen;
  if (state.is === 'over') return [];
  const frame = FRAMES[Math.floor(now / FRAME_MS) % FRAMES.length] ?? '';
  const isAnswering = state.open.some(({ call }) => call === state.reply?.call);
  const turn = state.turn === 0 ? [] : [`turn ${state.turn}`];
  const words = [...turn, ...doingNow(state, now)].join(' · ') || IDLE[state.is];
  const status = cutColumns(words, screen.width - 2, 'start');
  return [...(isAnswering && state.reply ? replyLines(state.reply, screen) : []), `${frame} ${paint.dim(status)}`];
}

function doingNow({ open, reply, questions, waits }: LiveState, now: number): readonly string[] {
  const calls = open.map((one) => {
    const chars = one.call === reply?.call ? charsOf(reply) : 0;
    return `${nameOf(one)} ${span(now - one.began)}${chars > 0 ? ` · ${chars.toLocaleString('en-US')} characters` : ''}`;
  });
  const waiting =
    waits && waits.until > now
      ? [`${waits.on === 'provider' ? 'waits for the provider' : 'tries again'}, ${span(waits.until - now)} left`]
      : [];
  const asks = questions.length === 0 ? [] : [`waits for a person: ${questions.join(', ')}`];
  return [...calls, ...waiting, ...asks];
}

const nameOf = ({ kind, name, attempt }: OpenCall): string =>
  `${kind === 'model' ? 'model' : name}${attempt > 1 ? `, attempt ${attempt},` : ''}`;

const charsOf = ({ text, reasoning, calls }: ReplySoFar): number =>
  text.length + reasoning.length + calls.reduce((sum, { input }) => sum + input.length, 0);

function replyLines({ text, reasoning, calls }: ReplySoFar, { paint, width }: Screen): readonly string[] {
  const room = width - INDENT.length - 1;
  const said = lastLines(text, MOST_LINES, room);
  const thought = text === '' ? lastLines(reasoning, 2, room).map(paint.dim) : [];
  const asked = calls.slice(-MOST_LINES).map((call) => paint.dim(callLine(call, room)));
  return [...thought, ...said, ...asked].slice(-MOST_LINES).map((line) => INDENT + line);
}

function lastLines(text: string, most: number, room: number): readonly string[] {
  const end = endOf(text, most * room).trimEnd();
  if (end === '') return [];
  return wrap(end, room)
    .flatMap((line) => (stringWidth(line) > room ? breakColumns(line, room) : [line]))
    .slice(-most);
}

function callLine({ tool, input }: CallSoFar, room: number): string {
  const name = cutColumns(plain(tool), Math.floor(room / 2), 'start');
  const end = endOf(input, room).replace(/\s+/g, ' ');
  return `${name} ${cutColumns(end, room - stringWidth(name) - 1, 'end')}`;
}

/** UTF-16 units: as many as writing with accents needs. Of emoji made of several there are then fewer lines. */
const UNITS_PER_COLUMN = 4;

/** Cut before anything else is done: a reply may be megabytes long, and is drawn ten times a second. */
const endOf = (text: string, columns: number): string =>
  endColumns(plain(text.slice(-columns * UNITS_PER_COLUMN).toWellFormed()).replaceAll('\t', TAB), columns);
