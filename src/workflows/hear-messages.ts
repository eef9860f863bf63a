import { CancellationScope, setHandler } from '@temporalio/workflow';
import type { CostFound, DecideApproval, LateOutcome, ResolveOutcome, Stop } from '../contracts/messages.ts';
import { APPROVALS } from './hear-approval.ts';
import { hearDecision, refuseUnfit } from './hear-decision.ts';
import { OUTCOMES } from './hear-outcome.ts';
import {
  costFoundSignal,
  decideApprovalSignal,
  decideApprovalUpdate,
  lateOutcomeSignal,
  questionsQuery,
  resolveOutcomeSignal,
  resolveOutcomeUpdate,
  stateQuery,
  stopSignal,
  stopUpdate,
} from './messages.ts';
import { hearCost } from './run-costs.ts';
import type { Run } from './run.ts';
import { viewOf } from './view-of.ts';

/** Registers every handler. Called before the run's first await; no handler ever waits. */
export function hearMessages(run: Run): void {
  setHandler(stateQuery, () => viewOf(run), { description: 'The run as it stands.' });
  setHandler(questionsQuery, () => run.questions, { description: 'What only news or a person can answer.' });
  setHandler(lateOutcomeSignal, (news: Partial<LateOutcome> | undefined) => {
    if (news?.call) run.news.add(news.call);
  });
  setHandler(costFoundSignal, (found: Partial<CostFound> | undefined) => {
    hearCost(run, found);
  });
  hearPeople(run);
  setHandler(stopSignal, (message) => {
    hearStop(run, message);
  });
  setHandler(stopUpdate, (message) => hearStop(run, message), { description: 'End the run: mode "safe" or "now".' });
  void CancellationScope.current().cancelRequested.catch(() => {
    run.requestStop('now', run.stopReason || 'cancelled through Temporal');
  });
}

/** Decisions come by signal, which always "succeeds", and by update, which is refused at once when it does not fit. */
function hearPeople(run: Run): void {
  setHandler(
    resolveOutcomeSignal,
    (message) => {
      hearDecision(OUTCOMES, run, message);
    },
    { description: 'Settle an unknown outcome. The JSON to send is in the current details.' },
  );
  setHandler(resolveOutcomeUpdate, (message) => hearDecision(OUTCOMES, run, message), {
    description: 'Settle an unknown outcome; refused at once when it does not fit.',
    validator: (message: ResolveOutcome) => {
      refuseUnfit(OUTCOMES, run, message);
    },
  });
  setHandler(
    decideApprovalSignal,
    (message) => {
      hearDecision(APPROVALS, run, message);
    },
    { description: 'Approve or deny a call. The JSON to send is in the current details.' },
  );
  setHandler(decideApprovalUpdate, (message) => hearDecision(APPROVALS, run, message), {
    description: 'Approve or deny a call; refused at once when it does not fit.',
    validator: (message: DecideApproval) => {
      refuseUnfit(APPROVALS, run, message);
    },
  });
}

/** Whatever the sender typed: a stop without words is a safe one. */
function hearStop(run: Run, message: Partial<Stop> | undefined): string {
  if (message?.id && !run.isNew(message.id)) return 'It stands already.';
  run.requestStop(message?.mode === 'now' ? 'now' : 'safe', message?.reason ?? '');
  return `The run stops (${run.stop}).`;
}
