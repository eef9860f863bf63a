import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { RunHandle } from '../../src/client/run-handle.ts';
import type { RunEvent } from '../../src/contracts/events.ts';
import { BREAKER_RULE } from '../../src/policy/circuit-breaker.ts';
import { defineTool } from '../../src/policy/define-tool.ts';
import { RETRY_BUDGET } from '../../src/policy/spend-retries.ts';
import { seededDice } from '../../src/testing/seeded-dice.ts';
import { eventually } from '../support/eventually.ts';
import { openRig } from '../support/rig.ts';
import { startOutageServer, type OutageServer } from './outage-server.ts';

export interface OutagePlan {
  readonly agents: number;
  /** How long the provider is down, before it is scaled. */
  readonly minutes: number;
  /** How many times faster than life. The breaker's pause and spread are scaled alike. */
  readonly scale: number;
}

export interface OutageFigures extends OutagePlan {
  readonly runs: number;
  readonly failed: number;
  /** `before`: in a window of the time before. `inFlight`: being answered when it went down. */
  readonly requests: {
    readonly before: number;
    readonly inFlight: number;
    readonly in: number;
    readonly after: number;
  };
  /** Requests of the outage that came later than the first pause. */
  readonly probes: number;
  /** The most requests of a window after it, against `requests.before`. */
  readonly spike: number;
  /** Of the run that repeated most. */
  readonly retries: number;
  readonly retryMs: number;
  /** Requests for each answer that was given, over the whole of it. */
  readonly amplification: number;
  /** From its end until the last run had an answer, before scaling back. */
  readonly backMs: number;
  readonly broken: readonly string[];
}

const WINDOW_MS = 10_000;
const CALM_WINDOWS = 3;
/** Turns of a second that one worker and one server on a small machine carry easily. */
const TURNS_PER_SECOND = 18;

const look = defineTool({
  name: 'look',
  description: 'Looks something up.',
  input: z.object({ n: z.number() }),
  readOnly: true,
  timeout: '5s',
  execute: () => Promise.resolve('ok'),
});

/** Real runs on one worker and the real server, whose model goes down for a while, over the wire. */
export async function meetOutage(plan: OutagePlan): Promise<OutageFigures> {
  const { agents, scale } = plan;
  const over = { is: false };
  // An agent waits for its model most of its time, and in a window each of them asks about once.
  const windowMs = Math.max(WINDOW_MS / scale, (agents / TURNS_PER_SECOND) * 1_000);
  const server = await startOutageServer({
    decide: ({ turn }) => (over.is ? { text: 'done' } : { calls: [{ tool: 'look', input: { n: turn } }] }),
    answerMs: 0.8 * windowMs,
    refusalMs: 5,
    dice: seededDice(agents),
  });
  const { pauseMs, spreadMs } = BREAKER_RULE;
  const breaker = { pause: Math.ceil(pauseMs / scale), spread: Math.ceil(spreadMs / scale) };
  const providers = { compatible: { baseURL: server.url, apiKey: 'k' } };
  const rig = await openRig({ model: 'compatible/m', tools: [look] }, { config: { providers, breaker } });
  try {
    const runs: RunHandle[] = [];
    for (let n = 0; n < agents; n++) {
      runs.push(await rig.client.start({ agent: 'tester', input: `agent ${n}` }));
      await sleep(windowMs / agents);
    }
    await sleep((CALM_WINDOWS + 0.5) * windowMs);
    const outage = await goThrough(server, (plan.minutes * 60_000) / scale);
    const answered = async () =>
      (await Promise.all(runs.map((run) => hasAnswerSince(run, outage.until)))).every(Boolean);
    await eventually('every run to have an answer', answered, 120_000);
    const backMs = Date.now() - outage.until;
    await sleep(2 * windowMs);
    const end = Date.now();
    over.is = true;
    const results = await Promise.all(runs.map((run) => run.result()));
    const failed = results.filter(({ status }) => status !== 'completed').length;
    const events = await Promise.all(runs.map((run) => run.events()));
    const counted = count(server.arrivals, { ...outage, end }, { windowMs, pauseMs: breaker.pause });
    const worst = { retries: Math.max(...events.map(retriesOf)), retryMs: Math.max(...events.map(retryMsOf)) };
    const answers = events.flat().filter((event) => event.type === 'request-ended' && event.outcome === 'whole').length;
    const amplification = round(server.arrivals.length / answers);
    const figures = { ...plan, runs: runs.length, failed, ...counted, ...worst, amplification, backMs };
    return { ...figures, broken: brokenBounds(figures, breaker.pause, answers) };
  } finally {
    await rig.close();
    await server.close();
  }
}

