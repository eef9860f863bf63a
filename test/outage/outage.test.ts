import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { BREAKER_RULE } from '../../src/policy/circuit-breaker.ts';
import { playOutage, type OutageReport, type OutageStory } from './play-outage.ts';

const AGENTS = 50;
const DOWN_FROM = 300_000;
const WINDOW_MS = 10_000;

const story = (seed: number, outageMs: number, changes: Partial<OutageStory> = {}): OutageStory => ({
  seed,
  agents: AGENTS,
  answerMs: 1_000,
  thinkMs: 2_000,
  refusalMs: 50,
  downFrom: DOWN_FROM,
  downUntil: DOWN_FROM + outageMs,
  until: DOWN_FROM + outageMs + 300_000,
  ...changes,
});

const sentIn = ({ sent }: OutageReport, from: number, until: number) =>
  sent.filter((at) => at >= from && at < until).length;

/** The most requests in any ten seconds after the outage, against the mean of ten seconds before it. */
function spikeOf(report: OutageReport, { downFrom, downUntil }: OutageStory): number {
  const calm = downFrom - 50_000 - WINDOW_MS;
  const normal = (sentIn(report, 50_000, 50_000 + calm) / calm) * WINDOW_MS;
  const starts = Array.from({ length: 200 }, (_, n) => downUntil - 5_000 + n * 1_000);
  return Math.max(...starts.map((at) => sentIn(report, at, at + WINDOW_MS))) / normal;
}

const stories = fc.record({
  seed: fc.integer(),
  outageMs: fc.constantFrom(60_000, 600_000, 1_800_000),
  answerMs: fc.integer({ min: 500, max: 10_000 }),
  // Agents that wait for the model at least half of their time.
  thinkShare: fc.double({ min: 0, max: 1, noNaN: true }),
});

describe('an outage that meets 50 agents', () => {
  test('costs, beyond those in flight, no more requests than five and a probe every 20 s; nobody is left; nobody fails; no rush at its end', () => {
    fc.assert(
      fc.property(stories, ({ seed, outageMs, answerMs, thinkShare }) => {
        const told = story(seed, outageMs, { answerMs, thinkMs: answerMs * thinkShare });
        const report = playOutage(told);
        const met = sentIn(report, told.downFrom, told.downUntil);
        expect(met).toBeLessThanOrEqual(5 + Math.ceil(outageMs / BREAKER_RULE.pauseMs));
        expect(report.failedCalls).toBe(0);
        expect(report.through.size).toBe(AGENTS);
        expect(spikeOf(report, told)).toBeLessThan(1.5);
        const soonest = [...report.through.values()].sort((a, b) => a - b);
        expect(soonest[Math.ceil(0.95 * AGENTS) - 1]! - told.downUntil).toBeLessThan(120_000);
      }),
      { numRuns: 60 },
    );
  });

  test('has one probe at a time, 20 s apart at least', () => {
    const { probes } = playOutage(story(7, 1_800_000));
    expect(probes.length).toBeGreaterThan(50);
    const gaps = probes.slice(1).map((at, n) => at - probes[n]!);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(BREAKER_RULE.pauseMs);
  });

  test('leaves nobody behind when every second probe, and every second call that leaves a park, is never heard of again', () => {
    for (let seed = 1; seed <= 10; seed++) {
      const isLost: OutageStory['isLost'] = ({ role, id }) => role !== 'ordinary' && id % 2 === 0;
      const report = playOutage(story(seed, 600_000, { isLost, until: DOWN_FROM + 2_400_000 }));
      expect(report.through.size).toBe(AGENTS);
      expect(report.failedCalls).toBe(0);
    }
  });

  test('that answers late costs each agent no more than the request it was about to make', () => {
    for (let seed = 1; seed <= 10; seed++) {
      const told = story(seed, 600_000, { refusalMs: 10_000 });
      const report = playOutage(told);
      const probes = Math.ceil(600_000 / BREAKER_RULE.pauseMs);
      expect(report.inFlightAtOnset + sentIn(report, told.downFrom, told.downUntil)).toBeLessThanOrEqual(
        AGENTS + 5 + 5 + probes,
      );
      expect(report.through.size).toBe(AGENTS);
      expect(report.failedCalls).toBe(0);
    }
  });

  test('of agents that are mostly busy elsewhere ends in a wave, though a bounded one', () => {
    const told = story(3, 600_000, { answerMs: 5_000, thinkMs: 20_000 });
    const spike = spikeOf(playOutage(told), told);
    expect(spike).toBeGreaterThan(1);
    expect(spike).toBeLessThan(2.5);
  });
});
