import type { ReplySoFar } from '../../policy/follow-reply.ts';
import type { LiveState, OpenCall } from '../follow-live.ts';
import { wrap } from './fit.ts';
import { plain } from './plain.ts';
import type { Screen } from './screen.ts';
import { span } from './times.ts';

const INDENT = '  ';
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
  const status = startOf(words, screen.width - 2);
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

function replyLines(reply: ReplySoFar, { paint, width }: Screen): readonly string[] {
  const { text, reasoning, calls } = plain(reply);
  const room = width - INDENT.length - 1;
  const said = text === '' ? lastLines(reasoning, 2, room).map(paint.dim) : lastLines(text, MOST_LINES, room);
  const asked = calls.map(({ tool, input }) => paint.dim(`${tool} ${endOf(input, room - tool.length - 1)}`));
  return [...said, ...asked].map((line) => INDENT + line);
}

/** Cut before it is wrapped: a reply may be megabytes long, and is drawn ten times a second. */
function lastLines(text: string, most: number, room: number): readonly string[] {
  if (text.trim() === '') return [];
  return wrap(text.slice(-most * room).trimEnd(), room)
    .flatMap((line) => (line.length > room ? [endOf(line, room)] : [line]))
    .slice(-most);
}

const startOf = (text: string, room: number): string => (text.length > room ? `${text.slice(0, room - 1)}…` : text);

const endOf = (text: string, room: number): string => {
  const line = text.replace(/\s+/g, ' ');
  return line.length > room ? `…${line.slice(1 - room)}` : line;
};
