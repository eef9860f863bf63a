import { ApplicationFailure, CancellationScope, setHandler } from '@temporalio/workflow';
import type { LateOutcome, ResolveOutcome, Stop } from '../contracts/messages.ts';
import { acceptDecision } from '../policy/accept-decision.ts';
import { assertNever } from '../policy/assert-never.ts';
import {
  lateOutcomeSignal,
  questionsQuery,
  resolveOutcomeSignal,
  resolveOutcomeUpdate,
  stateQuery,
  stopSignal,
  stopUpdate,
} from './messages.ts';
import type { Run } from './run.ts';
import { viewOf } from './view-of.ts';

/** Registers every handler. Called before the run's first await; no handler ever waits. */
export function hearMessages(run: Run): void {
  setHandler(stateQuery, () => viewOf(run), { description: 'The run as it stands.' });
  setHandler(questionsQuery, () => run.questions, { description: 'What only news or a person can answer.' });
  setHandler(lateOutcomeSignal, (news: Partial<LateOutcome> | undefined) => {
    if (news?.call) run.news.add(news.call);
  });
  setHandler(
    resolveOutcomeSignal,
    (message) => {
      hearDecision(run, message);
    },
    { description: 'Settle an unknown outcome. The JSON to send is in the current details.' },
  );
  setHandler(resolveOutcomeUpdate, (message) => hearDecision(run, message), {
    description: 'Settle an unknown outcome; refused at once when it does not fit.',
    validator: (message: ResolveOutcome) => {
      refuseUnfit(run, message);
    },
  });
  setHandler(stopSignal, (message) => {
    hearStop(run, message);
  });
  setHandler(stopUpdate, (message) => hearStop(run, message), { description: 'End the run: mode "safe" or "now".' });
  void CancellationScope.current().cancelRequested.catch(() => {
    run.requestStop('now', run.stopReason || 'cancelled through Temporal');
  });
}

/** The update's validator: throws what a person should read. An unknown question is refused here, a signal's is kept. */
function refuseUnfit(run: Run, message: ResolveOutcome): void {
  const acceptance = judgeDecision(run, message);
  if (acceptance.is === 'refused') throw ApplicationFailure.nonRetryable(acceptance.why, 'DecisionRefused');
  if (acceptance.is === 'early') {
    const open = run.questions.map(({ id }) => id).join(', ') || 'none';
    throw ApplicationFailure.nonRetryable(
      `This run has no open question "${textOf(message, 'question')}". Open: ${open}.`,
      'UnknownQuestion',
    );
  }
}

/** Decisions that wait for a question: whoever sends more than this sends nonsense. */
const MOST_DECISIONS = 200;

function hearDecision(run: Run, message: ResolveOutcome): string {
  const acceptance = judgeDecision(run, message);
  switch (acceptance.is) {
    case 'same':
      return 'It stands already.';
    case 'refused':
      run.refuse(textOf(message, 'id'), textOf(message, 'question'), acceptance.why);
      return acceptance.why;
    case 'early':
    case 'accepted':
      // Kept until its question takes it: the ledger has the last word.
      if (run.isNew(`${message.question}/${message.id}`)) run.inbox = [...run.inbox, message].slice(-MOST_DECISIONS);
      return 'Accepted. The run goes on as soon as the ledger has it.';
    default:
      return assertNever(acceptance);
  }
}

/** A decision already on its way counts as standing: the second one that differs is refused at once. */
function judgeDecision(run: Run, message: ResolveOutcome) {
  const onTheirWay = run.inbox.map((one) => ({ ...one, settledBy: 'person' }) as const);
  const decisions = [...run.decisions, ...onTheirWay];
  return acceptDecision(message, { questions: run.questions, decisions, now: Date.now() });
}

/** Whatever the sender typed: a stop without words is a safe one. */
function hearStop(run: Run, message: Partial<Stop> | undefined): string {
  if (message?.id && !run.isNew(message.id)) return 'It stands already.';
  run.requestStop(message?.mode === 'now' ? 'now' : 'safe', message?.reason ?? '');
  return `The run stops (${run.stop}).`;
}

/** A field of whatever a signal carried, for people to read. */
function textOf(message: unknown, field: 'id' | 'question'): string {
  const value =
    typeof message === 'object' && message !== null ? (message as Record<string, unknown>)[field] : undefined;
  return typeof value === 'string' ? value : '?';
}
