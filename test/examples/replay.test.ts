import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { RECORDED_RUN, recordRun } from '../../examples/replay/record.ts';
import { readReplayOptions } from '../../examples/replay/replay-options.ts';
import { storyLines } from '../../examples/replay/story-lines.ts';
import { traceLines } from '../../examples/replay/trace-lines.ts';
import { traceOf } from '../../src/policy/trace-of.ts';
import { readRecording, type Recording, type SpanRecord } from '../../src/testing/index.ts';
import { answered, ended, modelAttempt, OVERLOAD, started, toolAttempt } from '../policy/run-events.ts';

const REPLAY = fileURLToPath(new URL('../../examples/replay/replay.ts', import.meta.url));

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command with a Temporal environment that leads nowhere: it must not be followed. */
function replay(...args: readonly string[]): Promise<Ran> {
  const env = { ...process.env, TEMPORAL_ADDRESS: '192.0.2.1:7233', TEMPORAL_NAMESPACE: 'not-mine' };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [REPLAY, ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
    child.stdin?.end();
  });
}

const lastJson = (text: string) => JSON.parse(text.trim().split('\n').at(-1) ?? '') as Record<string, unknown>;

describe('npm run replay', () => {
  it('plays the recorded run through its faults, and shows both attempts in its trace and its log', async () => {
    const { code, stdout, stderr } = await replay('--faults', '503,429:1', '--trace', '--log', '--json');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^invoke_agent support +\S+ \w+\n {2}chat stand-in +\S+ \w+ {3}35 → 25 tokens\n/);
    expect(stdout).toMatch(/\n {4}attempt 1 · failed 503 overloaded +\S+ ms\n/);
    expect(stdout).toMatch(/\n {4}attempt 2 · failed 429 rate_limited +\S+ ms {3}waited \S+ m?s\n/);
    expect(stdout).toMatch(/\n {4}attempt 3 · ok +\S+ m?s {3}waited 1(\.\d)? s\n/);
    expect(stdout).toMatch(/\n {2}execute_tool refund +\S+ m?s\n {4}attempt 1 · ok/);
    const { status, requests, spans } = lastJson(stdout) as { status: string; requests: object[]; spans: SpanRecord[] };
    expect(status).toBe('completed');
    expect(requests.map((request) => (request as { fault: string | null }).fault)).toEqual([
      ...['status', 'status'],
      ...[null, null, null],
    ]);
    const lines = stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const failed = lines.filter((line) => line['event.name'] === 'holdfast.attempt.failed');
    expect(failed).toHaveLength(2);
    expect(failed[1]).toMatchObject({
      severity: 'WARN',
      'gen_ai.agent.name': 'support',
      'holdfast.call.id': 't1',
      'holdfast.attempt.number': 2,
      'error.type': 'rate_limited',
      will_retry: true,
      max_attempts: 5,
    });
    // A line leads to the span it is about.
    const ids = spans.map(({ name, context }) => [context.traceId, context.spanId, name]);
    for (const line of failed) expect(ids).toContainEqual([line['trace_id'], line['span_id'], 'attempt chat']);
    expect(lines.map((line) => line['event.name'])).toContain('holdfast.run.finished');
    expect(stderr + stdout).not.toContain('taskToken');
  }, 120_000);

  it('ends with 1 when the run did not complete', async () => {
    const { code, stdout, stderr } = await replay('--faults', '401');
    expect([code, stderr]).toEqual([1, expect.stringContaining('starting the Temporal server')]);
    expect(stdout).toContain('failed 401 auth');
    expect(stdout).toContain('1 request to the model, 1 spoiled');
  }, 120_000);
});

test('the recording that comes along is that of the agent beside it', async () => {
  const timeless = ({ replies, toolReplies, ...rest }: Recording) => ({
    ...rest,
    replies: replies.map((reply) => ({ ...reply, parts: reply.parts.map(({ part }) => part) })),
    toolReplies: toolReplies.map((reply) => ({ ...reply, tookMs: 0 })),
  });
  const kept = readRecording(JSON.parse(readFileSync(RECORDED_RUN, 'utf8')), RECORDED_RUN);
  const anew = JSON.parse(JSON.stringify(await recordRun(() => undefined))) as Recording;
  expect(timeless(anew)).toEqual(timeless(kept));
}, 120_000);

