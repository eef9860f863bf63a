import { WorkflowNotFoundError, WorkflowUpdateFailedError, type WorkflowHandle } from '@temporalio/client';
import type { Decision } from '../contracts/decision.ts';
import type { ResolveOutcome } from '../contracts/messages.ts';
import { acceptDecision } from '../policy/accept-decision.ts';
import { assertNever } from '../policy/assert-never.ts';
import { needOf } from '../policy/need-of.ts';
import { refusalOf } from '../policy/refusal-of.ts';
import { termsOfKey } from '../policy/terms-of-key.ts';
import { settleKey } from '../policy/settle-key.ts';
import { readSecret } from '../temporal/settings.ts';
import { lateOutcomeSignal, resolveOutcomeUpdate } from '../workflows/messages.ts';
import { awaitVerdict, type Verdict } from './await-verdict.ts';
import type { ClientParts } from './client-parts.ts';
import type { InboxItem } from './inbox.ts';
import { updateIdOf } from './update-id.ts';

/**
 * `applied`: by the run, or, its run being closed, in the ledger alone. `more`: it is on record, and another person must say the
 * same. `kept`: the run has it and has not judged it yet. `refused`: nothing changed; `why` says what stands.
 */
export type SettleResult =
  | { readonly is: 'applied'; readonly to: 'run' | 'ledger'; readonly message: string }
  | { readonly is: 'more'; readonly message: string }
  | { readonly is: 'kept'; readonly message: string }
  | { readonly is: 'refused'; readonly why: string };

/** Gives a decision to the run that asks; a run that is closed no longer listens, so the ledger is told instead. */
export async function settle(parts: ClientParts, item: InboxItem, message: ResolveOutcome): Promise<SettleResult> {
  const handle = parts.client.workflow.getHandle(item.question.run);
  if (item.from === 'ledger') return settleWithoutRun(parts, item, message, handle);
  try {
    const said = await handle.executeUpdate(resolveOutcomeUpdate, { args: [message], updateId: updateIdOf(message) });
    const { question, id: decision, by } = message;
    return sayVerdict(await awaitVerdict(parts, { run: item.question.run, question, decision, by }), said);
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return settleInLedger(parts, item, message, CLOSED);
    if (!(error instanceof WorkflowUpdateFailedError)) throw error;
    return { is: 'refused', why: error.cause?.message ?? error.message };
  }
}

/** What became of a decision, as its sender is told. `said`: what the run answered when it took it in. */
export function sayVerdict(verdict: Verdict, said: string): SettleResult {
  switch (verdict.is) {
    case 'refused':
      return verdict;
    case 'more':
      return { is: 'more', message: sayMore(verdict) };
    case 'gone':
      return { is: 'applied', to: 'run', message: said };
    case 'open':
      return { is: 'kept', message: KEPT };
    default:
      return assertNever(verdict);
  }
}

const KEPT = 'The run has it, and has not judged it yet: look again in a while.';

const sayMore = ({ have, need }: { readonly have: readonly string[]; readonly need: number }): string =>
  `On record. It takes ${need} different people, and so far ${have.join(', ')} said so: another one must say the same.`;

const CLOSED = {
  applied: 'Its run is closed; the decision is in the ledger, and holds for every later run.',
  abort: 'The run is closed already: there is nothing to abort.',
};
const WORKING = {
  applied: 'Its run is at work and has not asked; the decision is in the ledger, where the run finds it.',
  abort: 'Its run is at work and has not asked: stop it instead.',
};
const SILENT = {
  applied: 'No worker answers for its run now; the decision is in the ledger, where the run finds it.',
  abort: 'No worker answers for its run now, and only the run itself can end. Start a worker first, or stop the run.',
};

/** The ledger is told, and a run that is only silent is woken: it asks the ledger as soon as a worker is back. */
async function settleWithoutRun(
  parts: ClientParts,
  item: InboxItem,
  message: ResolveOutcome,
  handle: WorkflowHandle,
): Promise<SettleResult> {
  const isRunOpen = await isOpen(handle);
  const say = !isRunOpen ? CLOSED : item.runIs === 'working' ? WORKING : SILENT;
  const settled = await settleInLedger(parts, item, message, say);
  if (isRunOpen && settled.is === 'applied') {
    // Should it close just now, it needs no news.
    await handle.signal(lateOutcomeSignal, { call: item.question.call, claim: '' }).catch(() => undefined);
  }
  return settled;
}

async function isOpen(handle: WorkflowHandle): Promise<boolean> {
  try {
    return (await handle.describe()).closeTime === undefined;
  } catch (error) {
    // Its run may be long past the server's retention; the ledger forgets nothing.
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

const withoutDeciders = (run: string): string =>
  `Run ${run} counts only signed decisions, and this client has no deciders configured, so it cannot tell whose word this is. Use the configuration of its workers.`;

async function settleInLedger(
  parts: ClientParts,
  { question, agent }: InboxItem,
  message: ResolveOutcome,
  say: typeof CLOSED,
): Promise<SettleResult> {
  const acceptance = acceptDecision(message, { questions: [question], decisions: [], now: Date.now() });
  if (acceptance.is === 'refused') return { is: 'refused', why: acceptance.why };
  if (message.verdict === 'abort') return { is: 'refused', why: say.abort };
  const { deciders, namespace, quorum, ledger } = parts;
  const { run } = question;
  const why = await refusalOf({ deciders, namespace, run, agent, question, decision: message, secretOf: readSecret });
  if (why !== undefined) return { is: 'refused', why };
  const { signed } = termsOfKey(await ledger.read({ key: question.key }));
  if (signed && deciders === undefined) return { is: 'refused', why: withoutDeciders(run) };
  const decision: Decision = { ...message, settledBy: 'person' };
  const claim = question.kind === 'outcome' ? question.claim : undefined;
  const { answer } = await ledger.decide(question.key, (records) => {
    const need = needOf(question.amount, quorum, ...termsOfKey(records).quorums);
    return settleKey(records, decision, { now: Date.now(), need, claim });
  });
  if (answer.is === 'stands') return { is: 'refused', why: `Something else stands: ${answer.why}.` };
  if (answer.is === 'more') return { is: 'more', message: sayMore(answer) };
  return { is: 'applied', to: 'ledger', message: say.applied };
}
