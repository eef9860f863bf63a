import type { Failure, FailureKind } from '../../contracts/failure.ts';
import type { AttemptReport } from '../read-attempts.ts';
import type { CallReport } from '../run-report.ts';
import { span } from './times.ts';

/** How a call went: its attempts where there were several, and what came of it: `2 attempts · 503, waited 0.8 s · ok`. */
export function callOutcome({ attempts, state, question, asks = 'outcome', kind, reply }: CallReport): string {
  const again =
    attempts.length > 1
      ? `${attempts.length} attempts · ${attempts.slice(0, -1).map(describeAttempt).join(' · ')} · `
      : '';
  if (question !== undefined) return `${again}${ASKED[asks]} → ${question}`;
  const word = STATE_WORDS[state] ?? state;
  if (word === 'ok') return again === '' && kind === 'model' ? '' : `${again}ok`;
  const why = reply?.message ?? attempts.at(-1)?.failure?.message;
  return `${again}${word}${why === undefined || why === word ? '' : `: ${why}`}`;
}

/** How long the call took, waits included; of one under way how long it has been. */
export function callTook({ startedAt, endedAt, attempts }: CallReport, now: number): string {
  const from = attempts[0]?.startedAt ?? startedAt;
  const until = attempts.at(-1)?.endedAt ?? endedAt;
  return until === undefined ? `${span(now - from)} …` : span(until - from);
}

export function callTokens({ usage }: CallReport): string {
  if (!usage) return '';
  const shown = (tokens: number | null) => (tokens === null ? '?' : tokens.toLocaleString('en-US'));
  return `${shown(usage.inputTokens)} → ${shown(usage.outputTokens)} tokens`;
}

const ASKED = { outcome: 'outcome unknown', approval: 'waits for an approval' } as const;

/** The states between a call's steps, as people would say them. */
const STATE_WORDS: Readonly<Record<string, string>> = {
  running: 'at work',
  'in-flight': 'at work',
  due: 'at work',
  asking: 'outcome unknown',
  sleeping: 'waits before it is tried again',
  closed: 'ok',
  pending: 'answered "pending"',
};

function describeAttempt({ failure, nextWaitMs, endedAt }: AttemptReport): string {
  const why = endedAt === undefined ? 'worker lost' : failure ? reasonWord(failure) : 'ended';
  return nextWaitMs === undefined ? why : `${why}, waited ${span(nextWaitMs)}`;
}

function reasonWord({ status, kind }: Failure): string {
  // Of an answer that broke off the status was fine.
  return status === undefined || status < 400 ? KIND_WORDS[kind] : String(status);
}

const KIND_WORDS: Readonly<Record<FailureKind, string>> = {
  transient: 'unavailable',
  'timed-out': 'timed out',
  permanent: 'refused',
  unreadable: 'unreadable answer',
  thrown: 'error',
  'in-progress': 'still in progress',
  'key-reused': 'key used otherwise',
  'held-back': 'held back',
  cancelled: 'cancelled',
};
