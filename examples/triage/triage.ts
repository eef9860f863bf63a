// npm run triage -- FOLDER: reads crash reports, groups them, files one issue for each crash in a small tracker of its own.
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { AgentClient, type RunHandle } from '../../src/index.ts';
import type { StoredEvent } from '../../src/contracts/events.ts';
import { openLedger } from '../../src/stores/open-stores.ts';
import { joinOrStartServer } from '../../src/temporal/join-or-start-server.ts';
import { readSettings } from '../../src/temporal/settings.ts';
import { startModelServerProcess, startServerProcess } from '../../src/testing/index.ts';
import { countReports } from './count-reports.ts';
import { readTriageOptions, type TriageOptions } from './options.ts';
import { superviseWorker } from './supervise.ts';
import { countTracker } from './tracker.ts';

const say = (line: string): void => {
  console.log(line);
};

const closers: (() => Promise<unknown>)[] = [];

/** What was opened last is closed first. */
async function closeAll(): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close().catch(() => undefined);
}

async function main(): Promise<number> {
  const options = readTriageOptions(process.argv.slice(2));
  if ('help' in options) {
    say(options.help);
    return options.exitCode;
  }
  const dataDir = options.data ? resolve(options.data) : await mkdtemp(join(tmpdir(), 'holdfast-triage-'));
  await mkdir(dataDir, { recursive: true });
  say(`Triage of ${resolve(options.folder)}`);
  const run = await startTriage(options, dataDir);
  await follow(run);
  const result = await run.result();
  say(`\n${result.text}`);
  return report(options, dataDir, run.id, result.status);
}

async function startTriage(options: TriageOptions, dataDir: string): Promise<RunHandle> {
  const server = await joinOrStartServer({
    dataDir,
    onProgress: (line) => {
      say(`  ${line}`);
    },
  });
  if (server.is === 'started') closers.push(() => server.server.stop());
  const { address, uiUrl } = server.server;
  say(`  Temporal    ${address}   Web UI ${uiUrl}`);
  const script = new URL('./tracker.process.ts', import.meta.url);
  const tracker = await startServerProcess(script, { dbFile: trackerDb(dataDir), answersAfterMs: options.slowMs });
  closers.push(() => tracker.close());
  say(`  tracker     ${tracker.url}   its own process, its own database: ${trackerDb(dataDir)}`);
  const { model, baseURL } = await openModel(options);
  const taskQueue = 'holdfast';
  const folder = resolve(options.folder);
  const worker = await superviseWorker(
    { dataDir, address, folder, trackerUrl: tracker.url, model, baseURL, taskQueue },
    say,
  );
  closers.push(() => worker.stop());
  const settings = readSettings({ HOLDFAST_DATA: dataDir, TEMPORAL_ADDRESS: address });
  const client = await AgentClient.connect({ settings, taskQueue });
  closers.push(() => client.close());
  const input = 'Triage the crash reports.';
  const run = await client.start({ agent: 'triage', input, ...(options.run && { runId: options.run }) });
  say(`  run         ${run.id}\n              ${uiUrl}/namespaces/default/workflows/${run.id}\n`);
  return run;
}

/** The stand-in decides by rules, and is asked over the wire as any other model would be. */
async function openModel({ model, baseURL }: TriageOptions): Promise<{ model: string; baseURL: string | undefined }> {
  if (model !== 'stand-in') return { model, baseURL };
  const server = await startModelServerProcess({ rule: `${new URL('./rule.ts', import.meta.url).href}#triageRule` });
  closers.push(() => server.close());
  return { model: 'compatible/stand-in', baseURL: server.url };
}

async function follow(run: RunHandle): Promise<void> {
  for await (const event of run.watch()) {
    const line = lineOf(event);
    if (line) say(line);
  }
}

function lineOf(event: StoredEvent): string | undefined {
  if (event.type === 'question-raised')
    return `  ${event.call.padEnd(7)}outcome unknown: ${event.question}; its look-up is asked`;
  if (event.type === 'question-settled') return `  ${event.question} settled by ${event.by}`;
  if (event.type !== 'call-answered') return undefined;
  const { status, message } = event.reply;
  return `  ${event.call.padEnd(7)}${event.tool.padEnd(15)}${status}${message ? ` · ${message}` : ''}`;
}

const trackerDb = (dataDir: string): string => join(dataDir, 'tracker.db');

/** Counts from the tracker's own database and the ledger, never from what the run says. */
async function report(options: TriageOptions, dataDir: string, workflowId: string, status: string): Promise<number> {
  const { issues, twice, labels } = countTracker(trackerDb(dataDir));
  const ledger = openLedger(`sqlite:${join(dataDir, 'ledger.db')}`);
  const records = await ledger.read({ run: workflowId });
  await ledger.close();
  const created = records.filter(
    (record) => record.tool === 'create_issue' && (record.is === 'done' || record.is === 'settled'),
  );
  const { reports, groups } = await countReports(options.folder);
  const count = {
    reports,
    groups,
    issuesCreated: new Set(created.map(({ key }) => key.intent)).size,
    issuesTwice: twice,
    labels,
    unknowns: new Set(records.filter(({ is }) => is === 'unknown').map(({ key }) => key.intent)).size,
    workflowId,
  };
  say(`The tracker has ${issues.length} issues, ${twice} twice, ${labels} labels.`);
  if (options.json) say(JSON.stringify(count));
  return status === 'completed' && twice === 0 ? 0 : 1;
}

const interrupted = () => {
  void closeAll().then(() => process.exit(130));
};
process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
let exitCode = 1;
try {
  exitCode = await main();
} catch (error) {
  console.error(`triage: ${error instanceof Error ? error.message : String(error)}`);
} finally {
  await closeAll();
}
process.exit(exitCode);
