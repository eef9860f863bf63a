import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { Worker } from '@temporalio/worker';
import { workflowBundle } from '../../src/workers/workflow-bundle.ts';

interface SavedHistory {
  readonly events: readonly { workflowExecutionStartedEventAttributes?: { workflowId: string } }[];
}

const FOLDER = new URL('./histories/', import.meta.url);
const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.json'));

const read = async (file: string) => JSON.parse(await readFile(new URL(file, FOLDER), 'utf8')) as SavedHistory;

/** Under its own workflow id: the ids of questions are made from it. */
async function replay(history: SavedHistory): Promise<void> {
  const sinks = { holdfast: { event: { fn: () => undefined } } };
  const id = history.events[0]?.workflowExecutionStartedEventAttributes?.workflowId;
  if (id === undefined) throw new Error('The history does not begin with the start of a workflow.');
  await Worker.runReplayHistory({ workflowBundle: await workflowBundle(), sinks }, history, id);
}

test.each(files)('%s, saved from an earlier run, still replays', async (file) => {
  await expect(replay(await read(file))).resolves.toBeUndefined();
});

test('a history that does not fit the code is refused, so the test above can fail', async () => {
  const text = JSON.stringify(await read(files[0] ?? '')).replaceAll('"name":"callTool"', '"name":"somethingElse"');
  await expect(replay(JSON.parse(text) as SavedHistory)).rejects.toThrow();
});
