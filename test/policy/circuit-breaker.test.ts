import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { AttemptReport, Ticket } from '../../src/contracts/shared-limits.ts';
import {
  BREAKER_RULE,
  closedCircuit,
  noteReport,
  passCircuit,
  type Circuit,
} from '../../src/policy/circuit-breaker.ts';

const { pauseMs, graceMs } = BREAKER_RULE;
const TIMEOUT_MS = 10_000;

/** Drives one circuit, and knows who is under way. */
function drive(now = 0) {
  let circuit: Circuit = closedCircuit();
  let next = 1;
  const bench = {
    now,
    circuit: () => circuit,
    ask(isAfterPark = false) {
      const passage = passCircuit(circuit, { id: next++, isAfterPark, timeoutMs: TIMEOUT_MS }, bench.now);
      if (passage.is === 'admitted') circuit = passage.circuit;
      return passage;
    },
    enter(isAfterPark = false): Ticket {
      const passage = bench.ask(isAfterPark);
      if (passage.is === 'refused') throw new Error(`refused: ${passage.why}`);
      return passage.ticket;
    },
    report(ticket: Ticket, report: AttemptReport) {
      circuit = noteReport(circuit, ticket, report, bench.now);
    },
    open() {
      for (let failure = 0; failure < 5; failure++) bench.report(bench.enter(), 'failure');
      expect(circuit.is).toBe('open');
    },
  };
  return bench;
}

describe('the circuit breaker', () => {
  test('opens at the fifth failure in a row, and a success in between starts the count again', () => {
    const bench = drive();
    for (let failure = 0; failure < 4; failure++) bench.report(bench.enter(), 'failure');
    bench.report(bench.enter(), 'success');
    for (let failure = 0; failure < 4; failure++) bench.report(bench.enter(), 'failure');
    expect(bench.circuit().is).toBe('closed');
    bench.report(bench.enter(), 'failure');
    expect(bench.circuit().is).toBe('open');
  });

  test.each([false, true])(
    'an answer that begins and then breaks off does not start the count again, parked: %p',
    (isAfterPark) => {
      const bench = drive();
      for (let cut = 0; cut < 5; cut++) {
        const ticket = bench.enter(isAfterPark);
        bench.report(ticket, 'answering');
        bench.report(ticket, 'failure');
      }
      expect(bench.circuit().is).toBe('open');
    },
  );

  test('while open it says when a probe may go; then exactly one goes', () => {
    const bench = drive();
    bench.open();
    bench.now += 5_000;
    expect(bench.ask()).toEqual({ is: 'refused', why: 'open', waitMs: 15_000 });
    bench.now += 15_000;
    expect(bench.enter().role).toBe('probe');
    expect(bench.ask(true)).toMatchObject({ is: 'refused', why: 'probing' });
    expect(bench.ask()).toMatchObject({ is: 'refused', why: 'probing' });
  });

  test.each(['answering', 'success'] as const)('one probe that reports %s closes it', (report) => {
    const bench = drive();
    bench.open();
    bench.now += pauseMs;
    bench.report(bench.enter(), report);
    expect(bench.circuit()).toEqual({ is: 'closed', epoch: 1, failures: 0, successes: 0, returning: [] });
  });

  test('a probe that fails opens it for another pause', () => {
    const bench = drive();
    bench.open();
    bench.now += pauseMs;
    bench.report(bench.enter(), 'failure');
    expect(bench.ask()).toEqual({ is: 'refused', why: 'open', waitMs: pauseMs });
  });

  test('a probe that learnt nothing lets the next probe at once', () => {
    const bench = drive();
    bench.open();
    bench.now += pauseMs;
    bench.report(bench.enter(), 'neutral');
    expect(bench.enter().role).toBe('probe');
  });

  test('a probe that never reports is lost after its own time, and what it says later counts no more', () => {
    const bench = drive();
    bench.open();
    bench.now += pauseMs;
    const lost = bench.enter();
    bench.now += TIMEOUT_MS + graceMs - 1;
    expect(bench.ask()).toMatchObject({ is: 'refused', why: 'probing' });
    bench.now += 1;
    const probe = bench.enter();
    expect(probe.role).toBe('probe');
    bench.report(lost, 'failure');
    expect(bench.circuit().is).toBe('probing');
    bench.report(probe, 'success');
    expect(bench.circuit().is).toBe('closed');
  });

  test('what was admitted before the opening says nothing about what came after', () => {
    const bench = drive();
    const before = bench.enter();
    bench.open();
    bench.report(before, 'success');
    expect(bench.circuit().is).toBe('open');
    bench.now += pauseMs;
    bench.report(bench.enter(), 'success');
    for (let failure = 0; failure < 4; failure++) bench.report(bench.enter(), 'failure');
    bench.report(before, 'failure');
    expect(bench.circuit().is).toBe('closed');
  });

  test('after closing, parked calls come in no more at a time than have succeeded since, plus one; others pass', () => {
    const bench = drive();
    bench.open();
    bench.now += pauseMs;
    bench.report(bench.enter(), 'success');
    const first = bench.enter(true);
    expect(bench.ask(true)).toMatchObject({ is: 'refused', why: 'ramp' });
    bench.enter();
    // It counts once it answers, keeps its place until it ends, and does not count again then.
    bench.report(first, 'answering');
    const second = bench.enter(true);
    expect(bench.ask(true)).toMatchObject({ is: 'refused', why: 'ramp' });
    bench.report(first, 'success');
    bench.enter(true);
    expect(bench.ask(true)).toMatchObject({ is: 'refused', why: 'ramp' });
    bench.report(second, 'failure');
    bench.enter(true);
    expect(bench.ask(true)).toMatchObject({ is: 'refused', why: 'ramp' });
    bench.report(bench.enter(), 'success');
    bench.enter(true);
    expect(bench.ask(true)).toMatchObject({ is: 'refused', why: 'ramp' });
  });

  test('a parked call that never reports holds its place no longer than its own time', () => {
    const bench = drive();
    bench.enter(true);
    expect(bench.ask(true)).toMatchObject({ is: 'refused', why: 'ramp' });
    bench.now += TIMEOUT_MS + graceMs;
    expect(bench.ask(true).is).toBe('admitted');
  });
});

