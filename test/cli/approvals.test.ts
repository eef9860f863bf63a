import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { pays, payTool } from '../support/pay-tool.ts';
import { approvalOf } from '../support/questions.ts';
import { openRig, type Rig } from '../support/rig.ts';
import { askThenTell, repliesOf } from '../support/rules.ts';
import { endClis, runCli } from './run-cli.ts';

let rig: Rig;
let folder: string;
let seen: ReturnType<typeof payTool>['seen'];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-approvals-'));
  const tool = payTool({ needsApproval: true, amount: ({ amount = 0 }) => ({ value: amount, currency: 'USD' }) });
  seen = tool.seen;
  const model = scriptedModel(({ turn, user, results }) =>
    turn === 0
      ? { calls: user.split(' ').map((order) => pays(order, Number(order.split('-')[1]))) }
      : { text: JSON.stringify(results.map(({ reply }) => reply)) },
  );
  rig = await openRig({ model, tools: [tool.pay] }, { config: { approvals: { quorum: { above: 500 } } } });
});
afterAll(async () => {
  await endClis();
  await rig.close();
  await rm(folder, { recursive: true, force: true });
});

/** The program beside the rig's worker, without its configuration. */
const cli = (...args: readonly string[]) => cliBeside(rig, ...args);

const cliBeside = ({ settings: { dataDir, temporal } }: Rig, ...args: readonly string[]) =>
  runCli(args, {
    env: {
      HOLDFAST_DATA: dataDir,
      TEMPORAL_ADDRESS: temporal.is === 'external' ? temporal.address : '',
      XDG_CONFIG_HOME: folder,
    },
  });

async function asks(order: string) {
  const run = await rig.client.start({ agent: 'tester', input: order });
  return { run, question: await approvalOf(run) };
}

