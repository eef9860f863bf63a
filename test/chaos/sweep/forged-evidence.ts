import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SCHEMA } from '../../../src/testing/payment-rows.ts';

type Row = Readonly<Record<string, unknown>>;

/** What a sweep of one case leaves behind, for a test to spoil. */
export interface Evidence {
  readonly planned: Row;
  readonly outcome: Row;
  readonly before: readonly Row[];
  readonly records: readonly Row[];
  readonly said: readonly Row[];
  readonly events: readonly Row[];
  readonly history: readonly Row[];
  readonly arrivals: readonly Row[];
  readonly effects: readonly Row[];
}

const ORDER = 'O-forged';
const RUN = 'forged';
const KEY = { namespace: 'default', scope: `task:${RUN}`, intent: `refund:${ORDER}` };

export const wireKey = (generation = 1): string =>
  createHash('sha256')
    .update(JSON.stringify(generation === 1 ? [KEY.scope, KEY.intent] : [KEY.scope, KEY.intent, generation]))
    .digest('hex')
    .slice(0, 32);

/** A record of the forged call; `more` is what its kind carries. */
export function record(counter: number, is: string, more: Row = {}): Row {
  const subject = { key: KEY, task: RUN, run: RUN, execution: 'e1', call: 't1c0', tool: 'refund', generation: 1 };
  return { ...subject, at: counter * 1_000, counter, is, ...more };
}

export const claimed = (counter: number, more: Row = {}): Row =>
  record(counter, 'claimed', {
    claim: `c${counter}`,
    schedule: 1,
    sendBy: counter * 1_000 + 500,
    landsWithinMs: 500,
    digest: 'd1d1d1d1d1d1d1d1ffff',
    effect: 'unflagged',
    ...more,
  });

export const settled = (counter: number, decision: Row = {}): Row =>
  record(counter, 'settled', {
    decision: { id: 'q1-happened', question: 'q1', verdict: 'happened', digest: 'd1d1d1d1d1d1d1d1', ...decision },
  });

export const arrival = (at: number, key: string | null = wireKey(), body: Row = {}): Row => ({
  at,
  method: 'POST',
  path: '/refunds',
  key,
  attempt: '1',
  bodyHash: JSON.stringify(body),
  body: JSON.stringify({ orderId: ORDER, cents: 4_900, ...body }),
});

export const effect = (at: number, more: Row = {}): Row => ({
  at,
  orderId: ORDER,
  cents: 4_900,
  reason: '',
  key: wireKey(),
  ...more,
});

const payload = (value: unknown) => ({ data: Buffer.from(JSON.stringify(value)).toString('base64') });

export const completed = (replies: readonly Row[] = [{ status: 'ok' }]): Row => ({
  eventType: 'EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED',
  workflowExecutionCompletedEventAttributes: {
    result: { payloads: [payload({ status: 'completed', text: JSON.stringify(replies) })] },
  },
});

export const shown = (status: string): Row => ({
  eventType: 'EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES',
  upsertWorkflowSearchAttributesEventAttributes: {
    searchAttributes: { indexedFields: { HoldfastStatus: payload(status) } },
  },
});

/** A case in which everything went well: killed at b9, asked about, settled by a truthful person. */
export const SOUND: Evidence = {
  planned: { id: RUN, boundary: 'b9', effect: 'unflagged', victim: 'worker', order: ORDER },
  outcome: { id: RUN, acceptedAt: 1, reachedAt: 1_200, struckAt: 1_300, how: 'SIGKILL' },
  before: [claimed(1)],
  records: [claimed(1), record(2, 'unknown', { claim: 'c1' }), settled(3)],
  said: [
    { as: 'truth', id: 'q1-happened', question: 'q1', verdict: 'happened', answer: { is: 'accepted' } },
    { as: 'second-opinion', id: 'q1-second', question: 'q1', verdict: 'did-not-happen', answer: { is: 'refused' } },
  ],
  events: [],
  history: [completed()],
  arrivals: [arrival(1_100)],
  effects: [effect(1_150)],
};

/** Writes evidence as the sweep does, lets `use` look at it, and removes it. */
export async function withEvidence<T>(evidence: Evidence, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-forged-'));
  try {
    const place = join(folder, 'cases', RUN);
    await mkdir(place, { recursive: true });
    const naive = [{ id: 'naive-b8', order: 'O-naive' }];
    await writeFile(join(folder, 'plan.json'), JSON.stringify({ cases: [evidence.planned], naive }));
    await writeFile(join(place, 'outcome.json'), JSON.stringify(evidence.outcome));
    await writeFile(join(place, 'history-1.json'), JSON.stringify({ events: evidence.history }));
    const { before, records, said, events } = evidence;
    for (const [name, rows] of Object.entries({ 'ledger-1': before, 'ledger-2': records, said, events }))
      await writeFile(join(place, `${name}.jsonl`), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    writePayments(join(folder, 'payments.db'), evidence);
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function writePayments(file: string, { arrivals, effects }: Evidence): void {
  const database = new DatabaseSync(file);
  database.exec(SCHEMA);
  const add = (table: string, row: Row) => {
    const names = Object.keys(row);
    const statement = `insert into ${table} (${names.join(', ')}) values (${names.map((name) => `:${name}`).join(', ')})`;
    // Only texts, numbers and null are written above.
    database.prepare(statement).run(row as Record<string, string | number | null>);
  };
  for (const row of arrivals) add('arrivals', row);
  for (const row of effects) add('effects', row);
  for (const at of [1, 2]) add('effects', { ...effect(at), orderId: 'O-naive', key: null });
  database.close();
}
