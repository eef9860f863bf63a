import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { endClis, runCli, startProgram } from '../cli/run-cli.ts';
import { testAddress } from '../support/rig.ts';

// These examples import the package by its name, as yours would: workflows are bundled from what `npm run build` has made.

let env: Readonly<Record<string, string>>;
beforeEach(async () => {
  const data = await mkdtemp(join(tmpdir(), 'holdfast-example-'));
  env = { TEMPORAL_ADDRESS: testAddress(), HOLDFAST_DATA: data };
});
afterEach(async () => {
  await endClis();
  await rm(env['HOLDFAST_DATA'] ?? '', { recursive: true, force: true, maxRetries: 5 });
});

/** Runs an example and reads the JSON that it ends with. */
async function runExample(script: string): Promise<unknown> {
  const { code, stdout, stderr } = await startProgram(process.execPath, [script], { env }).ended;
  if (code !== 0) throw new Error(`${script} ended with ${code}:\n${stdout}\n${stderr}`);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

test('a workflow of one’s own runs an agent, hears of its doubt, and keeps codec, interceptor and activities', async () => {
  const report = await runExample('examples/child/claim.ts');
  expect(report).toMatchObject({
    answer: expect.stringContaining('re_seen') as unknown,
    doubts: ['refund:A-1042'],
    activities: { tellDesk: 1, callTool: 1, callModel: 2 },
    payloads: { ours: { plain: 0 }, agents: { plain: 0 } },
  });
  const { payloads } = report as { payloads: Record<string, { compressed: number }> };
  expect(payloads['ours']?.compressed).toBeGreaterThanOrEqual(4);
  expect(payloads['agents']?.compressed).toBeGreaterThanOrEqual(10);
});

test('a schedule runs an agent; each firing is a task of its own, so that each one acts', async () => {
  const report = (await runExample('examples/schedule/schedule.ts')) as {
    scheduleId: string;
    results: { taskId: string }[];
  };
  const { scheduleId, results } = report;
  expect(report).toMatchObject({ posted: ['All quiet.', 'All quiet.'], left: 'deleted' });
  expect(results).toEqual(
    results.map(() => expect.objectContaining({ status: 'completed', text: 'The digest is out.' })),
  );
  const tasks = results.map(({ taskId }) => taskId);
  expect(new Set(tasks).size).toBe(2);
  for (const task of tasks) expect(task).toMatch(new RegExp(`^${scheduleId}-\\d{4}-\\d\\d-\\d\\dT`));
  const { stdout } = await runCli(['ls', '--agent', 'digest', '--json'], { env });
  for (const task of tasks) expect(stdout).toContain(task);
});

test('the page about schedules shows the schedule of the example', async () => {
  const [page, example] = await Promise.all(
    ['docs/schedules.md', 'examples/schedule/schedule.ts'].map((file) => readFile(file, 'utf8')),
  );
  for (const line of [
    "spec: { intervals: [{ every: '1h' }] }",
    'overlap: ScheduleOverlapPolicy.BUFFER_ONE',
    "workflowType: 'agentRun'",
  ]) {
    expect(page).toContain(line);
    expect(example).toContain(line);
  }
});
