import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { outcomeOf } from '../support/questions.ts';
import { openDesk, type Desk } from './desk.ts';
import { endClis } from './run-cli.ts';

let desk: Desk;
let folder: string;
let run: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-ledger-'));
  desk = await openDesk();
  run = await desk.begin([{ tool: 'refund', order: 'A-1' }], [{ tool: 'ship', order: 'A-2' }]);
  await outcomeOf(desk.rig.client.get(run));
});
afterAll(async () => {
  await endClis();
  await desk.rig.close();
  await rm(folder, { recursive: true, force: true });
});

describe('ledger', () => {
  test('shows actions with what stands of them, and the records that say so', async () => {
    const { code, stdout } = await desk.run('ledger');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^refund:A-1 · outcome unknown · refund · task /m);
    expect(stdout).toMatch(/1 {2}\d\d:\d\d:\d\d {2}claimed .* sends by /);
    expect(stdout).toMatch(/2 {2}\d\d:\d\d:\d\d {2}unknown /);
  });

  test('a part of an intent is completed; one of several, or of none, is refused with what there is', async () => {
    expect(await desk.run('ledger', '--intent', 'refund:A')).toMatchObject({ code: 0 });
    const none = await desk.run('ledger', '--intent', 'refnd:A-1');
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('refund:A-1') });
    const tool = await desk.run('ledger', '--tool', 'refnd');
    expect(tool).toMatchObject({ code: 1, stderr: expect.stringContaining('Did you mean:\n  refund') });
  });

  test('--json gives the records, one a line, as an export has them; a part of a run id will do', async () => {
    const { stdout } = await desk.run('ledger', '--run', run.slice(3), '--json');
    const records = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { is: string });
    expect(records.map(({ is }) => is)).toEqual(['claimed', 'unknown']);
    const none = await desk.run('ledger', '--run', `x${run}`);
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining(`Did you mean:\n  ${run}`) });
  });

  test('needs no server', async () => {
    expect(await desk.run('ledger', '--unsettled', '--address', '127.0.0.1:9')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('outcome unknown'),
    });
  });

  test('an export is not overwritten, and verifies until something in it changes', async () => {
    const file = join(folder, 'monday.jsonl');
    expect(await desk.run('ledger', '--export', file)).toMatchObject({
      code: 0,
      stdout: `2 records written to ${file}\n`,
    });
    expect(await desk.run('ledger', '--export', file)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is there already'),
    });
    const clean = await desk.run('ledger', '--verify', file);
    expect(clean).toMatchObject({ code: 0, stdout: expect.stringContaining('no gap, nothing changed, nothing gone') });
    expect(await desk.run('ledger', '--verify')).toMatchObject({ code: 0 });
    const other = join(folder, 'tuesday.jsonl');
    await writeFile(other, (await readFile(file, 'utf8')).replace('"generation":1', '"generation":2'));
    const changed = await desk.run('ledger', '--verify', file, other);
    expect(changed).toMatchObject({ code: 1, stdout: expect.stringContaining('is not what') });
    await appendFile(other, 'nonsense\n');
    expect(await desk.run('ledger', '--verify', other)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('line 3 is no ledger record'),
    });
  });

  test('a check of a part is refused: counters count whole tasks', async () => {
    const { code, stderr } = await desk.run('ledger', '--verify', '--tool', 'refund');
    expect(code).toBe(2);
    expect(stderr).toContain('does not go with --tool');
  });
});
