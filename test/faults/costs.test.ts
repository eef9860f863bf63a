import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { describe, expect, test } from '@jest/globals';
import type { RunCost } from '../../src/contracts/cost.ts';
import type { EventStore } from '../../src/contracts/event-store.ts';
import type { RunEvent } from '../../src/contracts/events.ts';
import type { ModelCall } from '../../src/contracts/middleware.ts';
import { costMeter } from '../../src/middleware/cost-meter.ts';
import { costReport } from '../../src/policy/cost-report.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';
import { recordRequests } from '../../src/workers/request-records.ts';
import { fakeProvider, FINISH, requestTo, textOf, USAGE, type Script } from '../middleware/model-calls.ts';

// A run's model attempts as they are recorded, beside the bill of the provider: 3 and 15 dollars a million tokens.
const PRICES = { 'm/m': { input: 3, output: 15 } };
type Part = LanguageModelV4StreamPart;

const down = new Error('socket hang up');
const busy = Object.assign(new Error('slow down'), {
  ...{ statusCode: 429, responseHeaders: {} },
  data: { error: { message: 'slow down', type: 'rate_limit_error' } },
});
const read = (tokens: number): Part => {
  const usage = { input_tokens: tokens };
  return { type: 'custom', kind: 'anthropic.message_start', providerMetadata: { anthropic: { usage } } };
};
const counted = (input: number | undefined, output: number | undefined): Part => {
  return {
    ...FINISH,
    usage: {
      inputTokens: { ...USAGE.inputTokens, total: input },
      outputTokens: { ...USAGE.outputTokens, total: output },
    },
  } as Part;
};
/** Forty tokens at three characters each. */
const FORTY = Array.from({ length: 40 }, () => textOf('wor'));

interface Try {
  readonly error?: Error;
  readonly script?: Script;
  /** The reader goes away after so many parts. */
  readonly leavesAfter?: number;
}

/** Makes attempts of one call, one after the other, and tells what they cost. */
async function costOf(tries: readonly Try[], corrections: readonly RunEvent[] = []): Promise<RunCost> {
  const events: RunEvent[] = [{ type: 'run-started', at: 0, agent: 'a', input: '' }];
  const append = async (_run: string, more: readonly RunEvent[]) => events.push(...more);
  const store = { append } as unknown as EventStore;
  const meter = costMeter(
    recordRequests({
      events: store,
      now: () => 1,
      ends: { write: async (run, event) => void store.append(run, [event]) },
    }),
  );
  for (const [at, one] of tries.entries()) {
    const clock = createVirtualClock();
    const attempt = at + 1;
    const named = { call: 't1', turn: 1, attempt, kind: 'model', name: 'm/m' } as const;
    await append('r', [{ type: 'attempt-started', at, ...named }]);
    const call = meter(fakeProvider(clock, { m: one }).call);
    const isWhole = await clock.run(wasWhole(call, attempt, one.leavesAfter));
    await append('r', [{ type: 'attempt-ended', at, ...named, outcome: isWhole ? 'success' : 'failure' }]);
  }
  return costReport({ run: 'r', events: [...events, ...corrections], prices: PRICES, now: 9 });
}

async function wasWhole(call: ModelCall, attempt: number, leavesAfter = Infinity): Promise<boolean> {
  const caller = { run: 'r', task: 't', agent: 'a', turn: 1, attempt };
  let [parts, isWhole] = [0, false];
  try {
    const { stream } = await call(requestTo('m', { caller }));
    for await (const part of stream) {
      if (++parts >= leavesAfter) break;
      if (part.type === 'finish') isWhole = true;
    }
  } catch {
    return false;
  }
  return isWhole;
}

describe('the bill', () => {
  test('has a stream that failed in mid-flight, with its input as counted (E1)', async () => {
    const { spend, answer } = await costOf([{ script: [read(12_000), ...FORTY, down] }]);
    expect(spend).toMatchObject({ micros: 12_000 * 3 + 40 * 15, estimated: 1, unknown: 0, inputTokens: 12_000 });
    expect(answer).toMatchObject({ micros: 0, requests: 0 });
  });

  test('has a stream that was cancelled: not 0, and marked (E2)', async () => {
    const { spend } = await costOf([{ script: [read(12_000), ...FORTY], leavesAfter: 11 }]);
    expect(spend).toMatchObject({ micros: 12_000 * 3 + 10 * 15, estimated: 1, estimatedMicros: 36_150 });
  });

  test('has all of three cut streams and the whole one after them (E3)', async () => {
    const cut = { script: [read(1_000), textOf('wor')] };
    const { spend, answer } = await costOf([cut, cut, cut, { script: [textOf('wor'), counted(1_000, 1)] }]);
    expect(spend).toMatchObject({ micros: 4 * 3_015, requests: 4, estimated: 3 });
    expect(answer).toMatchObject({ micros: 3_015, requests: 1, estimated: 0 });
  });

  test('does not add up counters that are cumulative (E4)', async () => {
    const counts = Array.from({ length: 340 }, (_, at) => read((at + 1) * 420));
    const { spend } = await costOf([{ script: [...counts, counted(142_800, 10)] }]);
    expect(spend).toMatchObject({ micros: 142_800 * 3 + 150, inputTokens: 142_800, estimated: 0 });
  });

  test('has nothing for requests that were refused (E5)', async () => {
    const refused = { error: busy };
    const { spend } = await costOf([refused, refused, refused, refused, { script: [textOf('wor'), counted(10, 1)] }]);
    expect(spend).toMatchObject({ micros: 45, requests: 5, estimated: 0, unknown: 0 });
  });

  test('has an estimate where no usage came at all, and says why; never 0 (E6)', async () => {
    const { spend, turns } = await costOf([{ script: [...FORTY, counted(undefined, undefined)] }]);
    // The question has five characters.
    expect(spend).toMatchObject({ micros: 2 * 3 + 40 * 15, estimated: 1, inputTokens: 0 });
    expect(turns[0]?.calls[0]?.attempts[0]?.requests[0]).toMatchObject({
      usage: { inputTokens: null, outputTokens: null },
      cost: { is: 'estimate', how: 'input by characters, 3 a token, output by characters, 3 a token' },
    });
  });

  test('does not double at each retry (E7)', async () => {
    const failing = { script: [read(24_536), down] };
    const { spend } = await costOf([failing, failing, failing, failing, failing, { script: [counted(24_536, 0)] }]);
    expect(spend).toMatchObject({ inputTokens: 6 * 24_536, micros: 6 * 24_536 * 3, requests: 6 });
  });
});
