import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { Client, Connection } from '@temporalio/client';
import type { RunHandle } from '../../src/index.ts';
import type { SettledBy } from '../../src/contracts/decision.ts';
import type { LedgerRecord } from '../../src/contracts/ledger.ts';
import { openLedger } from '../../src/stores/open-stores.ts';
import { playPerson } from './person.ts';
import type { Stage } from './stage.ts';
import type { DemoOptions } from './demo-options.ts';
import { showRun } from './show-run.ts';
import { dollars } from './report.ts';

export interface Act {
  readonly refunds: number;
  readonly cents: number;
  /** Outcomes that were unknown for a time. */
  readonly unknowns: number;
  readonly resolvedBy: SettledBy;
  readonly workflowId: string;
  /** From the moment sight was lost until it was settled. */
  readonly parkedMs: number;
  readonly history: unknown;
}

export interface Script extends DemoOptions {
  readonly landsAfterMs: number;
  say(line: string): void;
}

/** Act 1: the worker is killed after sending. No news can come; the run parks until a person has looked at payments. */
export async function playAct1(stage: Stage, script: Script): Promise<Act> {
  const { say, order, cents, replan, landsAfterMs } = script;
  say('\nHoldfast, act 1: the worker is killed after it has sent the refund');
  await stage.setModes([{ is: 'answer', landsAfterMs, answersAfterMs: 60_000, times: 1 }]);
  const model = await stage.openModel({ order, cents, replanCents: replan, insists: true });
  const before = stage.count();
  const doomed = await stage.startWorker(model.url);
  const run = await startRun(stage, script, 'support', 1);
  await until('the refund to arrive at payments', () => stage.count().arrivals.length > before.arrivals.length);
  await doomed.kill();
  say('  payments has the request · worker killed with -9 · nobody can say what happened');
  const worker = await stage.startWorker(model.url);
  say('  a new worker is up. Is the refund sent again? No: it may have happened.');
  await playPerson(stage, script, run);
  const result = await run.result();
  if ((await run.state())?.turn === 3) {
    say(`  then the model asks for ${dollars(replan)} again for the same order: the same intent, the recorded result`);
  }
  say(`  it tells the customer: "${result.text}"`);
  await worker.stop();
  await model.close();
  return endAct(stage, script, run, before.effects.length);
}

/** Act 2: the tool gives up, the model plans again, and the late news of the first try settles it. */
export async function playAct2(stage: Stage, script: Script): Promise<Act> {
  const { say, order, cents, replan, landsAfterMs } = script;
  say("\nHoldfast, act 2: onUnknown: 'tell-model'. The tool times out, the model plans again, then the news comes");
  await stage.setModes([{ is: 'answer', landsAfterMs, times: 1 }]);
  const model = await stage.openModel({ order, cents, replanCents: replan });
  const before = stage.count();
  const worker = await stage.startWorker(model.url);
  const run = await startRun(stage, script, 'support-goes-on', 2);
  const result = await run.result();
  say(`  it tells the customer: "${result.text}"`);
  await worker.stop();
  await model.close();
  return endAct(stage, script, run, before.effects.length);
}

async function startRun(
  stage: Stage,
  { order, cents, seed, say }: Script,
  agent: string,
  act: number,
): Promise<RunHandle> {
  const input = `Order ${order} arrived damaged. Please refund the ${dollars(cents)} I paid.`;
  const runId = `refund-${order}-act${act}-${seed}-${Date.now().toString(36)}`;
  const run = await stage.client.start({ agent, input, runId });
  if (stage.uiUrl) say(`  run ${run.id}\n  ${stage.uiUrl}/namespaces/default/workflows/${run.id}`);
  return run;
}

async function endAct(stage: Stage, script: Script, run: RunHandle, before: number): Promise<Act> {
  const ledger = openLedger(`sqlite:${stage.dataDir}/ledger.db`);
  const records = await ledger.read({ run: run.id });
  await ledger.close();
  await showRun(run, records, script.say);
  const done = stage.count().effects.slice(before);
  const cents = done.reduce((sum, effect) => sum + effect.cents, 0);
  script.say(`  payments says: ${done.length} ${done.length === 1 ? 'refund' : 'refunds'}, ${dollars(cents)}`);
  return {
    refunds: done.length,
    cents,
    unknowns: records.filter(({ is }) => is === 'unknown').length,
    resolvedBy: resolvedBy(records),
    workflowId: run.id,
    parkedMs: parkedMs(records),
    history: await exportHistory(stage, run.id),
  };
}

function resolvedBy(records: readonly LedgerRecord[]): SettledBy {
  const settled = records.find((record) => record.is === 'settled');
  if (settled) return settled.decision.settledBy;
  return records.some((record) => record.is === 'done' && record.late) ? 'late-outcome' : 'ledger';
}

function parkedMs(records: readonly LedgerRecord[]): number {
  const lost = records.find(({ is }) => is === 'unknown')?.at;
  const settled = records.find(({ is }) => is === 'done' || is === 'settled')?.at;
  return lost === undefined || settled === undefined ? 0 : settled - lost;
}

async function exportHistory({ address }: Stage, workflowId: string): Promise<unknown> {
  const connection = await Connection.connect({ address });
  const history = await new Client({ connection }).workflow.getHandle(workflowId).fetchHistory();
  await connection.close();
  return JSON.parse(historyToJSON(history));
}

async function until(what: string, isSo: () => boolean): Promise<void> {
  for (const end = Date.now() + 20_000; !isSo();) {
    if (Date.now() > end) throw new Error(`waited 20 s in vain for ${what}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}
