import { condition } from '@temporalio/workflow';
import type { Decision } from '../contracts/decision.ts';
import type { OutcomeQuestion } from '../contracts/question.ts';
import type { CallProgress } from '../contracts/run.ts';
import { acceptDecision } from '../policy/accept-decision.ts';
import { questionWaitMs } from '../policy/ledger-times.ts';
import { afterNews } from '../policy/next-progress.ts';
import { recordedResult } from '../policy/settle-key.ts';
import { activities, untilItHolds } from './proxies.ts';
import { nameOf } from './hear-decision.ts';
import { insist, isUnion } from './insist.ts';
import type { Run } from './run.ts';
import { isSigned, ledgerView } from './run-facts.ts';
import { askLookUp } from './ask-look-up.ts';
import { show } from './show.ts';
import { toolOf } from './tool-of.ts';

/** How a question was closed: by a person's decision, by news that the ledger holds, or not at all: the run was stopped. */
export type Answer =
  | { readonly is: 'decided'; readonly decision: Decision }
  | { readonly is: 'news'; readonly progress: CallProgress }
  | { readonly is: 'left-open' };

/**
 * Waits until a question is settled, for days if need be: by a person's decision, by late news, by what the ledger learns from
 * elsewhere, or by the tool's own look-up; the last two are asked on a timer. `onPoll` keeps the count for whoever carries the question.
 */
export async function settleQuestion(
  run: Run,
  question: OutcomeQuestion,
  polled: number,
  onPoll: (polls: number) => void,
): Promise<Answer> {
  for (let polls = polled; ; polls++) {
    onPoll(polls + 1);
    const isAnswered = () =>
      run.inbox.some((message) => message.question === question.id) || run.news.has(question.call);
    const isDue = () => isAnswered() || run.stop !== null;
    const waitMs = questionWaitMs(polls, question, toolOf(run, question.tool), Date.now());
    if (waitMs > 0) await condition(isDue, waitMs, { summary: `${question.tool} · waiting for news or a person` });
    run.news.delete(question.call);
    const answer =
      (await takeDecision(run, question)) ?? (await lookForNews(run, question)) ?? (await lookUp(run, question));
    if (!answer && run.stop !== null) return { is: 'left-open' };
    if (!answer) continue;
    const by = answer.is === 'decided' ? answer.decision.by : 'news in the ledger';
    run.tell({ type: 'question-settled', at: Date.now(), question: question.id, by });
    return answer;
  }
}

/** Judges the oldest decision for the question again, now that it exists, and gives it its place in the ledger. */
async function takeDecision(run: Run, question: OutcomeQuestion): Promise<Answer | undefined> {
  const message = run.inbox.find((one) => one.question === question.id);
  if (!message) return undefined;
  const leave = () => {
    run.inbox = run.inbox.filter((one) => one !== message);
  };
  const bench = { questions: [question], decisions: run.decisions, now: Date.now() };
  const acceptance = acceptDecision(message, bench);
  if (acceptance.is !== 'accepted') {
    leave();
    if (acceptance.is === 'refused') run.refuse(message.id, question.id, acceptance.why);
    // It used up nothing: put right, it may come again under its id.
    run.forget(nameOf(message));
    show(run);
    return undefined;
  }
  const { decision } = acceptance;
  if (decision.verdict === 'abort' && isSigned(run)) {
    leave();
    // Nobody has verified whose word it is, and an end cannot be taken back.
    run.refuse(
      message.id,
      question.id,
      'Where decisions are signed, a run is ended with "stop", and "abort" does not count.',
    );
    run.forget(nameOf(message));
    show(run);
    return undefined;
  }
  if (decision.verdict === 'abort') {
    leave();
    return { is: 'decided', decision };
  }
  const options = { ...untilItHolds, summary: `${question.tool} · ${decision.verdict} (${decision.by})` };
  const request = { ...run.identity, question, decision, ledger: ledgerView(run), signed: isSigned(run) };
  const ask = () => activities.settleOutcome.executeWithOptions(options, [request]);
  const settlement = await insist(run, ask, isUnion);
  leave();
  if (settlement.is === 'settled') {
    run.decisions = [...run.decisions, decision];
    return { is: 'decided', decision };
  }
  if (settlement.is === 'known') return { is: 'news', progress: doneProgress(settlement.done) };
  if (settlement.is === 'more') {
    run.changeQuestion(question.id, (open) => ({ ...open, need: 2, have: settlement.have }));
    show(run);
    return undefined;
  }
  if (settlement.is === 'refused') {
    run.refuse(message.id, question.id, settlement.why);
    run.forget(nameOf(message));
    show(run);
    return undefined;
  }
  run.refuse(message.id, question.id, `Something else stands: ${settlement.why}.`);
  show(run);
  return settlement.done && { is: 'news', progress: doneProgress(settlement.done) };
}

const doneProgress = (done: Parameters<typeof recordedResult>[0]): CallProgress => {
  return { is: 'closed', reply: { status: 'ok' }, result: recordedResult(done) };
};

async function lookForNews(run: Run, { id, key, tool }: OutcomeQuestion): Promise<Answer | undefined> {
  const options = { ...untilItHolds, summary: `${tool} · any news?` };
  const request = { ...run.identity, key, ledger: ledgerView(run) };
  const state = await insist(run, () => activities.readNews.executeWithOptions(options, [request]), isUnion);
  const progress = afterNews(state, id);
  return progress && { is: 'news', progress };
}

async function lookUp(run: Run, question: OutcomeQuestion): Promise<Answer | undefined> {
  const decision = run.stop === null ? await askLookUp(run, question) : undefined;
  if (decision) run.decisions = [...run.decisions, decision];
  return decision && { is: 'decided', decision };
}