describe('the options', () => {
  it.each([
    ['503', [{ is: 'status', status: 503, request: 1 }]],
    [
      '429:2, none ,drop',
      [
        { is: 'status', status: 429, headers: { 'retry-after': '2' }, request: 1 },
        { is: 'drop', request: 3 },
      ],
    ],
    [
      'reset:10,delay,trickle:5,stream-error,hang',
      [
        { is: 'reset', afterBytes: 10, request: 1 },
        { is: 'delay', ms: 500, request: 2 },
        { is: 'trickle', everyMs: 5, request: 3 },
        { is: 'stream-error', request: 4 },
        { is: 'hang', request: 5 },
      ],
    ],
    ['', []],
  ])('read the faults %j', (list, faults) => {
    expect(readReplayOptions(['--faults', list])).toMatchObject({ faults, trace: false, log: false });
  });

  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'holdfast-replay-test-'));
    writeFileSync(join(folder, 'no.json'), '{ "format": 1 }');
    writeFileSync(join(folder, 'torn.json'), '{ "format": ');
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each([
    [['--faults', '503,maybe'], '"maybe" is no fault'],
    [['--faults', 'dorp'], 'Did you mean "drop"?'],
    [['--faults', '200'], '"200" is no fault'],
    [['--fault', '503'], 'there is no option --fault. Did you mean "--faults"?'],
    [['503'], '503'],
    [['--recording', '/nowhere/run.json'], 'cannot read the recording /nowhere/run.json'],
    [['--recording', 'FOLDER/no.json'], 'its format is 1, and "holdfast-recording/1" is wanted'],
    [['--recording', 'FOLDER/torn.json'], 'it is not JSON'],
  ])('refuse %j and say why', (words, message) => {
    const read = readReplayOptions(words.map((word) => word.replace('FOLDER', folder)));
    expect(read).toMatchObject({ exitCode: 2, help: expect.stringContaining(message) });
  });

  it('are explained when asked', () => {
    expect(readReplayOptions(['--help'])).toMatchObject({
      exitCode: 0,
      help: expect.stringContaining('--faults LIST'),
    });
  });
});

describe('the screens', () => {
  const plainly = (text: string) => text;
  const screen = { width: 80, paint: { dim: plainly, red: plainly, bold: plainly } };
  const spans = traceOf('r', [
    started(0),
    ...modelAttempt(1, [10, 40], { outcome: 'failure', failure: OVERLOAD, nextWaitMs: 800 }),
    ...modelAttempt(2, [850, 2_100], { outcome: 'success' }),
    ...toolAttempt(1, [2_120, 2_160], undefined),
    ...toolAttempt(2, [2_400, 2_450], { outcome: 'success' }),
    answered(2_460, 'ok'),
    ended(2_500),
  ]);

  it('show a trace as a tree, with every attempt and the waits between', () => {
    expect(traceLines(spans, screen)).toBe(
      [
        'invoke_agent support                              2.5 s',
        '  chat stand-in                                   2.1 s   35 → 25 tokens',
        '    attempt 1 · failed 503 overloaded             30 ms',
        '    attempt 2 · ok                                1.3 s   waited 810 ms',
        '  execute_tool refund                            340 ms',
        '    attempt 1 · outcome unknown worker_lost      280 ms',
        '    attempt 2 · ok                                50 ms',
        '',
        'time: model 1.3 s · tools 330 ms · waiting 810 ms',
      ].join('\n'),
    );
  });

  it('keep to the width they have', () => {
    const long = spans.map((span) => ({
      ...span,
      name: span.name.replace('refund', 'a_tool_with_a_very_long_name_of_its_own'),
    }));
    for (const line of traceLines(long, screen).split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('tell the story a line a call', () => {
    const end = { status: 'completed', text: 'Done.', requests: 2, spoiled: 1 };
    expect(storyLines(spans, end, screen)).toBe(
      [
        'Agent support, replayed as a real run',
        '  chat stand-in                    2.1 s   failed 503 overloaded, waited 810 ms…',
        '  execute_tool refund             340 ms   outcome unknown worker_lost, ok',
        'completed: Done.',
        '2 requests to the model, 1 spoiled',
      ].join('\n'),
    );
  });
});
