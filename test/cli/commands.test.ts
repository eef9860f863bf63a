import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Question } from '../../src/contracts/question.ts';
import { eventually } from '../support/eventually.ts';
import { openDesk, script, type Desk } from './desk.ts';
import { endClis, NPX, startProgram } from './run-cli.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(async () => {
  await endClis();
  await desk.rig.close();
});

const questionOf = (run: string): Promise<Question> =>
  eventually('a question', async () => (await desk.rig.client.get(run).state())?.questions[0]);

describe('start', () => {
  test('tells the run, and how to watch it: a command that works when pasted into a new shell', async () => {
    const { code, stdout } = await desk.run('start', 'support', '--input', 'Hello');
    expect(code).toBe(0);
    const [, command = ''] = /^Started support-\w+\n {2}Watch {2}(npx holdfast watch .*)\n$/.exec(stdout) ?? [];
    expect(command).toMatch(/ --data \S+ --config \S+ --address \S+$/);
    const pasted = await startProgram('sh', ['-c', command], { env: NPX }).ended;
    expect(pasted).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/answer +Good day\.[^]*ended +completed\n$/),
    });
  });

  test('waits for the answer when asked, and reads its input from standard input', async () => {
    const waiting = await desk.pipe('Hello', 'start', 'support', '--input', '-', '--wait');
    expect(waiting).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('The run has ended: completed.\n  Good day.'),
    });
  });

  test('ends with 3 when a person has to decide', async () => {
    const { code, stdout } = await desk.run(
      'start',
      'support',
      '--json',
      '--wait',
      '--input',
      script([{ tool: 'refund', order: 'W' }]),
    );
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ is: 'asks', question: expect.stringMatching(/^q/), isServed: true });
  });

  test('does not take the end of an earlier run under the same id for its own', async () => {
    const run = `again-${Date.now()}`;
    const again = (input: string) => desk.run('start', 'support', '--run', run, '--input', input, '--wait');
    expect((await again(script([{ tool: 'refund', order: run }]))).code).toBe(3);
    await desk.run('stop', run);
    expect(await again('Hello')).toMatchObject({ code: 0, stdout: expect.stringContaining('Good day.') });
  });

  test('gives the answer of a run that has one, and starts nothing', async () => {
    const run = `kept-${Date.now()}`;
    const begin = (input: string) => desk.run('start', 'support', '--run', run, '--input', input, '--wait');
    expect((await begin('Hello')).code).toBe(0);
    const kept = await begin(script([{ tool: 'get_order', order: 'B' }]));
    expect(kept.stdout).toMatch(
      /^Nothing was started, it has its answer: kept-[^]*ended: completed\.\n {2}Good day\.\n$/,
    );
  });

  test.each([
    [
      'an unknown agent',
      ['suport', '--input', 'x'],
      'there is no agent "suport" in the configuration. Did you mean "support"?',
    ],
    ['no input', ['support'], 'the run has no input'],
    [
      'an input file that is not there',
      ['support', '--input', '@nowhere.txt'],
      'cannot read the input from nowhere.txt',
    ],
    ['an input of nothing', ['support', '--input', '-'], 'the input is empty'],
  ])('is refused with %s', async (_, args, why) => {
    const { code, stderr, stdout } = await desk.run('start', ...args);
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(`holdfast: ${why}`),
    });
  });
});

describe('a run that waits for a person', () => {
  let run: string;
  let question: Question;
  beforeAll(async () => {
    run = await desk.begin(
      [{ tool: 'get_order', order: 'A' }],
      [
        { tool: 'refund', order: 'A' },
        { tool: 'send_note', order: 'A' },
      ],
    );
    question = await questionOf(run);
  });

  test('is in the inbox, which then ends with 3, and in the list', async () => {
    const { code, stdout } = await desk.run('inbox');
    expect(code).toBe(3);
    expect(stdout).toMatch(
      new RegExp(`${question.id} {2}outcome unknown · refund[^]*run {6}${run} {2}\\(agent support, turn 2\\)`),
    );
    expect(stdout).toContain(`npx holdfast resolve ${question.id} happened --result '…' --reason '…' --data`);
    expect((await desk.run('ls', '--status', 'waiting', '--agent', 'support')).stdout).toMatch(
      new RegExp(`waiting +${run} `),
    );
  });

  test('is shown with its calls, attempts and waits', async () => {
    const { code, stdout } = await desk.run('show', run);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^waiting for a person · agent support · turn 2/);
    expect(stdout).toMatch(new RegExp(`refund +[\\d.]+ m?s +outcome unknown → ${question.id} · refund:A`));
    expect(stdout).toMatch(/send_note .*2 attempts · unavailable, waited \d+ ms · ok/);
  });

  test.each([
    [
      'a question that is none',
      ['qnope', 'happened', '--result', 'null', '--reason', 'x'],
      1,
      'no open question "qnope"',
    ],
    [
      'a decision that comes too early',
      ['ID', 'did-not-happen', '--reason', 'x'],
      1,
      'add --override; that is recorded',
    ],
    [
      'arguments that are not those that were shown',
      ['ID', 'happened', '--result', 'null', '--reason', 'x', '--digest', 'f00'],
      1,
      'is not settled. The digest',
    ],
    ['no reason', ['ID', 'abort'], 2, 'a decision needs a reason'],
  ])('is not decided by %s', async (_, args, code, why) => {
    const end = await desk.run('resolve', ...args.map((word) => (word === 'ID' ? question.id : word)));
    expect(end).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(why) });
  });
});

