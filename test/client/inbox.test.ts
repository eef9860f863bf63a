import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Connection } from '@temporalio/client';
import { askableRuns } from '../../src/client/askable-runs.ts';
import type { ClientParts } from '../../src/client/client-parts.ts';
import { mapAtOnce } from '../../src/client/map-at-once.ts';
import type { RunHandle } from '../../src/client/run-handle.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { eventually } from '../support/eventually.ts';
import { pays, payTool } from '../support/pay-tool.ts';
import { approvalOf } from '../support/questions.ts';
import { openRig, testAddress, type Rig } from '../support/rig.ts';

let rig: Rig;
let connection: Connection;
let waiting: RunHandle;
let working: RunHandle;

beforeAll(async () => {
  const { pay } = payTool({
    needsApproval: ({ order }) => order === 'asks',
    timeout: '60s',
    execute: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reject(new Error('given up'));
        });
      }),
  });
  const model = scriptedModel(({ user, turn }) => (turn === 0 ? { calls: [pays(user)] } : { text: 'done' }));
  rig = await openRig({ model, tools: [pay] }, { grace: '1s' });
  connection = await Connection.connect({ address: testAddress() });
  waiting = await rig.client.start({ agent: 'tester', input: 'asks' });
  working = await rig.client.start({ agent: 'tester', input: 'works' });
  await approvalOf(waiting);
  await eventually('a call at work', async () => (await rig.records(working.id)).some(({ is }) => is === 'claimed'));
  await eventually('the search attributes', async () => (await working.describe())?.status === 'running');
});
afterAll(async () => {
  await Promise.all([waiting.stop('now'), working.stop('now')]);
  await connection.close();
  await rig.close();
});

/** As the client has them; `service` stands in for what the server says of its search attributes. */
async function asked(service: Partial<Connection> = {}): Promise<readonly string[]> {
  const parts = { client: rig.temporal, connection: Object.assign(Object.create(connection) as Connection, service) };
  const rows = await askableRuns({ ...parts, namespace: 'default' } as ClientParts);
  return rows.map(({ run }) => run).filter((run) => run === waiting.id || run === working.id);
}

describe('which runs are asked what they wait for', () => {
  test('those that show that they wait, and none that is at work', async () => {
    await eventually('the list', async () => (await asked()).includes(waiting.id));
    expect(await asked()).toEqual([waiting.id]);
  });

  test('all that are open, where the namespace lacks our search attributes', async () => {
    const operatorService = { listSearchAttributes: () => Promise.resolve({ customAttributes: {} }) };
    const all = await asked({ operatorService: operatorService as never });
    expect(new Set(all)).toEqual(new Set([waiting.id, working.id]));
  });
});

describe('many are asked some at a time', () => {
  test('each once, and the answers stand where their questions stood', async () => {
    let [now, most] = [0, 0];
    const answers = await mapAtOnce([3, 1, 2], { most: 2, withinMs: 60_000 }, async (item) => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setTimeout(resolve, item));
      now--;
      return item * 10;
    });
    expect(answers).toEqual([30, 10, 20]);
    expect(most).toBe(2);
  });

  test('nothing is begun when the time is over', async () => {
    expect(await mapAtOnce([1, 2], { most: 1, withinMs: 0 }, (item) => Promise.resolve(item))).toEqual([
      undefined,
      undefined,
    ]);
  });
});
