import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { pays, payTool } from '../support/pay-tool.ts';
import { approvalOf, outcomeOf } from '../support/questions.ts';
import { openRig, type Rig } from '../support/rig.ts';
import { askThenTell, repliesOf } from '../support/rules.ts';
import { endClis, runCli } from './run-cli.ts';

const CONFIG = fileURLToPath(new URL('./fixtures/deciders.config.ts', import.meta.url));

let rig: Rig;
let folder: string;
let key: `ed25519:${string}`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-signing-'));
  const made = await runCli(['key', 'new', 'ada', '--json'], { env: { HOLDFAST_DATA: join(folder, 'ada') } });
  key = (JSON.parse(made.stdout) as { public: `ed25519:${string}` }).public;
  const { pay } = payTool({ needsApproval: true });
  const config = { deciders: [{ name: 'ada', key }] };
  rig = await openRig({ model: scriptedModel(askThenTell([pays('A')])), tools: [pay] }, { config });
});
afterAll(async () => {
  await endClis();
  await rig.close();
  await rm(folder, { recursive: true, force: true });
});

const cli = (...args: readonly string[]) => cliIn(undefined, ...args, '--config', CONFIG);

const cliIn = (cwd: string | undefined, ...args: readonly string[]) => cliBeside(rig, cwd, ...args);

const cliBeside = ({ settings: { dataDir, temporal } }: Rig, cwd: string | undefined, ...args: readonly string[]) =>
  runCli(args, {
    ...(cwd !== undefined && { cwd }),
    env: {
      HOLDFAST_DATA: dataDir,
      HOLDFAST_TEST_DECIDER: key,
      TEMPORAL_ADDRESS: temporal.is === 'external' ? temporal.address : '',
      XDG_CONFIG_HOME: folder,
    },
  });

test('where decisions are signed, the command says whose key it looked for and how one is made, and signs with it', async () => {
  const run = await rig.client.start({ agent: 'tester', input: 'go' });
  const { id } = await approvalOf(run);
  const stranger = await cli('approve', id, '--reason', 'x', '--by', 'eve');
  expect(stranger).toMatchObject({ code: 1, stderr: expect.stringContaining('"eve" is no decider') });
  const keyless = await cli('approve', id, '--reason', 'x', '--by', 'ada');
  expect(keyless).toMatchObject({ code: 1, stderr: expect.stringContaining('npx holdfast key new ada') });
  expect(keyless.stderr).toContain(join(rig.settings.dataDir, 'keys', 'ada.key'));
  // Whose key it is says whose decision it is.
  const file = join(folder, 'ada', 'keys', 'ada.key');
  const said = await cli('approve', id, '--reason', 'checked', '--key', file);
  expect(said).toMatchObject({ code: 0, stdout: expect.stringContaining('approved') });
  expect(repliesOf((await run.result()).text)).toMatchObject([{ status: 'ok' }]);
  const [word] = (await rig.records(run.id)).filter((record) => record.is === 'decided');
  expect(word).toMatchObject({ decision: { by: 'ada', signature: expect.any(String) } });
});

test('another key of that name is refused before anything is sent', async () => {
  const run = await rig.client.start({ agent: 'tester', input: 'go' });
  const { id } = await approvalOf(run);
  await cli('key', 'new', 'ada');
  const other = await cli('deny', id, '--reason', 'x', '--by', 'ada');
  expect(other).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is not the one of ada in the configuration'),
  });
  expect(await rig.records(run.id)).toEqual([]);
  await run.stop('now');
});

test('an abort is neither offered nor taken where it does not count', async () => {
  const { pay } = payTool({ execute: () => Promise.reject(new Error('connection reset')) });
  const config = { deciders: [{ name: 'ada', key }] };
  const doubtful = await openRig({ model: scriptedModel(askThenTell([pays('A')])), tools: [pay] }, { config });
  try {
    const run = await doubtful.client.start({ agent: 'tester', input: 'go' });
    const { id } = await outcomeOf(run);
    const at = (...args: readonly string[]) => cliBeside(doubtful, undefined, ...args, '--config', CONFIG);
    expect((await at('inbox')).stdout).toMatch(/also: reversed\n/);
    expect((await at('show', run.id)).stdout).toMatch(/also: reversed\n/);
    const said = await at('resolve', id, 'abort', '--reason', 'x', '--by', 'ada');
    expect(said).toMatchObject({ code: 1, stderr: expect.stringContaining(`npx holdfast stop ${run.id}`) });
    await run.stop('now');
  } finally {
    await doubtful.close();
  }
});

describe('beside a configuration that does not load', () => {
  beforeAll(() => writeFile(join(folder, 'holdfast.config.ts'), 'throw new Error("DB_URL is not set");'));

  test.each([
    ['approve', ['approve', 'ID', '--reason', 'x', '--by', 'mallory']],
    ['deny', ['deny', 'ID', '--reason', 'x', '--by', 'mallory']],
    ['resolve', ['resolve', 'ID', 'happened', '--result', '"forged"', '--reason', 'x', '--by', 'mallory']],
    ['start', ['start', 'tester', '--input', 'go', '--run', 'never']],
  ])('%s does nothing: who may decide and what is meant are not known', async (_, args) => {
    const run = await rig.client.start({ agent: 'tester', input: 'go' });
    const { id } = await approvalOf(run);
    const said = await cliIn(folder, ...args.map((word) => (word === 'ID' ? id : word)));
    expect(said).toMatchObject({ code: 1, stdout: '' });
    expect(said.stderr).toMatch(
      /cannot load holdfast\.config\.ts of .*: DB_URL is not set\n[^]*Nothing was done[^]*--config FILE/,
    );
    expect(await rig.records(run.id)).toEqual([]);
    expect(await rig.client.get('never').describe()).toBeUndefined();
    await run.stop('now');
  });

  test('what only reads, and a stop, go on without it, and say so', async () => {
    const run = await rig.client.start({ agent: 'tester', input: 'go' });
    const { id } = await approvalOf(run);
    const without = expect.stringContaining('Going on without it');
    expect(await cliIn(folder, 'inbox')).toMatchObject({
      code: 3,
      stdout: expect.stringContaining(id),
      stderr: without,
    });
    expect(await cliIn(folder, 'stop', run.id, '--now')).toMatchObject({ code: 0, stderr: without });
  });
});
