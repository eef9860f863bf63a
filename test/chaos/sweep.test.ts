import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { runProgram } from '../../src/temporal/run-program.ts';
import { planCases } from './sweep/plan-cases.ts';
import { casesOf, PLANTS } from './sweep/plants.ts';

const SCRIPT = new URL('../../scripts/chaos-sweep.ts', import.meta.url).pathname;
const WITHIN_MS = 150_000;

/** Runs the sweep as a person would; the last line of its output is the verdict. */
async function runSweep(...args: readonly string[]) {
  const signal = AbortSignal.timeout(WITHIN_MS);
  const end = await runProgram(process.execPath, [SCRIPT, ...args], { env: process.env, signal });
  if (end.is !== 'exited') throw new Error(`The sweep did not end: ${JSON.stringify(end).slice(0, 300)}`);
  const line =
    end.output
      .trimEnd()
      .split('\n')
      .findLast((text) => text.startsWith('{')) ?? '{}';
  return { code: end.code, verdict: JSON.parse(line) as unknown, output: end.output };
}

describe('a slice of the kill sweep', () => {
  test(
    'killed after the effect and before its answer, by each victim: one effect, while the naive loop doubles its own',
    async () => {
      const { code, verdict } = await runSweep('--only', 'b9-unflagged');
      expect(verdict).toMatchObject({ cases: 3, hits: 3, broken: 0, effectsTwice: 0, lost: 0 });
      expect(verdict).toMatchObject({ naive: { effectsTwice: 2 } });
      expect(code).toBe(0);
    },
    WITHIN_MS,
  );

  test(
    'with a bug planted it says so, and fails',
    async () => {
      const { code, verdict } = await runSweep('--plant', 'time-out-counts-as-not-sent');
      expect(code).toBe(1);
      expect((verdict as { broken: number }).broken).toBeGreaterThanOrEqual(1);
    },
    WITHIN_MS,
  );

  test('the names of the plants are printed alone; one that is not known is refused with what is near', async () => {
    const { code, output } = await runSweep('--plant', 'help');
    expect(code).toBe(0);
    expect(output.trim().split('\n')).toEqual(PLANTS.map(({ name }) => name));
    const unknown = await runSweep('--plant', 'key-from-atempt-number');
    expect(unknown.code).toBe(2);
    expect(unknown.output).toContain('"key-from-attempt-number"');
  });
});

describe('the plants', () => {
  test.each(PLANTS)(
    '$name is three words or more, changes one text that is there once, and names cases',
    async (plant) => {
      expect(plant.name.split('-').length).toBeGreaterThanOrEqual(3);
      const source = await readFile(new URL(`../../${plant.file}`, import.meta.url), 'utf8');
      expect(source.split(plant.from)).toHaveLength(2);
      expect(plant.to).not.toBe(plant.from);
      expect(casesOf(plant).length).toBeGreaterThanOrEqual(1);
    },
  );
});

test('every boundary and every victim has cases', () => {
  const cases = planCases();
  expect(cases.length).toBeGreaterThan(120);
  for (const victim of ['worker', 'server', 'ledger', 'worker-stopped']) {
    expect(cases.some((planned) => planned.victim === victim)).toBe(true);
  }
});
