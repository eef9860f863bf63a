import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { startModelServerProcess, startPaymentsProcess } from '../../../src/testing/index.ts';
import type { Outcome } from './evidence.ts';
import { openGateProxy } from './gate-proxy.ts';
import { ALONE, openGroup } from './group.ts';
import { eachInTurn, inParallel } from './in-parallel.ts';
import { runCase } from './run-case.ts';
import { NAIVE_CASES, runNaive } from './run-naive.ts';
import type { Stage } from './scene.ts';
import { startSweepServer, type SweepServer } from './sweep-server.ts';
import { warmUp, type WorkerProgram } from './sweep-worker.ts';
import type { SweepCase } from './sweep-case.ts';

export interface SweepOptions {
  readonly cases: readonly SweepCase[];
  /** Where evidence is kept. */
  readonly folder: string;
  readonly program: WorkerProgram;
  readonly say: (line: string) => void;
}

/** The auditor's word on the evidence. */
export interface Verdict {
  readonly cases: number;
  readonly hits: number;
  readonly broken: number;
  readonly effectsTwice: number;
  readonly lost: number;
  readonly naive: { readonly effectsTwice: number };
  readonly missed: readonly string[];
  readonly lostRuns: readonly string[];
  readonly findings: readonly { readonly case: string; readonly invariant: string; readonly what: string }[];
}

/** Cases that run at once: most of their time they wait. */
const AT_ONCE = 8;
/** Processes that start at once. */
const STARTS_AT_ONCE = 2;
/** Cases under which one server is killed. */
const GROUP_SIZE = 14;

/** Plays all cases with real processes, keeps the evidence, and lets the auditor judge it. */
export async function sweep(options: SweepOptions): Promise<Verdict> {
  const { cases, folder, program, say } = options;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'plan.json'), JSON.stringify({ cases, naive: NAIVE_CASES }, null, 2));
  const paymentsDb = join(folder, 'payments.db');
  const payments = await startPaymentsProcess({ dbFile: paymentsDb });
  const rule = new URL('./refund-rule.ts#refundOrder', import.meta.url).href;
  const model = await startModelServerProcess({ rule });
  // Its address ends in /v1, and so does what the workers are given.
  const proxy = await openGateProxy({ payments: payments.url, model: model.url.replace(/\/v1$/, '') });
  const done = countDone(cases.length, say);
  const shared = { folder, proxy, paymentsDb, program, inTurn: eachInTurn(STARTS_AT_ONCE) };
  try {
    await warmUp(program);
    await Promise.all(NAIVE_CASES.map((naive) => runNaive(proxy, naive)));
    await onServer(
      folder,
      'server-a',
      cases.filter(({ victim }) => victim !== 'server'),
      async (on, mine) => {
        await inParallel(AT_ONCE, mine, async (one) => done(await runCase({ ...shared, ...on, group: ALONE }, one)));
      },
    );
    await onServer(
      folder,
      'server-b',
      cases.filter(({ victim }) => victim === 'server'),
      async (on, mine) => {
        for (let first = 0; first < mine.length; first += GROUP_SIZE) {
          const together = mine.slice(first, first + GROUP_SIZE);
          const group = openGroup(
            together.map(({ id }) => id),
            () => on.server.killAndRestart(),
          );
          await Promise.all(together.map(async (one) => done(await runCase({ ...shared, ...on, group }, one))));
        }
      },
    );
  } finally {
    await proxy.close();
    await Promise.all([payments.close(), model.close()]);
  }
  return audit(folder);
}

type OwnServer = Pick<Stage, 'server' | 'temporal'>;

async function onServer(
  folder: string,
  name: string,
  cases: readonly SweepCase[],
  play: (on: OwnServer, cases: readonly SweepCase[]) => Promise<void>,
): Promise<void> {
  if (cases.length === 0) return;
  const server: SweepServer = await startSweepServer(join(folder, name));
  const connection = await Connection.connect({ address: server.address });
  try {
    await play({ server, temporal: new Client({ connection }) }, cases);
  } finally {
    await connection.close();
    await server.stop();
  }
}

function countDone(total: number, say: (line: string) => void): (outcome: Outcome) => void {
  let count = 0;
  return ({ id, trouble, struckAt }) => {
    count += 1;
    const how = trouble ? `TROUBLE: ${trouble}` : struckAt ? 'hit' : 'not hit';
    say(`${String(count).padStart(3)}/${total}  ${id.padEnd(30)} ${how}`);
  };
}

const AUDITOR = fileURLToPath(new URL('./auditor.ts', import.meta.url));

/** The auditor is a program of its own, so that nothing of the runtime can reach its judgement. */
async function audit(folder: string): Promise<Verdict> {
  const child = spawn(process.execPath, [AUDITOR, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const gone = once(child, 'close');
  const said = await text(child.stdout);
  await gone;
  // The auditor prints one object of this shape.
  return JSON.parse(said) as Verdict;
}