interface Outage {
  readonly from: number;
  readonly until: number;
  readonly inFlight: number;
}

async function goThrough(server: OutageServer, outageMs: number): Promise<Outage> {
  const inFlight = server.inFlight();
  const from = Date.now();
  server.goDown();
  await sleep(outageMs);
  server.comeBack();
  return { from, until: Date.now(), inFlight };
}

async function hasAnswerSince(run: RunHandle, since: number): Promise<boolean> {
  return (await run.events()).some(({ type, at, ...end }) => type === 'request-ended' && at > since && isWhole(end));
}

const isWhole = (end: object): boolean => 'outcome' in end && end.outcome === 'whole';

function count(
  arrivals: readonly number[],
  { from, until, end, inFlight }: Outage & { readonly end: number },
  { windowMs, pauseMs }: { readonly windowMs: number; readonly pauseMs: number },
): Pick<OutageFigures, 'requests' | 'probes' | 'spike'> {
  const within = (since: number, to: number) => arrivals.filter((at) => at >= since && at < to).length;
  const before = within(from - CALM_WINDOWS * windowMs, from) / CALM_WINDOWS;
  const steps = Math.floor((end - until) / (windowMs / 10)) - 5;
  const windows = Array.from({ length: steps }, (_, n) => until - windowMs / 2 + (n * windowMs) / 10);
  const peak = Math.max(...windows.map((at) => within(at, at + windowMs)));
  return {
    requests: { before: round(before), inFlight, in: within(from, until), after: within(until, end) },
    probes: within(from + 0.9 * pauseMs, until),
    spike: round(peak / before),
  };
}

const round = (value: number): number => Math.round(value * 1_000) / 1_000;

const retriesOf = (events: readonly RunEvent[]): number =>
  events.filter((event) => event.type === 'request-sent' && event.reason === 'retry').length;

/** The repeated requests' own time, and our waits before them. */
function retryMsOf(events: readonly RunEvent[]): number {
  let [ms, sentAt, isRetry] = [0, 0, false];
  for (const event of events) {
    if (event.type === 'request-sent') [sentAt, isRetry] = [event.at, event.reason === 'retry'];
    if (event.type === 'request-ended' && isRetry) ms += event.at - sentAt;
    if (event.type !== 'attempt-ended' || event.kind !== 'model' || event.outcome !== 'failure') continue;
    if (event.failure?.waitMs === undefined) ms += event.nextWaitMs ?? 0;
  }
  return ms;
}

type Figures = Omit<OutageFigures, 'broken'>;

/** What was promised and did not hold, in words. */
function brokenBounds(figures: Figures, pauseMs: number, answers: number): readonly string[] {
  const { failed, requests, probes, spike, retries, retryMs, amplification, minutes, scale } = figures;
  const mostProbes = Math.ceil((minutes * 60_000) / scale / pauseMs);
  const most = requests.inFlight + 5 + mostProbes;
  const bounds: readonly (readonly [boolean, string])[] = [
    [failed === 0, `${failed} runs failed`],
    [requests.in <= most, `${requests.in} requests in the outage, and ${most} are allowed`],
    [probes <= mostProbes, `${probes} probes in the outage, and ${mostProbes} are allowed`],
    [spike <= 1.5, `a spike of ${spike} times the normal after it, and 1.5 is allowed`],
    [retries <= RETRY_BUDGET.retries, `a run with ${retries} retries, and ${RETRY_BUDGET.retries} are allowed`],
    [retryMs <= RETRY_BUDGET.ms, `a run that repeated for ${retryMs} ms, and ${RETRY_BUDGET.ms} are allowed`],
    [
      amplification * answers <= 1.1 * answers + most,
      `${amplification} requests for each answer: more than 1.1 and the ${most} of the outage`,
    ],
  ];
  return bounds.flatMap(([holds, what]) => (holds ? [] : [what]));
}
