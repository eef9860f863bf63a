import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import type { Struck } from './strike.ts';
import type { Scene } from './scene.ts';

/** What became of one case, as far as the sweep saw it. Times are epoch milliseconds. */
export interface Outcome extends Partial<Struck> {
  readonly id: string;
  readonly acceptedAt?: number;
  readonly reachedAt?: number;
  readonly endedAt?: number;
  /** Why the case did not go as planned. */
  readonly trouble?: string;
}

export async function writeOutcome(folder: string, outcome: Outcome): Promise<void> {
  const place = join(folder, 'cases', outcome.id);
  await mkdir(place, { recursive: true });
  await writeFile(join(place, 'outcome.json'), JSON.stringify(outcome, null, 2));
}

/** Everything the case's ledger holds, one record a line. */
export async function exportLedger({ client, folder }: Scene, file: string): Promise<void> {
  await writeFile(join(folder, file), toLines(await client.ledger({})));
}

/** The second ledger export, events, what the person said, and the history of every execution of the run. */
export async function exportRest(scene: Scene): Promise<void> {
  const { folder, dataDir, person } = scene;
  await exportLedger(scene, 'ledger-2.jsonl');
  await writeFile(join(folder, 'said.jsonl'), toLines(person.said));
  await writeFile(join(folder, 'events.jsonl'), toLines(readEvents(join(dataDir, 'events.db'))));
  await exportHistories(scene);
}

const toLines = (rows: readonly unknown[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

function readEvents(file: string): readonly unknown[] {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  try {
    return database
      .prepare('SELECT event FROM events ORDER BY run, "offset"')
      .all()
      .map(({ event }) => JSON.parse(String(event)) as unknown);
  } finally {
    database.close();
  }
}

/** `history-1.json` and on, as far as the run was continued as new. */
async function exportHistories({ stage, planned, folder, handle }: Scene): Promise<void> {
  let runId: string | undefined = (await handle.describe()).raw.workflowExecutionInfo?.firstRunId ?? undefined;
  for (let number = 1; runId; number++) {
    const history = await stage.temporal.workflow.getHandle(planned.id, runId).fetchHistory();
    await writeFile(join(folder, `history-${number}.json`), historyToJSON(history));
    runId = history.events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? undefined;
  }
}
