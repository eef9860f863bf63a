// npm run triage -- FOLDER: reads crash reports, groups them, files one issue for each crash in a small tracker of its own.
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { AgentClient, type RunHandle } from '../../src/index.ts';
import type { StoredEvent } from '../../src/contracts/events.ts';
import type { LedgerRecord } from '../../src/contracts/ledger.ts';
import { openLedger } from '../../src/stores/open-stores.ts';
import { joinOrStartServer } from '../../src/temporal/join-or-start-server.ts';
import { readSettings } from '../../src/temporal/settings.ts';
import { startModelServerProcess } from '../../src/testing/index.ts';
import { readTriageOptions, type TriageOptions } from './options.ts';
import { keepTracker } from './keep-tracker.ts';
import { superviseWorker } from './supervise.ts';
import { countTracker } from './tracker.ts';

const say = (line: string): void => {
  console.log(line);
};

/** What an interrupted triage is taken up again with. */
let begun: { readonly folder: string; readonly dataDir: string; readonly run: string } | undefined;

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
  return report(run, dataDir, options.json, result.status);
}

async function startTriage(options: TriageOptions, dataDir: string): Promise<RunHandle> {
  const server = await joinOrStartServer({
    dataDir,
    onProgress: (line) => {
      say(`  ${line}`);
    },
  });
  if (server.is === 'joined') {
    throw new Error(
      `${dataDir} is in use by another triage or dev server. Wait for it, or give this one another --data.`,
    );
  }
  closers.push(() => server.server.stop());
  const { address, uiUrl } = server.server;
  say(`  Temporal    ${address}   Web UI ${uiUrl}`);
  const tracker = await keepTracker(trackerDb(dataDir), options.slowMs);
  closers.push(tracker.close);
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
  begun = { folder, dataDir, run: run.id };
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

/** What the run did by its own record, and what the tracker's database holds: neither is what the run says. */
async function report(run: RunHandle, dataDir: string, isJson: boolean, status: string): Promise<number> {
  const { issues, twice, labels } = countTracker(trackerDb(dataDir));
  const events = await run.events();
  const answers = events.filter((event) => event.type === 'call-answered');
  // An event is written at least once: a killed worker's is written again by the next.
  const answered = (tool: string) => [
    ...new Map(answers.filter((event) => event.tool === tool).map(({ call, reply }) => [call, reply.status])).values(),
  ];
  const ledger = openLedger(`sqlite:${join(dataDir, 'ledger.db')}`);
  const records = (await ledger.read({ run: run.id })).filter(({ tool }) => tool === 'create_issue');
  await ledger.close();
  const isCreated = (record: LedgerRecord) =>
    record.is === 'done' || (record.is === 'settled' && record.decision.verdict === 'happened');
  const intents = (of: (record: LedgerRecord) => boolean) =>
    new Set(records.filter(of).map(({ key }) => key.intent)).size;
  const unread = answered('read_report').filter((reply) => reply !== 'ok').length;
  const count = {
    reports: answered('read_report').length,
    groups: answered('search_issues').length,
    issuesCreated: intents(isCreated),
    issuesTwice: twice,
    labels,
    unknowns: intents(({ is }) => is === 'unknown'),
    workflowId: run.id,
  };
  say(`The tracker has ${issues.length} issues, ${twice} twice, ${labels} labels.`);
  if (unread > 0) say(`${unread} reports could not be read: see npx holdfast show ${run.id} --data ${dataDir}`);
  if (isJson) say(JSON.stringify(count));
  return status === 'completed' && twice === 0 ? 0 : 1;
}

const interrupted = () => {
  // Whatever the run is in the middle of fails now, and that is no news: it goes on from here.
  process.on('uncaughtException', () => undefined);
  console.error = () => undefined;
  void closeAll().then(() => process.exit(130));
};
process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
let exitCode = 1;
try {
  exitCode = await main();
} catch (error) {
  console.error(`triage: ${error instanceof Error ? error.message : String(error)}`);
  if (begun)
    console.error(
      `  Nothing is lost: npm run triage -- ${begun.folder} --data ${begun.dataDir} --run ${begun.run} goes on.`,
    );
} finally {
  await closeAll();
}
process.exit(exitCode);
