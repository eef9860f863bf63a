// An agent that runs every hour, by a Temporal Schedule. In one shell:
//   npx holdfast dev --port 7233        and in another:        TEMPORAL_ADDRESS=127.0.0.1:7233 node examples/schedule/schedule.ts
// It makes the schedule, has it fire twice at once instead of waiting, shows what came of it, and deletes it.
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection, ScheduleOverlapPolicy, type ScheduleHandle } from '@temporalio/client';
import { createAgentWorker } from 'holdfast';
import type { RunInput, RunResult } from 'holdfast/workflow';
import { DefaultLogger } from '@temporalio/worker';
import { digestConfig } from './agent.ts';

const address = process.env['TEMPORAL_ADDRESS'] ?? '127.0.0.1:7233';
const scheduleId = `digest-${process.pid}`;
const taskQueue = scheduleId;

const posted: string[] = [];
const worker = await createAgentWorker(
  digestConfig(taskQueue, (text) => posted.push(text)),
  { logger: new DefaultLogger('ERROR') },
);
const working = worker.run();
const client = new Client({ connection: await Connection.connect({ address }) });

// No taskId: each firing gets the id of its workflow, to which Temporal adds the time.
const input: RunInput = { agent: 'digest', input: 'All quiet.' };
const schedule = await client.schedule.create({
  scheduleId,
  spec: { intervals: [{ every: '1h' }] },
  // A run that waits for a person may outlast the hour: the next one begins when it has ended.
  policies: { overlap: ScheduleOverlapPolicy.BUFFER_ONE },
  action: { type: 'startWorkflow', workflowType: 'agentRun', workflowId: scheduleId, taskQueue, args: [input] },
});
console.log(`Schedule ${scheduleId}: every hour.`);
const results: RunResult[] = [];
for (const firing of [1, 2]) {
  await schedule.trigger();
  // Temporal names a firing by its second.
  const nextSecond = sleep(1_100);
  results.push(await resultOf(schedule, firing));
  console.log(`Fired: ${results.at(-1)?.taskId} · ${results.at(-1)?.text}`);
  await nextSecond;
}
await schedule.delete();
const left = await client.schedule
  .getHandle(scheduleId)
  .describe()
  .then(
    () => 'there',
    () => 'deleted',
  );
worker.shutdown();
await working;
await client.connection.close();
console.log(JSON.stringify({ scheduleId, results, posted, left }));

/** Of the schedule's nth firing, once it has ended. */
async function resultOf(handle: ScheduleHandle, firing: number): Promise<RunResult> {
  for (;;) {
    const { info } = await handle.describe();
    const action = info.recentActions[firing - 1]?.action;
    if (action) return (await client.workflow.getHandle(action.workflow.workflowId).result()) as RunResult;
    await sleep(100);
  }
}
