import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { GateProxy } from './gate-proxy.ts';
import { within } from './within.ts';

/** The same refund by a plain retry loop, killed at one of the two moments that matter. */
export interface NaiveCase {
  readonly id: string;
  readonly boundary: 'b8' | 'b9';
  readonly order: string;
}

export const NAIVE_CASES: readonly NaiveCase[] = (['b8', 'b9'] as const).map((boundary) => ({
  id: `naive-${boundary}`,
  boundary,
  order: `O-naive-${boundary}`,
}));

const PROGRAM = fileURLToPath(new URL('./naive.process.ts', import.meta.url));
const WITHIN_MS = 30_000;

/** Shows that the rig can see the fault: without a ledger the refund happens twice. */
export async function runNaive(proxy: GateProxy, { id, boundary, order }: NaiveCase): Promise<void> {
  const options = JSON.stringify({ paymentsUrl: proxy.urlFor(id, 'payments'), order });
  const start = () => spawn(process.execPath, [PROGRAM, options], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const held = proxy.hold(id, boundary, 0);
  const first = start();
  const gone = once(first, 'close');
  await within(WITHIN_MS, `${id} reaches its boundary`, held.reached);
  first.kill('SIGKILL');
  await gone;
  held.release();
  await within(WITHIN_MS, `${id} ends`, once(start(), 'close'));
}