// A plain second account of the same rules, kept in other terms: a list of everybody under way.
const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('ask' as const), parked: fc.boolean() }) },
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant('report' as const),
        which: fc.nat(),
        report: fc.constantFrom<AttemptReport>(
          'answering',
          'success',
          ...Array<'failure'>(8).fill('failure'),
          'neutral',
        ),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('lose' as const), which: fc.nat() }) },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1, 500, 7_000, 20_000) }),
    },
  ),
  { minLength: 40, maxLength: 150 },
);

describe('whatever happens, in whatever order', () => {
  test('no two probes are in flight within their own time, and no ramp is wider than its successes plus one', () => {
    const seen = { probes: 0, lostProbes: 0, closings: 0, ramps: 0 };
    fc.assert(
      fc.property(steps, (script) => {
        const bench = drive();
        let live: { ticket: Ticket; at: number }[] = [];
        let successes = 0;
        for (const step of script) {
          live = live.filter(({ at }) => bench.now < at + TIMEOUT_MS + graceMs);
          const before = bench.circuit();
          if (step.do === 'wait') bench.now += step.ms;
          if (step.do === 'ask') {
            const passage = bench.ask(step.parked);
            if (passage.is === 'admitted') live.push({ ticket: passage.ticket, at: bench.now });
            if (passage.is === 'refused' && passage.why === 'ramp') seen.ramps += 1;
            if (passage.is === 'admitted' && passage.ticket.role === 'probe') {
              seen.probes += 1;
              if (before.is === 'probing') seen.lostProbes += 1;
            }
          }
          const chosen = step.do === 'report' || step.do === 'lose' ? live[step.which % live.length] : undefined;
          if (chosen && step.do === 'lose')
            live = live.filter((one) => one !== chosen || one.ticket.role !== 'ordinary');
          if (chosen && step.do === 'report') {
            bench.report(chosen.ticket, step.report);
            if (step.report !== 'answering') live = live.filter((one) => one !== chosen);
            if (step.report === 'success' || step.report === 'answering') successes += 1;
          }
          const { is, epoch } = bench.circuit();
          if (is === 'closed' && before.is !== 'closed') {
            successes = 0;
            seen.closings += 1;
          }
          const inEpoch = live.filter(
            ({ ticket, at }) => ticket.epoch === epoch && bench.now < at + TIMEOUT_MS + graceMs,
          );
          if (is === 'probing') expect(inEpoch.filter(({ ticket }) => ticket.role === 'probe').length).toBeLessThan(2);
          const circuit = bench.circuit();
          if (circuit.is === 'closed') {
            expect(circuit.successes).toBeLessThanOrEqual(successes);
            const returning = inEpoch.filter(({ ticket }) => ticket.role === 'after-park');
            expect(returning.length).toBeLessThanOrEqual(circuit.successes + 1);
          }
        }
      }),
      { numRuns: 2_000 },
    );
    // A script that never came to these places would prove nothing.
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(100);
  });

  test('neutral ends never open, close or count', () => {
    fc.assert(
      fc.property(fc.nat({ max: 4 }), fc.nat({ max: 50 }), (failures, neutrals) => {
        const bench = drive();
        for (let n = 0; n < failures; n++) bench.report(bench.enter(), 'failure');
        const before = bench.circuit();
        for (let n = 0; n < neutrals; n++) bench.report(bench.enter(), 'neutral');
        expect(bench.circuit()).toEqual(before);
      }),
    );
  });

  test('from any state, once the other side is well again and everybody under way is lost, a parked call gets through', () => {
    fc.assert(
      fc.property(steps, (script) => {
        const bench = drive();
        const live: Ticket[] = [];
        for (const step of script) {
          if (step.do === 'wait') bench.now += step.ms;
          if (step.do === 'ask') {
            const passage = bench.ask(step.parked);
            if (passage.is === 'admitted') live.push(passage.ticket);
          }
          if (step.do === 'report' && live.length > 0) bench.report(live[step.which % live.length]!, step.report);
        }
        bench.now += Math.max(pauseMs, TIMEOUT_MS + graceMs);
        bench.report(bench.enter(true), 'success');
        for (let call = 0; call < 10; call++) bench.report(bench.enter(true), 'success');
        expect(bench.circuit().is).toBe('closed');
      }),
      { numRuns: 2_000 },
    );
  });
});
