import { condition } from '@temporalio/workflow';
import type { ResolveOutcome } from '../contracts/messages.ts';
import type { OutcomeQuestion } from '../contracts/question.ts';
import { questionWaitMs } from '../policy/ledger-times.ts';
import { afterNews } from '../policy/next-progress.ts';
import { describeDecision, isSameDecision } from '../policy/settle-key.ts';
import { activities, untilItHolds } from './proxies.ts';
import { insist, isUnion } from './insist.ts';
import type { Run } from './run.ts';
import { refuseRest, type Settled } from './refuse-rest.ts';
import { ledgerView } from './run-facts.ts';
import { askLookUp } from './ask-look-up.ts';
import { takeDecision, type Settling } from './take-decision.ts';
import { toolOf } from './tool-of.ts';

/** How a question was closed, or not at all: the run was stopped. */
export type Answer = Settling | { readonly is: 'left-open' };

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
    run.inbox = refuseRest(run, run.inbox, question.id, settledBy(answer));
    return answer;
  }
}

function settledBy(answer: Settling): Settled<ResolveOutcome> {
  if (answer.is === 'news')
    return {
      said: 'Something else stands: the ledger has news of it.',
      agrees: ({ verdict }) => verdict === 'happened',
    };
  const { decision } = answer;
  return {
    said: `Something else stands: ${describeDecision(decision)}.`,
    agrees: (message) => isSameDecision(message, decision),
  };
}

async function lookForNews(run: Run, { id, key, tool }: OutcomeQuestion): Promise<Settling | undefined> {
  const options = { ...untilItHolds, summary: `${tool} · any news?` };
  const request = { ...run.identity, key, ledger: ledgerView(run) };
  const state = await insist(run, () => activities.readNews.executeWithOptions(options, [request]), isUnion);
  const progress = afterNews(state, id);
  return progress && { is: 'news', progress };
}

async function lookUp(run: Run, question: OutcomeQuestion): Promise<Settling | undefined> {
  const decision = run.stop === null ? await askLookUp(run, question) : undefined;
  if (decision) run.decisions = [...run.decisions, decision];
  return decision && { is: 'decided', decision };
}