test('a question is settled once, by its first letters, and what the run does next is said', async () => {
  const run = await desk.begin([{ tool: 'refund', order: 'D' }]);
  const { id } = await questionOf(run);
  const resolve = (typed: string, ...rest: readonly string[]) =>
    desk.run('resolve', typed, ...rest, '--reason', 'seen', '--run', run);
  const settled = await resolve(id.slice(0, 4), 'happened', '--result', '{"id":"re_1"}', '--by', 'ann');
  expect(settled).toMatchObject({ code: 0, stderr: '' });
  expect(settled.stdout).toMatch(
    new RegExp(`^${id} settled: happened · refund · refund:D\nThe run has ended: completed\\.\n[^]*"id":"re_1"`),
  );
  const same = await resolve(id, 'happened', '--result', '{ "id": "re_1" }');
  expect(same).toMatchObject({ code: 0, stdout: expect.stringContaining('stands already') });
  const another = await resolve(id, 'happened', '--result', '{"id":"re_2"}');
  expect(another).toMatchObject({ code: 1, stderr: expect.stringContaining('decided already') });
  const other = await resolve(id, 'reversed');
  expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('decided already. ann decided "happened"') });
  expect((await desk.run('inbox')).stdout).not.toContain(id);
});

describe('watch', () => {
  test('tells a question and waits on, and ends with the run', async () => {
    const run = await desk.begin([{ tool: 'ship', order: 'W-1' }]);
    const watching = desk.start('watch', run);
    const [, id = ''] = await watching.saw(/npx holdfast resolve (q\w+) happened/);
    await desk.rig.client
      .get(run)
      .resolveOutcome({ question: id, verdict: 'happened', result: 'T-9', by: 'ann', reason: 'seen' });
    const { code, stdout } = await watching.ended;
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /started +agent support[^]*ship +outcome unknown[^]*settled +q\w+ by ann[^]*ended +completed\n$/,
    );
  });

  test('as JSON has one event a line, from where it was left', async () => {
    const run = await desk.begin([{ tool: 'get_order', order: 'A' }]);
    await desk.rig.client.get(run).result();
    const { stdout } = await desk.run('watch', run, '--json', '--from', '2');
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { offset: number; type: string });
    expect(events.map(({ offset }) => offset)).toEqual(events.map((_, index) => index + 3));
    expect(events.at(-1)?.type).toBe('run-ended');
    expect(events.map(({ type }) => type)).toContain('piece');
    expect((await desk.run('watch', run)).stdout).not.toMatch(/[⠋⠙⠹]|\u001b/);
  });

  test('left with Ctrl-C says how to go on', async () => {
    const run = await desk.begin([{ tool: 'refund', order: 'L' }]);
    const watching = desk.start('watch', run);
    await watching.saw(/may or may not have happened/);
    watching.interrupt();
    const { code, stdout } = await watching.ended;
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`The run goes on\\. {3}npx holdfast watch ${run} --from \\d+`));
  });
});

describe('stop', () => {
  test('ends a run, once, and what it left open stays in the inbox', async () => {
    const run = await desk.begin([{ tool: 'refund', order: 'S' }]);
    const { id } = await questionOf(run);
    expect(await desk.run('stop', run, '--reason', 'wrong customer')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('The run has ended: stopped.\n  Stopped: wrong customer'),
    });
    expect((await desk.run('stop', run)).stdout).toBe(`${run} has ended already: stopped.\n`);
    expect((await desk.run('inbox')).stdout).toMatch(
      new RegExp(`${id}[^]*run {6}${run} {2}\\([^)]*closed, the ledger`),
    );
    expect((await desk.run('show', run)).stdout).toContain(`outcome unknown → ${id}`);
  });
});

test('an unknown run is met with near ones', async () => {
  const run = await desk.begin([]);
  const end = await desk.run('show', `${run}x`);
  expect(end).toMatchObject({ code: 1, stderr: expect.stringContaining(`Did you mean "${run}"`) });
});

test('a question of a run that no worker answers for is settled in the ledger, and the run finds it there', async () => {
  const alone = await openDesk({ worker: 'later' });
  try {
    const worker = await alone.rig.startWorker();
    const run = await alone.begin([{ tool: 'ship', order: 'N-1' }]);
    const { id } = await eventually('a question', async () => (await alone.rig.client.get(run).state())?.questions[0]);
    await worker.stop();
    const shown = await alone.run('show', run);
    expect(shown.stdout).toContain('No worker answers for this run.');
    expect(shown.stdout).toMatch(new RegExp(`ship +\\d+ ms +outcome unknown → ${id}`));
    const settled = await alone.run('resolve', id, 'happened', '--result', '"T-2"', '--reason', 'seen');
    expect(settled).toMatchObject({ code: 0, stdout: expect.stringMatching(/where the run\s+finds it/) });
    await alone.rig.startWorker();
    expect((await alone.rig.client.get(run).result()).text).toContain('T-2');
  } finally {
    await alone.rig.close();
  }
});

test('a run that no worker answers for keeps the wish to stop it', async () => {
  const alone = await openDesk({ worker: 'later' });
  try {
    const run = await alone.begin([{ tool: 'get_order', order: 'A' }]);
    const stopped = await alone.run('stop', run, '--reason', 'not needed');
    expect(stopped).toMatchObject({ code: 0, stdout: expect.stringContaining('it stops as soon as one is back') });
    // A wish that only waits in the server's memory would not outlive the server.
    const { events } = await alone.rig.temporal.workflow.getHandle(run).fetchHistory();
    expect(events?.some((event) => event.workflowExecutionSignaledEventAttributes)).toBe(true);
    await alone.rig.startWorker();
    expect(await alone.rig.client.get(run).result()).toMatchObject({ status: 'stopped', text: 'Stopped: not needed' });
  } finally {
    await alone.rig.close();
  }
});
