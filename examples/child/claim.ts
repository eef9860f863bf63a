// Agents inside a workflow and a worker of your own, with your own activities, payload codec and interceptor. In one shell:
//   npx holdfast dev --port 7233        and in another:        node examples/child/claim.ts
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { holdfast } from 'holdfast/plugin';
import { resolveOutcomeUpdate } from 'holdfast/workflow';
import { config } from './agent.ts';
import { countActivities } from './count-activities.ts';
import { countPayloads } from './count-payloads.ts';
import { openDesk } from './desk.ts';
import { gzipCodec } from './gzip-codec.ts';
import type { handleClaim } from './workflows.ts';

const address = process.env['TEMPORAL_ADDRESS'] ?? '127.0.0.1:7233';
const taskQueue = `claims-${process.pid}`;
const workflowId = `claim-${Date.now()}`;
const dataConverter = { payloadCodecs: [gzipCodec] };

// Your own runtime stays, too.
Runtime.install({ logger: new DefaultLogger('ERROR') });
const desk = openDesk();
const activitiesSeen = new Map<string, number>();
const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({
  connection,
  taskQueue,
  workflowsPath: fileURLToPath(new URL('./workflows.ts', import.meta.url)),
  activities: { tellDesk: desk.tellDesk },
  dataConverter,
  interceptors: { activity: [countActivities(activitiesSeen)] },
  // Adds Holdfast's activities; all the rest stays yours.
  plugins: [holdfast(config, { address, lateNewsMs: 500 })],
});

const client = new Client({ connection: await Connection.connect({ address }), dataConverter });

async function makeClaim() {
  const args: [string] = ['A-1042'];
  const claim = await client.workflow.start<typeof handleClaim>('handleClaim', { workflowId, taskQueue, args });
  console.log(`Claim ${workflowId}: the agent refunds order A-1042.`);
  const doubt = await desk.firstDoubt;
  console.log(`Told to the desk: nobody knows whether ${doubt.intent} happened (question ${doubt.question}).`);
  const run = client.workflow.getHandle(doubt.runId);
  const decision = { id: 'd1', question: doubt.question, verdict: 'happened', result: { id: 're_seen' } } as const;
  await run.executeUpdate(resolveOutcomeUpdate, { args: [{ ...decision, by: 'ann', reason: 'seen at the bank' }] });
  const ended = await claim.result();
  console.log(`A person has seen it at the bank. ${ended.answer}`);
  const payloads = { ours: await countPayloads(client, workflowId), agents: await countPayloads(client, doubt.runId) };
  return { ...ended, activities: Object.fromEntries(activitiesSeen), payloads };
}

const report = await worker.runUntil(makeClaim);
console.log(JSON.stringify(report));
await client.connection.close();
await connection.close();