describe('approve and deny', () => {
  test('the inbox shows the amount, why, until when, and commands that work when pasted', async () => {
    const { run, question } = await asks('A-49');
    const { code, stdout } = await cli('inbox');
    expect(code).toBe(3);
    expect(stdout).toContain(`${question.id}  approval · pay · $49.00 · `);
    expect(stdout).toContain('because  pay always needs an approval');
    expect(stdout).toContain('then asked again');
    expect(stdout).toContain(`npx holdfast deny ${question.id} --reason '…'`);
    const said = await cli('approve', question.id.slice(0, 5), '--reason', 'checked', '--by', 'ann');
    expect(said).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`${question.id} approved · pay · pay:A-49`),
    });
    expect(repliesOf((await run.result()).text)).toMatchObject([{ status: 'ok' }]);
    const again = await cli('approve', question.id, '--reason', 'checked', '--by', 'ann');
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('stands already') });
    const stands = { code: 1, stderr: expect.stringContaining('decided already. ann approved it: checked.') };
    expect(await cli('deny', question.id.slice(0, 6), '--reason', 'no')).toMatchObject(stands);
    expect(await cli('approve', question.id, '--reason', 'less', '--input', '{"order":"A-49"}')).toMatchObject(stands);
  });

  test('with other arguments, from a file too; what is no object is a usage error', async () => {
    const { run, question } = await asks('B-60');
    expect(await cli('approve', question.id, '--reason', 'less', '--input', '[1]')).toMatchObject({ code: 2 });
    const file = join(folder, 'less.json');
    await writeFile(file, '{"order":"B-60","amount":6}');
    expect(await cli('approve', question.id, '--reason', 'less', '--input', `@${file}`)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(
        'approved with other arguments · pay · pay:B-60 · $60.00\n  with {"order":"B-60"',
      ),
    });
    expect(repliesOf((await run.result()).text)).toMatchObject([{ status: 'ok', data: { paid: 6 } }]);
    expect(seen.at(-1)?.input).toEqual({ order: 'B-60', amount: 6 });
    const { stdout } = await cli('show', run.id);
    expect(stdout).toMatch(/pay .* other arguments approved · pay:B-60\n/);
    expect(stdout).toMatch(
      /Decisions\n.*pay · \S+ approved other arguments: less\.\s+\{"order":"B-60","amount":6\}\n$/,
    );
  });

  test('a remembered one is shown as a rule', async () => {
    const { run, question } = await asks('C-5');
    const where = '{"amount":5}';
    expect(await cli('approve', question.id, '--reason', 'small', '--by', 'ann', '--remember', where)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /Remembered: pay where amount = 5 needs no further approval in this task\s+\(ann:\s+small\)/,
      ),
    });
    await run.result();
    expect(await cli('show', run.id)).toMatchObject({
      stdout: expect.stringContaining('Rule: pay where amount = 5 needs no further approval in this task (ann: small)'),
    });
  });

  test('above the quorum the first word ends with 3 and says who is still wanted', async () => {
    const { run, question } = await asks('D-900');
    const first = await cli('approve', question.id, '--reason', 'fine', '--by', 'ann');
    expect(first).toMatchObject({ code: 3, stdout: expect.stringContaining('so far ann said so: another one') });
    expect(first.stdout).toContain(`npx holdfast approve ${question.id} --by '…' --reason '…'`);
    expect((await cli('inbox')).stdout).toContain('agreed   1 of 2 people: ann');
    expect(await cli('approve', question.id, '--reason', 'fine', '--by', 'bob')).toMatchObject({ code: 0 });
    expect(repliesOf((await run.result()).text)).toMatchObject([{ status: 'ok' }]);
  });

  test('a rule is told of only where there is one: by the word that lets the call pass', async () => {
    const { run, question } = await asks('D-901');
    const remember = ['--reason', 'fine', '--remember', '{"amount":901}'];
    const first = await cli('approve', question.id, '--by', 'ann', ...remember);
    expect(first).toMatchObject({ code: 3, stdout: expect.stringContaining('Nothing is remembered yet') });
    expect(first.stdout).not.toContain('needs no further approval');
    expect((await cli('ledger', '--run', run.id)).stdout).toMatch(/approve by ann: fine · asked for a rule/);
    const second = await cli('approve', question.id, '--by', 'bob', ...remember, '--json');
    expect(JSON.parse(second.stdout)).toMatchObject({ is: 'applied', rule: { where: { amount: 901 }, by: 'bob' } });
    await run.result();
    const { stdout } = await cli('ledger', '--run', run.id);
    expect(stdout).toMatch(/approve by ann: fine · asked for a rule ·/);
    expect(stdout).toMatch(/approve by bob: fine · remembered as a rule/);
    expect(stdout).toMatch(/allowed by ann, bob/);
    expect((await cli('show', run.id)).stdout).toMatch(/Rule: pay where amount = 901 [^]*\(bob: fine\)/);
  });

  test('a question of the other kind is refused with the command that fits', async () => {
    const { run, question } = await asks('E-1');
    const wrong = await cli('resolve', question.id, 'happened', '--result', 'null', '--reason', 'x');
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining(`npx holdfast approve ${question.id}`) });
    expect(await cli('approve', question.id)).toMatchObject({ code: 2, stderr: expect.stringContaining('--reason') });
    expect(await cli('deny', question.id, '--reason', 'no')).toMatchObject({ code: 0 });
    expect(repliesOf((await run.result()).text)).toMatchObject([{ status: 'blocked' }]);
  });

  test('of two calls that wait, the other one is what the run then waits for, and that is said at once', async () => {
    const { run, question } = await asks('H-1 H-2');
    const other = await approvalOf(run, ({ id }) => id !== question.id);
    const said = await cli('deny', question.id, '--reason', 'no');
    expect(said).toMatchObject({ code: 0, stdout: expect.stringContaining(`waits for a person: ${other.id}`) });
    await run.stop('now');
  });

  test('for a run without a worker a word is left with the server, and the inbox says what it lacks', async () => {
    const { pay, seen: sent } = payTool({ needsApproval: true });
    const model = scriptedModel(askThenTell([pays('N-1')]));
    const alone = await openRig({ model, tools: [pay] }, { worker: 'later' });
    try {
      const worker = await alone.startWorker();
      const run = await alone.client.start({ agent: 'tester', input: 'go' });
      const { id } = await approvalOf(run);
      await worker.stop();
      expect(await cliBeside(alone, 'inbox')).toMatchObject({
        code: 3,
        stdout: expect.stringMatching(new RegExp(`No worker answers for these[^]*${run.id} +waits for: approval`)),
      });
      expect(await cliBeside(alone, 'approve', id, '--reason', 'fine', '--run', run.id)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('kept with the server'),
      });
      await alone.startWorker();
      expect(repliesOf((await run.result()).text)).toMatchObject([{ status: 'ok' }]);
      expect(sent).toHaveLength(1);
    } finally {
      await alone.close();
    }
  });

  test('an id that is none, or too short to be one, is refused with what is near', async () => {
    const { run, question } = await asks('F-1');
    const typed = `${question.id.slice(0, -1)}${question.id.endsWith('a') ? 'b' : 'a'}`;
    const near = await cli('approve', typed, '--reason', 'x');
    expect(near).toMatchObject({ code: 1, stderr: expect.stringContaining(question.id) });
    for (const short of ['', 'q', question.id.slice(0, 2)]) {
      const said = await cli('approve', short, '--reason', 'x', '--run', run.id);
      expect(said).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining('is too short to name a question'),
      });
      expect(said.stderr).toContain(`\n  ${question.id}  pay, run ${run.id}`);
    }
    expect(await rig.records(run.id)).toEqual([]);
    await run.stop('now');
  });
});

