import type { LanguageModelV4FinishReason } from '@ai-sdk/provider';
import type { Usage } from '../contracts/events.ts';
import type { FailureReason } from '../contracts/failure.ts';
import { errorsIn } from './read-provider-error.ts';

/** A call as the model wrote it: `input` is text that should be JSON. */
export interface RawCall {
  readonly toolCallId: string;
  readonly tool: string;
  readonly input: string;
}

/** What a model's answer held when it ended, whichever way it did. */
export interface AnswerFacts {
  /** False: it came in one piece. */
  readonly streamed: boolean;
  /** Something of it came, be it only its id. */
  readonly begun: boolean;
  readonly text: string;
  /** With joined input: the pieces beat the final input where they differ. */
  readonly calls: readonly RawCall[];
  /** Calls that began and never became whole. */
  readonly open: readonly RawCall[];
  readonly finish: LanguageModelV4FinishReason | undefined;
  readonly usage: Usage;
  /** The Responses API: it names its own end, so a whole reply may have no raw reason; and it keeps replies on its side. */
  readonly isKept: boolean;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body of an answer that came in one piece. */
  readonly body?: unknown;
  /** What the stream carried as an error, or ended with. */
  readonly error?: unknown;
}

/**
 * How a whole answer ended. Only with `tool-calls` may its calls run. `tool-call-cut`: the limit fell into a call; `continue`: the
 * provider pauses and wants the turn back as it is; `unknown-finish`: a word nobody knows, so its text counts and its calls do not.
 */
export type AnswerEnd = 'stop' | 'tool-calls' | 'length' | 'tool-call-cut' | 'continue' | 'unknown-finish';

/** `error`: what the answer carries says what is wrong with it. */
export type AnswerVerdict =
  | { readonly is: 'whole'; readonly end: AnswerEnd }
  | { readonly is: 'broken'; readonly reason: FailureReason }
  | { readonly is: 'error' };

/** Words with which servers say that they gave up, or that what the model wrote is no call. */
const RAW_REASONS: readonly (readonly [RegExp, FailureReason])[] = [
  [/malformed_?(function|tool)/i, 'tool-input'],
  [/unexpected_?tool/i, 'tool-unknown'],
  [/malformed/i, 'bad-response'],
  [/insufficient|resource|overload|capacity/i, 'overload'],
  [/time_?(d_)?out|time_?limit|deadline/i, 'timeout'],
  [/^(error|abort|aborted|cancelled|canceled|failed|failure|internal\w*)$/i, 'server'],
];

/** Raw reasons beside the unified `content-filter` that mean the model itself said no. */
const REFUSALS = [undefined, 'stop', 'refusal', 'end_turn'];

/** Is an answer whole, and may what it asks for be done? An error it carries wins over any finish that follows. */
export function judgeAnswer(facts: AnswerFacts): AnswerVerdict {
  if (facts.error !== undefined || errorsIn(facts.body).length > 0) return { is: 'error' };
  const { finish, text, calls, open } = facts;
  const broken = (reason: FailureReason): AnswerVerdict => ({ is: 'broken', reason });
  const isEmpty = text.trim() === '' && calls.length === 0 && open.length === 0;
  if (!finish || !isEnded(finish, facts)) return broken(!facts.streamed && isEmpty ? 'empty' : 'truncated');
  const { unified, raw } = finish;
  if (unified === 'content-filter') return broken(REFUSALS.includes(raw) ? 'refusal' : 'content-filter');
  const named = unified === 'stop' || unified === 'length' ? undefined : reasonOfRaw(raw);
  if (named) return broken(named);
  if (unified === 'error') return broken('server');
  const asks = calls.length + open.length > 0;
  if (unified === 'length') return { is: 'whole', end: asks ? 'tool-call-cut' : 'length' };
  if (raw === 'pause_turn') return { is: 'whole', end: 'continue' };
  if (isEmpty) return broken('empty');
  if (unified !== 'stop' && unified !== 'tool-calls') return { is: 'whole', end: 'unknown-finish' };
  if (open.length > 0) return broken('bad-response');
  return { is: 'whole', end: asks ? 'tool-calls' : 'stop' };
}

function isEnded({ unified, raw }: LanguageModelV4FinishReason, { isKept }: AnswerFacts): boolean {
  if (unified === 'interrupted') return false;
  return raw !== undefined || (isKept && unified !== 'other');
}

function reasonOfRaw(raw: string | undefined): FailureReason | undefined {
  return RAW_REASONS.find(([words]) => words.test(raw ?? ''))?.[1];
}

/** Did anything come that was generated? */
export function hasOutput({ text, calls, open }: AnswerFacts): boolean {
  return text !== '' || calls.length > 0 || open.length > 0;
}

/** Did the provider count what it generated? */
export function isMetered({ usage }: AnswerFacts): boolean {
  return (usage.outputTokens ?? 0) > 0;
}

/** Carries an answer that is not whole, or what it broke on, to where it is named. */
export class BrokenAnswer extends Error {
  override readonly name = 'BrokenAnswer';
  readonly facts: AnswerFacts;
  constructor(facts: AnswerFacts) {
    super('the reply is not whole', { cause: facts.error });
    this.facts = facts;
  }
}
