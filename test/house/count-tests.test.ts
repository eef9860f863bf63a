import { expect, test } from '@jest/globals';
import { countTests, summarise, type JestReport } from '../../scripts/count-tests.ts';

const report = (change: Partial<JestReport> = {}): JestReport => ({
  numPassedTests: 7,
  numFailedTests: 0,
  numRuntimeErrorTestSuites: 0,
  numPendingTests: 0,
  testResults: [],
  ...change,
});
const lacking = report({
  numPendingTests: 1,
  testResults: [
    { assertionResults: [{ title: 'shows the run (needs Chromium: apt-get install chromium)', status: 'pending' }] },
  ],
});

test.each<[string, JestReport | undefined, boolean, string]>([
  ['all passed', report(), false, '7 passed, 0 failed'],
  ['a failed test', report({ numFailedTests: 2 }), false, '7 passed, 2 failed'],
  ['a file that does not load counts as failed', report({ numRuntimeErrorTestSuites: 1 }), false, '7 passed, 1 failed'],
  ['a skipped test is told', lacking, false, '7 passed, 0 failed, 1 skipped'],
  ['in CI it counts as failed', lacking, true, '7 passed, 1 failed'],
  ['no report at all', undefined, false, '0 passed, 1 failed'],
])('the last line of a run: %s', (_, jest, ci, line) => {
  expect(summarise(countTests(jest, { ci }))).toBe(line);
});

test('a test that lacks a program says how to get it', () => {
  expect(countTests(lacking, { ci: false }).lacking).toEqual([
    'skipped: shows the run (no Chromium), install with apt-get install chromium',
  ]);
});
