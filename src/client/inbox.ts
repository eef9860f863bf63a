import type { LedgerKey, LedgerRecord } from '../contracts/ledger.ts';
import type { Question } from '../contracts/question.ts';
import { foldKey } from '../policy/fold-key.ts';
import { questionOfKey } from '../policy/question-of-claim.ts';
import type { ClientParts } from './client-parts.ts';
import { listRuns } from './list-runs.ts';
import { readState } from './read-state.ts';

/** Something a person should settle. `from`: the run that waits for it, or only the ledger, its run being closed or silent. */
export interface InboxItem {
  readonly question: Question;
  readonly agent: string;
  readonly turn: number | undefined;
  readonly from: 'run' | 'ledger';
}

/** Everything that waits for a person, oldest first, one item per effect: waiting runs, and unsettled entries of the ledger. */
export async function readInbox(parts: ClientParts): Promise<readonly InboxItem[]> {
  return oncePerKey(await readQuestions(parts));
}

/** Every question, also where several runs ask about one effect. Those of runs come before the ledger's own. */
export async function readQuestions(parts: ClientParts): Promise<readonly InboxItem[]> {
  const [asked, unsettled] = await Promise.all([questionsOfRuns(parts), unsettledOf(parts)]);
  const byAge = (a: InboxItem, b: InboxItem) => a.question.since - b.question.since;
  return [...asked.sort(byAge), ...unsettled.sort(byAge)];
}

async function questionsOfRuns(parts: ClientParts): Promise<InboxItem[]> {
  const runs = await listRuns(parts, { limit: MOST_RUNS });
  const open = runs.filter(({ closedAt }) => closedAt === undefined);
  const views = await Promise.all(open.map(({ run }) => readState(parts, run)));
  return views.flatMap((view) =>
    view
      ? view.questions.map((question) => ({ question, agent: view.agent, turn: view.turn, from: 'run' as const }))
      : [],
  );
}

/** How many runs are asked, newest first; whatever they do not say, the ledger does. */
const MOST_RUNS = 1_000;

async function unsettledOf({ ledger, namespace }: ClientParts): Promise<InboxItem[]> {
  const byKey = Map.groupBy(await ledger.read({ unsettled: true }), ({ key }) => keyText(key));
  return [...byKey.values()].flatMap((records) => {
    const question = questionOfKey(foldKey(records), Date.now());
    const isOurs = records[0]?.key.namespace === namespace;
    return question && isOurs ? [{ question, agent: agentOf(records), turn: undefined, from: 'ledger' as const }] : [];
  });
}

function agentOf([record]: readonly LedgerRecord[]): string {
  return record?.key.scope.startsWith('agent:') ? record.key.scope.slice('agent:'.length) : '';
}

function oncePerKey(items: readonly InboxItem[]): readonly InboxItem[] {
  const seen = new Set<string>();
  const once = items.filter(({ question }) => {
    // Approvals are about calls: two calls of one action are asked about one by one.
    const key = question.kind === 'approval' ? question.id : keyText(question.key);
    return !seen.has(key) && seen.add(key);
  });
  return once.sort((a, b) => a.question.since - b.question.since);
}

const keyText = ({ namespace, scope, intent }: LedgerKey): string => JSON.stringify([namespace, scope, intent]);
