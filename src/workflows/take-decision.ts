import type { Decision } from '../contracts/decision.ts';
import type { ResolveOutcome } from '../contracts/messages.ts';
import type { OutcomeQuestion } from '../contracts/question.ts';
import type { CallProgress } from '../contracts/run.ts';
import { acceptDecision } from '../policy/accept-decision.ts';
import { assertNever } from '../policy/assert-never.ts';
import { recordedResult } from '../policy/settle-key.ts';
import { nameOfMessage } from '../policy/name-of-message.ts';
import { insist, isUnion } from './insist.ts';
import { activities, untilItHolds } from './proxies.ts';
import type { Run } from './run.ts';
import { decisionTerms, ledgerView } from './run-facts.ts';
import { show } from './show.ts';

/** What closes a question: a decision, or news that the ledger holds. */
export type Settling =
  { readonly is: 'decided'; readonly decision: Decision } | { readonly is: 'news'; readonly progress: CallProgress };

/** Judges the oldest decision for the question again, now that it exists, and gives it its place in the ledger. */
export async function takeDecision(run: Run, question: OutcomeQuestion): Promise<Settling | undefined> {
  const message = run.inbox.find((one) => one.question === question.id);
  if (!message) return undefined;
  const acceptance = acceptDecision(message, { questions: [question], decisions: run.decisions, now: Date.now() });
  if (acceptance.is !== 'accepted') {
    takeOut(run, message);
    turnDown(run, message, acceptance.is === 'refused' ? acceptance.why : undefined);
    return undefined;
  }
  const { decision } = acceptance;
  if (decision.verdict === 'abort') return takeAbort(run, message, decision);
  const settlement = await settle(run, question, decision);
  takeOut(run, message);
  switch (settlement.is) {
    case 'settled':
      run.decisions = [...run.decisions, decision];
      return { is: 'decided', decision };
    case 'known':
      return newsOf(settlement.done);
    case 'more':
      run.changeQuestion(question.id, (open) => ({ ...open, need: settlement.need, have: settlement.have }));
      show(run);
      return undefined;
    case 'refused':
      turnDown(run, message, settlement.why);
      return undefined;
    case 'stands':
      turnDown(run, message, `Something else stands: ${settlement.why}.`);
      return settlement.done && newsOf(settlement.done);
    default:
      return assertNever(settlement);
  }
}

/** Nobody has verified whose word it is, and an end cannot be taken back: where words are signed, it is no way to end a run. */
function takeAbort(run: Run, message: ResolveOutcome, decision: Decision): Settling | undefined {
  takeOut(run, message);
  if (!decisionTerms(run).signed) return { is: 'decided', decision };
  turnDown(run, message, 'Where decisions are signed, a run is ended with "stop", and "abort" does not count.');
  return undefined;
}

async function settle(run: Run, question: OutcomeQuestion, decision: Decision) {
  const options = { ...untilItHolds, summary: `${question.tool} · ${decision.verdict} (${decision.by})` };
  const request = { ...run.identity, question, decision, ledger: ledgerView(run), ...decisionTerms(run) };
  return insist(run, () => activities.settleOutcome.executeWithOptions(options, [request]), isUnion);
}

function takeOut(run: Run, message: ResolveOutcome): void {
  run.inbox = run.inbox.filter((one) => one !== message);
}

/** It used up nothing: put right, it may come again under its id. */
function turnDown(run: Run, message: ResolveOutcome, why: string | undefined): void {
  if (why !== undefined) run.refuse(message.id, message.question, why);
  run.forget(nameOfMessage(message));
  show(run);
}

const newsOf = (done: Parameters<typeof recordedResult>[0]): Settling => {
  return { is: 'news', progress: { is: 'closed', reply: { status: 'ok' }, result: recordedResult(done) } };
};
