import { expect, test } from '@jest/globals';
import { workerLogLine } from '../../src/cli/screens/worker-log-line.ts';
import { logEvents } from '../../src/workers/log-events.ts';
import { rememberRuns, runIdentity } from '../../src/workers/run-identity.ts';
import { logTo } from '../../src/workers/tool-log.ts';
import { jsonLogger } from '../../src/testing/index.ts';
import { plainScreen } from '../cli/plain-screen.ts';
import { ended, OVERLOAD, started, toolAttempt } from '../policy/run-events.ts';
import type { EventStore } from '../../src/contracts/event-store.ts';
import type { RunEvent } from '../../src/contracts/events.ts';

function openLog() {
  const lines: Record<string, unknown>[] = [];
  const logger = jsonLogger((line) => void lines.push(JSON.parse(line) as Record<string, unknown>));
  return { logger, lines };
}

const identity = { run: 'r', execution: 'e', task: 't', agent: 'support' };

test('an attempt of a model is logged with the fields by which it is found, and what follows', async () => {
  const { logger, lines } = openLog();
  const { callModel } = rememberRuns({
    callModel: async (request: typeof identity) => {
      await Promise.resolve();
      const about = { run: request.run, turn: 1, attempt: 2 };
      logTo(logger, about).warn('overloaded', { reason: 'overload', delayMs: 500, maxAttempts: 5 });
    },
  });
  await callModel(identity);
  expect(lines).toEqual([
    {
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      severity: 'WARN',
      'event.name': 'holdfast.attempt.failed',
      body: 'overloaded',
      'service.name': 'holdfast-worker',
      'holdfast.run.id': 'r',
      'temporal.workflow.run_id': 'e',
      'gen_ai.agent.name': 'support',
      'holdfast.call.id': 't1',
      'holdfast.attempt.number': 2,
      reason: 'overload',
      'error.type': 'overloaded',
      will_retry: true,
      next_delay_ms: 500,
      max_attempts: 5,
      trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      span_id: expect.stringMatching(/^[0-9a-f]{16}$/),
    },
  ]);
});

test('what a tool says stays in its own words', () => {
  const { logger, lines } = openLog();
  logTo(logger, { run: 'r', call: 't1c0', tool: 'refund', attempt: 1 }).info('asked the bank', {
    reason: 'mine',
    delayMs: 3,
  });
  expect(lines[0]).toMatchObject({ body: 'asked the bank', reason: 'mine', 'gen_ai.tool.name': 'refund' });
  expect(lines[0]).not.toHaveProperty(['error.type']);
  expect(lines[0]).not.toHaveProperty(['will_retry']);
});

test('two activities at once do not take each other for themselves', async () => {
  const { look } = rememberRuns({
    look: async (request: { readonly run: string }) => {
      await new Promise((resolve) => setImmediate(resolve));
      return [request.run, runIdentity().run];
    },
  });
  expect(await Promise.all([look({ run: 'a' }), look({ run: 'b' })])).toEqual([
    ['a', 'a'],
    ['b', 'b'],
  ]);
  expect(runIdentity()).toEqual({});
});

test('an event is logged once it is on record, and one that could not be written is not', async () => {
  const { logger, lines } = openLog();
  let isAway = false;
  const store = { append: () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve(1)) };
  const events = logEvents(store as unknown as EventStore, logger);
  const begun: RunEvent = { type: 'run-started', at: 1, agent: 'support', input: '"secret words"' };
  expect(await events.append('r', [begun, { type: 'question-raised', at: 2, question: 'q', call: 't1c0' }])).toBe(1);
  isAway = true;
  await expect(events.append('r', [begun])).rejects.toThrow('away');
  expect(lines.map((line) => [line['event.name'], line['gen_ai.agent.name']])).toEqual([
    ['holdfast.run.started', 'support'],
    ['holdfast.human.requested', 'support'],
  ]);
  expect(JSON.stringify(lines)).not.toContain('secret words');
});

test("Temporal's lines have the standard names, without its token, and do not repeat what an attempt has told", () => {
  const { logger, lines } = openLog();
  const meta = { workflowId: 'r', activityType: 'callTool', taskToken: 'abc', error: new Error('broken') };
  logger.warn('Activity failed', meta);
  logger.warn('Activity failed', { ...meta, error: Object.assign(new Error('503'), { details: [{ hf: 1 }] }) });
  logger.debug('nothing');
  expect(lines).toEqual([
    {
      ...{ timestamp: expect.anything(), severity: 'WARN', body: 'Activity failed', 'service.name': 'holdfast-worker' },
      ...{ 'holdfast.run.id': 'r', 'temporal.activity.type': 'callTool' },
      ...{ 'exception.type': 'Error', 'exception.message': 'broken' },
    },
  ]);
});

test('people at a terminal are not told of what they see elsewhere', async () => {
  const told: (string | undefined)[] = [];
  const shown =
    (level: 'INFO' | 'WARN') =>
    (message: string, meta: Readonly<Record<string, unknown>> = {}) => {
      told.push(workerLogLine({ level, message, meta }, false, plainScreen()));
    };
  const logger = { info: shown('INFO'), warn: shown('WARN') } as unknown as Parameters<typeof logEvents>[1];
  const events = logEvents({ append: () => Promise.resolve(1) } as unknown as EventStore, logger);
  await events.append('r', [
    started(0),
    ...toolAttempt(1, [1, 2], { outcome: 'failure', failure: OVERLOAD }),
    ended(9),
  ]);
  expect(told).toEqual([undefined, undefined, undefined]);
});
