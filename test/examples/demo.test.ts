import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, expect, test } from '@jest/globals';
import { readPayments } from '../../src/testing/read-payments.ts';

const run = promisify(execFile);
const DEMO = fileURLToPath(new URL('../../examples/refund/demo.ts', import.meta.url));

let folder = '';
afterEach(() => rm(folder, { recursive: true, force: true }));

interface DemoLine {
  readonly status: string;
  readonly naive: { readonly refunds: number; readonly cents: number };
  readonly acts: readonly { refunds: number; cents: number; unknowns: number; resolvedBy: string }[];
  readonly paymentsDb: string;
}

test('the refund story: the naive loop pays twice, Holdfast once in both acts, by the count of payments', async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-demo-test-'));
  const args = ['--json', '--keep', folder, '--order', 'B-7', '--cents', '3000', '--replan', '3550', '--seed', '5'];
  const { stdout } = await run(process.execPath, [DEMO, ...args]);
  const last = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as DemoLine;
  expect(last).toMatchObject({
    status: 'ok',
    naive: { refunds: 2, cents: 6550 },
    acts: [
      { refunds: 1, cents: 3000, unknowns: 1, resolvedBy: 'person' },
      { refunds: 1, cents: 3000, unknowns: 1, resolvedBy: 'late-outcome' },
    ],
  });
  expect(readPayments(last.paymentsDb).effects.map(({ orderId, cents }) => [orderId, cents])).toEqual([
    ['B-7', 3550],
    ['B-7', 3000],
    ['B-7', 3000],
    ['B-7', 3000],
  ]);
  expect((await readdir(folder)).filter((file) => file.endsWith('.history.json'))).toHaveLength(2);
}, 120_000);

test.each([
  [['--cents', 'many'], '--cents many: write a whole number'],
  [['--order', 'A B'], '--order A B'],
  [['--nonsense'], 'nonsense'],
  [['--replan', '4900'], '--replan 4900 is what --cents says'],
])('the demo refuses %j and says why', async (args, message) => {
  const ended = run(process.execPath, [DEMO, ...args]);
  await expect(ended).rejects.toMatchObject({ code: 2, stdout: expect.stringContaining(message) });
});
