import type { LedgerKey, LedgerRecord } from '../contracts/ledger.ts';
import type { Question } from '../contracts/question.ts';
import type { RunView } from '../contracts/run.ts';
import { foldKey } from '../policy/fold-key.ts';
import { questionOfKey } from '../policy/question-of-claim.ts';
import { askableRuns } from './askable-runs.ts';
import type { ClientParts } from './client-parts.ts';
import { describeRun, type RunRow } from './list-runs.ts';
import { mapAtOnce, type Pace } from './map-at-once.ts';
import { readState } from './read-state.ts';

/** Something a person should settle. `from`: the run that waits for it, or only the ledger. */
export interface InboxItem {
  readonly question: Question;
  readonly agent: string;
  readonly turn: number | undefined;
  readonly from: 'run' | 'ledger';
  /** Why only the ledger asks: its run is closed, no worker answers for it, or it works and has not asked (yet). */
  readonly runIs?: RunIs;
}

type RunIs = 'closed' | 'silent' | 'working';

/** What waits for a person. */
export interface Waiting {
  /** Oldest first, one item per effect. */
  readonly items: readonly InboxItem[];
  /** Runs that wait for a person and did not answer when asked for what: no worker is up, or it is slow. */
  readonly silent: readonly RunRow[];
}

/** A busy worker answers thousands of these; one that is away costs its whole time-out each. */
const ASKING: Pace = Object.freeze({ most: 32, withinMs: 12_000 });

interface AskedRun {
  readonly row: RunRow;
  readonly view: RunView | undefined;
}

/** Everything that waits for a person: waiting runs, and unsettled entries of the ledger. */
export async function readInbox(parts: ClientParts): Promise<Waiting> {
  const [asked, unsettled] = await Promise.all([askRuns(parts, await askableRuns(parts)), unsettledOf(parts)]);
  const items = oncePerKey([...asked.flatMap(questionsOf).sort(byAge), ...unsettled]);
  return { items: await tellApart(parts, items, asked), silent: silentOf(asked, items) };
}

/** Every question, of one run or of all, also where several runs ask about one effect. Those of runs come before the ledger's own. */
export async function readQuestions(parts: ClientParts, run?: string): Promise<readonly InboxItem[]> {
  const rows = run === undefined ? askableRuns(parts) : openRunOf(parts, run);
  const [asked, unsettled] = await Promise.all([askRuns(parts, await rows), unsettledOf(parts, run)]);
  const answering = new Set(asked.flatMap(({ row, view }) => (view ? [row.run] : [])));
  // Its worker is there, and the run has not asked (yet): it is at another attempt.
  const seen = unsettled.map((item) =>
    answering.has(item.question.run) ? { ...item, runIs: 'working' as const } : item,
  );
  return [...asked.flatMap(questionsOf).sort(byAge), ...seen.sort(byAge)];
}

const byAge = (a: InboxItem, b: InboxItem): number => a.question.since - b.question.since;

async function openRunOf({ client }: ClientParts, run: string): Promise<readonly RunRow[]> {
  const row = await describeRun(client, run);
  return row && row.closedAt === undefined ? [row] : [];
}

async function askRuns(parts: ClientParts, rows: readonly RunRow[]): Promise<readonly AskedRun[]> {
  const views = await mapAtOnce(rows, ASKING, ({ run }) => readState(parts, run));
  return rows.map((row, at) => ({ row, view: views[at] }));
}

function questionsOf({ view }: AskedRun): InboxItem[] {
  if (!view) return [];
  const { agent, turn, questions } = view;
  return questions.map((question) => ({ question, agent, turn, from: 'run' as const }));
}

/** What a silent run left unsettled, the ledger lists; of an approval only the run knows. */
function silentOf(asked: readonly AskedRun[], items: readonly InboxItem[]): readonly RunRow[] {
  const listed = new Set(items.map(({ question }) => question.run));
  return asked
    .filter(({ view }) => view === undefined)
    .map(({ row }) => row)
    .filter(({ run, waitingFor }) => waitingFor.includes('approval') || (waitingFor.length > 0 && !listed.has(run)));
}

async function unsettledOf({ ledger, namespace, events }: ClientParts, run?: string): Promise<InboxItem[]> {
  const byKey = Map.groupBy(await ledger.read({ unsettled: true }), ({ key }) => keyText(key));
  const items = [...byKey.values()].flatMap((records) => {
    const question = questionOfKey(foldKey(records), Date.now());
    const isOurs = records[0]?.key.namespace === namespace && (run === undefined || question?.run === run);
    return question && isOurs ? [{ question, agent: agentOf(records), turn: undefined, from: 'ledger' as const }] : [];
  });
  return Promise.all(
    items.map(async (item) => {
      if (item.agent !== '') return item;
      const started = await events.newest(item.question.run, 'run-started');
      return started?.type === 'run-started' ? { ...item, agent: started.agent } : item;
    }),
  );
}

function agentOf([record]: readonly LedgerRecord[]): string {
  return record?.key.scope.startsWith('agent:') ? record.key.scope.slice('agent:'.length) : '';
}

/** Says of each item that only the ledger asks about what its run is doing. */
async function tellApart(
  parts: ClientParts,
  items: readonly InboxItem[],
  asked: readonly AskedRun[],
): Promise<readonly InboxItem[]> {
  const known = new Map<string, RunIs>(asked.map(({ row, view }) => [row.run, view ? 'working' : 'silent']));
  const left = new Set(items.filter(({ from }) => from === 'ledger').map(({ question }) => question.run));
  const runs = [...left].filter((run) => !known.has(run));
  const found = await mapAtOnce(runs, ASKING, (run) => lookAt(parts, run));
  runs.forEach((run, at) => known.set(run, found[at] ?? 'silent'));
  return items.map((item) => {
    const runIs = item.from === 'ledger' ? known.get(item.question.run) : undefined;
    return runIs === undefined ? item : { ...item, runIs };
  });
}

async function lookAt(parts: ClientParts, run: string): Promise<RunIs> {
  const [row] = await openRunOf(parts, run);
  if (!row) return 'closed';
  return (await readState(parts, run)) ? 'working' : 'silent';
}

function oncePerKey(items: readonly InboxItem[]): readonly InboxItem[] {
  const seen = new Set<string>();
  const once = items.filter(({ question }) => {
    // Approvals are about calls: two calls of one action are asked about one by one.
    const key = question.kind === 'approval' ? question.id : keyText(question.key);
    return !seen.has(key) && seen.add(key);
  });
  return once.sort(byAge);
}

const keyText = ({ namespace, scope, intent }: LedgerKey): string => JSON.stringify([namespace, scope, intent]);
