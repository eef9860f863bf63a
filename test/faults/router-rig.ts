import { AgentClient } from '../../src/client/agent-client.ts';
import type { RunHandle } from '../../src/client/run-handle.ts';
import type { CostPace } from '../../src/contracts/cost-look-up.ts';
import type { CostTotals } from '../../src/contracts/bill.ts';
import type { RunCost } from '../../src/contracts/cost.ts';
import { startServerProcess, type ServerProcess } from '../../src/testing/index.ts';
import { eventually } from '../support/eventually.ts';
import { openRig, testAddress, type Rig, type RigOptions, type TestAgent } from '../support/rig.ts';
import {
  openRouterPeer,
  ROUTER_PRICE,
  type RouterPeer,
  type RouterPeerOptions,
  type RouterStory,
} from './router-peer.ts';

/** Fast enough for a test, slow enough that a run is over before the first answer. */
const PACE: CostPace = { waitsMs: [300, 100], forMs: 20_000 };

export interface RouterRig extends Rig {
  readonly peer: RouterPeer;
  /** Starts a run that gets this story. Its name is its input, unlike that of any other. */
  play(story: RouterStory, runId?: string): Promise<RoutedRun>;
  /** Starts a worker that may be killed, with an agent of the same name and without tools. */
  startProcess(): Promise<ServerProcess>;
  cost(run: RunHandle): Promise<RunCost>;
  /** The same, once nobody has anything to correct any more. */
  settled(run: RunHandle): Promise<RunCost>;
}

export interface RouterWorkerOptions {
  readonly dataDir: string;
  readonly address: string;
  readonly taskQueue: string;
  readonly url: string;
  readonly costPace: CostPace;
}

export interface RoutedRun {
  readonly run: RunHandle;
  readonly input: string;
  /** Micro-dollars, as the peer has them. */
  owed(): number;
}

export type RouterRigOptions = RigOptions & RouterPeerOptions;

let plays = 0;

/**
 * A worker whose models are asked over the wire by the real packages: `openrouter/v/m`, which can be asked later what a reply cost, and
 * `compatible/m`, at the same prices, which cannot.
 */
export async function openRouterRig(
  agent: Partial<TestAgent> = {},
  { notYet, isThere, config, ...options }: RouterRigOptions = {},
): Promise<RouterRig> {
  const peer = await openRouterPeer({ ...(notYet !== undefined && { notYet }), ...(isThere && { isThere }) });
  const account = { baseURL: peer.url, apiKey: 'k' };
  const prices = { 'compatible/*': ROUTER_PRICE };
  const providers = { openrouter: account, compatible: account };
  const rig = await openRig(
    { model: 'openrouter/v/m', tools: [], backoff: { base: '10ms', jitter: 'fixed' }, ...agent },
    { grace: '1s', costPace: PACE, ...options, config: { providers, prices, ...config } },
  );
  const { settings, taskQueue } = rig;
  const client = await AgentClient.connect({ settings, taskQueue, prices });
  const processes: ServerProcess[] = [];
  const cost = async ({ id }: RunHandle): Promise<RunCost> => {
    const [one] = await client.cost({ run: id });
    if (!one) throw new Error(`Nothing is known of run ${id}.`);
    return one;
  };
  return {
    ...rig,
    peer,
    async startProcess() {
      const place = { dataDir: settings.dataDir, address: testAddress(), taskQueue, url: peer.url };
      const about: RouterWorkerOptions = { ...place, costPace: options.costPace ?? PACE };
      const started = await startServerProcess(new URL('./router-worker.process.ts', import.meta.url), about);
      processes.push(started);
      return started;
    },
    cost,
    settled: (run) =>
      eventually('every cost to be known', async () => {
        const one = await cost(run);
        return isKnown(one.spend) && one;
      }),
    async play(story, runId) {
      const input = `story ${++plays}`;
      peer.tell(input, story);
      const run = await client.start({ agent: 'tester', input, ...(runId !== undefined && { runId }) });
      return { run, input, owed: () => peer.bill(input).reduce((sum, { micros }) => sum + micros, 0) };
    },
    async close() {
      await Promise.all(processes.map((one) => one.kill()));
      await client.close();
      await rig.close();
      await peer.close();
    },
  };
}

export const isKnown = ({ estimated, unknown }: Pick<CostTotals, 'estimated' | 'unknown'>): boolean =>
  estimated + unknown === 0;
