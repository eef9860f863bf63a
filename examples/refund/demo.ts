// npm run demo: one refund, a payment service that answers too late; first naively, then with Holdfast.
import { constants, existsSync } from 'node:fs';
import { access, mkdir, mkdtemp, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { playAct1, playAct2, type Act } from './acts.ts';
import { readDemoOptions, type DemoOptions } from './demo-options.ts';
import { runNaiveLoop } from './naive-loop.ts';
import { dollars, lastWords, type Naive } from './report.ts';
import { openStage, type Stage } from './stage.ts';
import { TIMES } from './agent.ts';

/** When the first refund lands, counted from its arrival: 41 s in the story, 4.1 s here, a little off by the seed. */
const landsAfterMs = (seed: number): number => 4_100 + ((seed * 37) % 300);

const say = (line: string): void => {
  console.log(line);
};

async function main(): Promise<number> {
  const options = readDemoOptions(process.argv.slice(2));
  if ('help' in options) {
    say(options.help);
    return options.exitCode;
  }
  say('Holdfast demo: one refund, a payment service that answers too late. No key, no Docker.');
  say(
    `Time runs 10:1 here: a refund may take 30 s, so its tool gives up after ${TIMES.timeout}; it lands after 41 s, so after 4.1 s.`,
  );
  const dataDir = await dataFolder(options);
  const stage = await openStage(dataDir, options.address, (line) => {
    say(`  ${line}`);
  });
  const stop = () => {
    // Whatever the story is in the middle of fails now, and that is no news.
    process.on('uncaughtException', () => undefined);
    say('\nInterrupted: ending everything …');
    void stage.close().finally(() => process.exit(130));
    setTimeout(() => process.exit(130), 8_000).unref();
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  let isInterrupted = false;
  process.once('SIGINT', () => (isInterrupted = true)).once('SIGTERM', () => (isInterrupted = true));
  try {
    const exitCode = await play(stage, options);
    await stage.close();
    return exitCode;
  } catch (error) {
    if (isInterrupted) return await new Promise<never>(() => undefined);
    await stage.close();
    throw error;
  }
}

async function play(stage: Stage, options: DemoOptions): Promise<number> {
  say(`  Temporal    ${stage.address}${stage.uiUrl ? `   Web UI ${stage.uiUrl}` : ''}`);
  say(`  payments    ${stage.paymentsUrl}   its own process, its own count: ${stage.paymentsDb}`);
  say(`  data        ${stage.dataDir}`);
  const script = { ...options, landsAfterMs: landsAfterMs(options.seed), say };
  const naive = await playNaive(stage, options);
  const acts: Act[] = [await playAct1(stage, script)];
  if (!options.handsOn) acts.push(await playAct2(stage, script));
  if (options.keep) await exportHistories(stage, acts);
  const { lines, isAsPromised } = lastWords(naive, acts, options);
  lines.forEach(say);
  if (options.handsOn) await untilInterrupted(stage);
  if (options.json) {
    const status = isAsPromised ? 'ok' : 'failed';
    const shown = acts.map(({ refunds, cents, unknowns, resolvedBy, workflowId }) => ({
      refunds,
      cents,
      unknowns,
      resolvedBy,
      workflowId,
    }));
    say(JSON.stringify({ status, naive, acts: shown, paymentsDb: stage.paymentsDb, webUi: stage.uiUrl }));
  }
  return isAsPromised ? 0 : 1;
}

async function playNaive(stage: Stage, { order, cents, replan, seed }: DemoOptions): Promise<Naive> {
  say('\nThe naive loop: one page of code, no keys, a time-out is an error');
  const before = stage.count().effects.length;
  await stage.setModes([{ is: 'answer', landsAfterMs: landsAfterMs(seed), answersAfterMs: 60_000, times: 1 }]);
  const model = await stage.openModel({ order, cents, replanCents: replan });
  const log = (line: string) => {
    say(`  ${line}`);
  };
  const { text } = await runNaiveLoop({
    modelUrl: model.url,
    paymentsUrl: stage.paymentsUrl,
    order,
    cents,
    timeoutMs: 3_000,
    log,
  });
  await model.close();
  say(`  it tells the customer: "${text}"`);
  const done = await untilQuiet(stage, before + 2);
  const refunded = done.slice(before);
  const naive = { refunds: refunded.length, cents: refunded.reduce((sum, { cents: one }) => sum + one, 0) };
  say(`  payments says: ${naive.refunds} refunds, ${dollars(naive.cents)} on a ${dollars(cents)} order`);
  return naive;
}

/** The late refund is still on its way when the loop has ended: waits until it has landed. */
async function untilQuiet(stage: Stage, effects: number) {
  for (const until = Date.now() + 8_000; Date.now() < until && stage.count().effects.length < effects;) {
    await new Promise((done) => setTimeout(done, 100));
  }
  return stage.count().effects;
}

async function dataFolder({ keep }: DemoOptions): Promise<string> {
  if (keep === undefined) return mkdtemp(join(tmpdir(), 'holdfast-demo-'));
  const folder = resolve(keep);
  const parent = dirname(folder);
  if (!existsSync(parent)) throw new Error(`--keep ${keep}: there is no folder ${parent}. Make it first.`);
  try {
    if (!existsSync(folder)) await mkdir(folder);
    await access(folder, constants.W_OK);
    if (!(await stat(folder)).isDirectory()) throw new Error('it is a file');
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`--keep ${keep}: nothing can be kept there (${why}). Give a folder you may write to.`, { cause });
  }
  return folder;
}

async function exportHistories(stage: Stage, acts: readonly Act[]): Promise<void> {
  for (const [at, { history }] of acts.entries()) {
    const file = join(stage.dataDir, `act-${at + 1}.history.json`);
    await writeFile(file, JSON.stringify(history, null, 1));
    say(`  history of act ${at + 1}: ${file}`);
  }
}

async function untilInterrupted({ uiUrl }: Stage): Promise<void> {
  say(`\nEverything stays up${uiUrl ? `, the Web UI at ${uiUrl} too` : ''}. Ctrl-C ends it.`);
  await new Promise((done) => process.once('SIGINT', done).once('SIGTERM', done));
}

try {
  process.exit(await main());
} catch (error) {
  console.error(`demo: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}