test("the README's example loads, and its refunds wait for people above some amount", async () => {
  const { code, stdout } = await cli('tools', '--config', 'examples/approvals/holdfast.config.ts');
  expect(code).toBe(0);
  expect(stdout).toContain('Some calls wait for an approval, by their arguments: refund.');
});

describe('key', () => {
  test('makes one that only its owner can read, never twice, and shows its public part alone', async () => {
    const made = await cli('key', 'new', 'ada');
    expect(made).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/\{ name: 'ada', key: 'ed25519:[\w-]{43}' \},/),
    });
    const file = join(rig.settings.dataDir, 'keys', 'ada.key');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(made.stdout).not.toContain('holdfast-ed25519:');
    expect(await cli('key', 'new', 'ada')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('never overwritten'),
    });
    const shown = await cli('key', 'show', 'ada', '--json');
    expect(JSON.parse(shown.stdout)).toMatchObject({ name: 'ada', public: expect.stringMatching(/^ed25519:/) });
    expect((await cli('key', 'ls')).stdout).toContain(file);
    // Git never sees what lies beside it.
    expect(await readFile(join(rig.settings.dataDir, '.gitignore'), 'utf8')).toBe('*\n');
  });

  test('one that others can read is refused, with what to do', async () => {
    const file = join(folder, 'open.key');
    await cli('key', 'new', 'open', '--out', file);
    await chmod(file, 0o644);
    const { run, question } = await asks('G-1');
    const said = await cli('approve', question.id, '--reason', 'x', '--key', file);
    expect(said).toMatchObject({ code: 1, stderr: expect.stringContaining(`chmod 600 ${file}`) });
    await run.stop('now');
  });

  test('a name is wanted, and one without a key is told how to make it', async () => {
    expect(await cli('key', 'new')).toMatchObject({ code: 2 });
    expect(await cli('key', 'new', ' ')).toMatchObject({ code: 2 });
    expect(await cli('key', 'show', 'addaa')).toMatchObject({ code: 1 });
    expect(await cli('key', 'show', 'nobody')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('key new nobody'),
    });
  });
});
