import { afterEach, describe, expect, test } from '@jest/globals';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { StoredEvent } from '../../src/contracts/events.ts';
import { openEvents } from '../../src/stores/open-stores.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { endClis, startCli, type RunningCli } from '../cli/run-cli.ts';
import { PASSWORD, usePostgres } from '../stores/postgres-server.ts';
import { eventually } from '../support/eventually.ts';
import { pays, payTool } from '../support/pay-tool.ts';
import { approvalOf, outcomeOf } from '../support/questions.ts';
import { openRig, testAddress, type Rig } from '../support/rig.ts';
import { askThenTell, repliesOf } from '../support/rules.ts';

const postgres = usePostgres();

let rig: Rig | undefined;
afterEach(async () => {
  await endClis();
  await rig?.close();
  rig = undefined;
});

const ann = { by: 'ann', reason: 'looked' } as const;

async function openOnPostgres(tools: Parameters<typeof payTool>[0], schema: string) {
  const { pay, seen } = payTool(tools);
  const env = { HOLDFAST_LEDGER: postgres.addressOf(schema), HOLDFAST_EVENTS: postgres.addressOf(schema) };
  rig = await openRig({ model: scriptedModel(askThenTell([pays('A', 49)])), tools: [pay] }, { env });
  return { rig, seen };
}

/** The command in a process of its own, which reaches nothing of this one's but the servers. */
function startWatching({ settings }: Rig, run: string): RunningCli {
  const { ledger, events, dataDir } = settings;
  const env = { HOLDFAST_DATA: join(dataDir, 'elsewhere'), HOLDFAST_LEDGER: ledger, HOLDFAST_EVENTS: events };
  return startCli(['watch', run, '--json'], { env: { ...env, TEMPORAL_ADDRESS: testAddress() } });
}

const eventsIn = (stdout: string): readonly StoredEvent[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as StoredEvent);

async function storedEvents({ settings }: Rig, run: string): Promise<readonly StoredEvent[]> {
  const events = openEvents(settings.events, { creates: false });
  return events.read(run, 0).finally(() => events.close());
}

/** Everything a history says, its payloads read as text. */
const textOf = (history: object): string =>
  JSON.stringify(history).replace(/"data":"([^"]+)"/g, (_, data: string) => Buffer.from(data, 'base64').toString());

describe('runs whose ledger and events are in PostgreSQL', () => {
  test('an approval, a lost answer and a decision stand there, and nothing of the address in history', async () => {
    const execute = () => Promise.reject(new Error('connection reset'));
    const { rig: open } = await openOnPostgres({ needsApproval: true, execute }, 'first');
    const run = await open.client.start({ agent: 'tester', input: 'go' });
    const { id } = await approvalOf(run);
    await run.decideApproval({ question: id, verdict: 'approve', ...ann });
    const outcome = await outcomeOf(run);
    await run.resolveOutcome({ question: outcome.id, verdict: 'happened', result: 'paid', ...ann });
    expect(repliesOf((await run.result()).text)).toMatchObject([{ status: 'ok', data: 'paid' }]);
    expect((await open.records(run.id)).map(({ is }) => is)).toEqual(['decided', 'claimed', 'unknown', 'settled']);
    const history = textOf(await open.temporal.workflow.getHandle(run.id).fetchHistory());
    expect([history.includes('pay:A'), history.includes(PASSWORD)]).toEqual([true, false]);
  });

  test('two runs of one task at the same instant, on two workers: one effect', async () => {
    const { rig: open, seen } = await openOnPostgres({}, 'second');
    await open.startWorker();
    const runs = await Promise.all(
      Array.from({ length: 6 }, () => open.client.start({ agent: 'tester', input: 'go', taskId: 'one-task' })),
    );
    const results = await Promise.all(runs.map((run) => run.result()));
    for (const { text } of results) expect(repliesOf(text)).toMatchObject([{ status: 'ok', data: { paid: 49 } }]);
    expect(seen).toHaveLength(1);
  });

  test('a database that crashes while the tool acts: the record is written when it is back, and nothing is sent again', async () => {
    let land: (value: unknown) => void = () => undefined;
    let sent = 0;
    const execute = () => {
      sent += 1;
      return new Promise((resolve) => (land = resolve));
    };
    const { rig: open } = await openOnPostgres({ execute, timeout: '10s' }, 'third');
    const run = await open.client.start({ agent: 'tester', input: 'go' });
    await eventually('the tool to act', () => sent === 1, 20_000);
    await postgres.crash();
    land({ paid: 49 });
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await postgres.start();
    expect(repliesOf((await run.result()).text)).toMatchObject([{ status: 'ok', data: { paid: 49 } }]);
    expect(sent).toBe(1);
    expect((await open.records(run.id)).map(({ is }) => is)).toEqual(['claimed', 'done']);
  });

  test('a database that is away before the call: nothing is sent until it is back', async () => {
    const { rig: open, seen } = await openOnPostgres({ needsApproval: true }, 'fourth');
    const run = await open.client.start({ agent: 'tester', input: 'go' });
    const { id } = await approvalOf(run);
    await postgres.crash();
    const deciding = run.decideApproval({ question: id, verdict: 'approve', ...ann }).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(seen).toHaveLength(0);
    await postgres.start();
    await deciding;
    await run.decideApproval({ question: id, verdict: 'approve', ...ann });
    expect(repliesOf((await run.result()).text)).toMatchObject([{ status: 'ok' }]);
    expect(seen).toHaveLength(1);
  });

  test('a run is watched from another process as it goes, across a crash of the database, to its end', async () => {
    const { rig: open } = await openOnPostgres({ needsApproval: true }, 'fifth');
    const run = await open.client.start({ agent: 'tester', input: 'go' });
    const watching = startWatching(open, run.id);
    await watching.saw(/"type":"question-raised"/);
    const { id } = await approvalOf(run);
    await postgres.crash();
    await postgres.start();
    await run.decideApproval({ question: id, verdict: 'approve', ...ann });
    await watching.saw(/"type":"question-settled"/);
    await run.result();
    const { code, stdout, stderr } = await watching.ended;

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(eventsIn(stdout)).toEqual(await storedEvents(open, run.id));
    expect(eventsIn(stdout).map(({ type }) => type)).toEqual(
      expect.arrayContaining(['run-started', 'attempt-started', 'attempt-ended', 'call-answered', 'said', 'run-ended']),
    );
    expect(existsSync(join(open.settings.dataDir, 'events.db'))).toBe(false);
  });
});
