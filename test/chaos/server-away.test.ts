import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { startDevServer, type DevServer } from '../../src/temporal/dev-server.ts';
import { eventually } from '../support/eventually.ts';
import { repliesOf } from '../support/rules.ts';
import { openRefundRig, type RefundRig } from './refund-rig.ts';

let rig: RefundRig | undefined;
let server: DevServer | undefined;
let folder = '';
afterEach(async () => {
  await rig?.close();
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

test.each([{ awayMs: 5_000 }, { awayMs: 30_000 }])(
  'the server is away for $awayMs ms while an unflagged tool finishes: one arrival, its result, no question',
  async ({ awayMs }) => {
    folder = await mkdtemp(join(tmpdir(), 'holdfast-away-'));
    const place = { dataDir: folder, dbFile: join(folder, 'server.db') };
    server = await startDevServer(place);
    const port = Number(server.address.split(':')[1]);
    rig = await openRefundRig([{ is: 'answer', answersAfterMs: 2_000, times: 1 }], server.address);
    await rig.startWorker({ effect: 'unflagged', timeout: '10s' });
    const run = await rig.startRun();
    await eventually('the arrival', () => rig?.count().arrivals.length === 1);
    process.kill(server.pid, 'SIGKILL');
    // The outage itself is what is tested: its length is given, not guessed.
    await new Promise((resolve) => setTimeout(resolve, awayMs));
    server = await startDevServer({ ...place, port });
    const result = await run.result();
    expect(repliesOf(result.text)).toMatchObject([{ status: 'ok', data: { cents: 4900 } }]);
    expect(rig.count()).toMatchObject({ arrivals: [expect.anything()], effects: [expect.anything()] });
    expect((await rig.records(run.id)).map(({ is }) => is)).toEqual(['claimed', 'done']);
  },
  120_000,
);
