// npm run chat: a page with a chat (useChat of the AI SDK) whose answers are runs of an agent. Server, worker and web server in one.
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DefaultLogger } from '@temporalio/worker';
import { AgentClient, createAgentWorker, defineConfig } from '../../src/index.ts';
import { commandPlace } from '../../src/temporal/command-place.ts';
import { joinOrStartServer } from '../../src/temporal/join-or-start-server.ts';
import { readSettings } from '../../src/temporal/settings.ts';
import { serve } from '../../src/testing/index.ts';
import { supportAgent } from './agent.ts';
import { chatListener } from './chat-listener.ts';
import { readChatOptions, type ChatExampleOptions } from './options.ts';

const say = (line: string): void => {
  console.log(line);
};

const closers: (() => Promise<unknown>)[] = [];

/** What was opened last is closed first. */
async function closeAll(): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close().catch(() => undefined);
}

/** How fast the stand-in for a model speaks: a part every so many milliseconds. */
const PART_MS = 60;

async function open({ data, port }: ChatExampleOptions): Promise<void> {
  const dataDir = data === undefined ? await mkdtemp(join(tmpdir(), 'holdfast-chat-')) : resolve(data);
  await mkdir(dataDir, { recursive: true });
  say('A chat whose answers are runs: refunds above $100 wait for a person. No key, no Docker.');
  const opened = await joinOrStartServer({ dataDir, onProgress: (line) => say(`  ${line}`) });
  if (opened.is === 'joined') {
    throw new Error(
      `${dataDir} is in use by another chat or dev server. End that one, or give this one another --data.`,
    );
  }
  const { server } = opened;
  closers.push(() => server.stop());
  say(`  Temporal   ${server.address}   Web UI ${server.uiUrl}`);
  const settings = readSettings({ HOLDFAST_DATA: dataDir, TEMPORAL_ADDRESS: server.address });
  const config = defineConfig({ agents: [supportAgent({ partMs: PART_MS })] });
  const logger = new DefaultLogger('ERROR', () => undefined);
  const worker = await createAgentWorker(config, { settings, shutdownGrace: '4s', logger });
  const running = worker.run();
  closers.push(async () => {
    worker.shutdown();
    await running;
  });
  const client = await AgentClient.connect({ settings });
  closers.push(() => client.close());
  const place = commandPlace({ dataDir }, server.address);
  const page = await serve(await chatListener({ client, agent: 'support', place }), port);
  closers.push(() => page.close());
  say(`  page       ${page.url}\n`);
  say(
    'Write to it, reload it in the middle, open it twice. What waits for a person is decided with the command that the',
  );
  say(`page shows, in another shell. Ctrl-C ends this; npm run chat -- --data ${dataDir} goes on.`);
}

async function main(): Promise<number> {
  const options = readChatOptions(process.argv.slice(2));
  if ('help' in options) {
    say(options.help);
    return options.exitCode;
  }
  const interrupted = new Promise((end) => process.once('SIGINT', end).once('SIGTERM', end));
  await open(options);
  await interrupted;
  return 0;
}

let exitCode = 1;
try {
  exitCode = await main();
} catch (error) {
  console.error(`chat: ${error instanceof Error ? error.message : String(error)}`);
} finally {
  await closeAll();
}
process.exit(exitCode);
