import type { RunEvent } from '../contracts/events.ts';
import { assertNever } from '../policy/assert-never.ts';
import { followReply, type ReplySoFar } from '../policy/follow-reply.ts';

/** A call that is under way. Times are epoch milliseconds. */
export interface OpenCall {
  readonly call: string;
  readonly name: string;
  readonly kind: 'model' | 'tool';
  readonly attempt: number;
  readonly began: number;
}

/** What a run does at this moment, as its events tell it. */
export interface LiveState {
  /** `unheard`: no event of it has come. */
  readonly is: 'unheard' | 'going' | 'over';
  readonly turn: number;
  readonly open: readonly OpenCall[];
  /** Of the model call that is under way, or was last. */
  readonly reply?: ReplySoFar;
  /** Ids of those that wait for a person. */
  readonly questions: readonly string[];
  /** A call waits before it is made again, or for its provider. */
  readonly waits?: { readonly call: string; readonly until: number; readonly on: 'provider' | 'retry' };
}

export const NOTHING_YET: LiveState = Object.freeze({ is: 'unheard', turn: 0, open: [], questions: [] });

/** The same, once this event has come too. */
export function followLive(state: LiveState, event: RunEvent): LiveState {
  const reply = followReply(state.reply, event);
  const known: LiveState = { ...state, is: 'going', ...(reply && { reply }) };
  switch (event.type) {
    case 'run-started':
      return { ...NOTHING_YET, is: 'going' };
    case 'attempt-started': {
      const { call, name, kind, attempt, at, turn } = event;
      const { waits: _, ...rest } = known;
      return { ...rest, turn, open: [...without(known, call), { call, name, kind, attempt, began: at }] };
    }
    case 'attempt-ended': {
      const { call, at, nextWaitMs } = event;
      const ended = { ...known, open: without(known, call) };
      return nextWaitMs === undefined ? ended : { ...ended, waits: { call, until: at + nextWaitMs, on: 'retry' } };
    }
    case 'call-waits':
      return { ...known, waits: { call: event.call, until: event.at + event.waitMs, on: 'provider' } };
    case 'call-answered':
      return { ...known, open: without(known, event.call) };
    case 'question-raised':
      return { ...known, questions: [...known.questions, event.question] };
    case 'question-settled':
    case 'question-expired':
      return { ...known, questions: known.questions.filter((id) => id !== event.question) };
    case 'run-ended':
      return { ...NOTHING_YET, is: 'over' };
    case 'piece':
    case 'reset':
    case 'call-planned':
    case 'request-sent':
    case 'request-answered':
    case 'request-ended':
    case 'cost-found':
    case 'cost-not-found':
    case 'late-outcome':
    case 'decision-refused':
    case 'limits-changed':
    case 'chat-message':
    case 'said':
      return known;
    default:
      return assertNever(event);
  }
}

const without = ({ open }: LiveState, call: string): readonly OpenCall[] => open.filter((one) => one.call !== call);
