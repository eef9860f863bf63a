/** What is read of jest's JSON report. */
export interface JestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  /** Files that did not get as far as a test. */
  readonly numRuntimeErrorTestSuites: number;
  readonly numPendingTests: number;
  readonly testResults: readonly { readonly assertionResults: readonly { title: string; status: string }[] }[];
}

/** The outcome of a run in the terms of its last line. */
export interface TestCount {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Tests that this machine could not run, and how to change that. */
  readonly lacking: readonly string[];
}

/** Counts a run. `ci`: a skipped test counts as failed, since there everything can be installed. No report: the run itself failed. */
export function countTests(report: JestReport | undefined, { ci }: { readonly ci: boolean }): TestCount {
  if (!report) return { passed: 0, failed: 1, skipped: 0, lacking: [] };
  const { numPassedTests: passed, numPendingTests: pending } = report;
  const failed = report.numFailedTests + report.numRuntimeErrorTestSuites;
  return {
    passed,
    failed: ci ? failed + pending : failed,
    skipped: ci ? 0 : pending,
    lacking: report.testResults.flatMap(({ assertionResults }) => assertionResults.flatMap(readLack)),
  };
}

/** The last line of a run. */
export function summarise({ passed, failed, skipped }: TestCount): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

// As test/support/test-needing.ts titles a test that lacks something.
function readLack({ title, status }: { title: string; status: string }): string[] {
  const [, name, program, install] = /^(.*) \(needs (.+): (.+)\)$/.exec(title) ?? [];
  return status === 'pending' && name ? [`skipped: ${name} (no ${program}), install with ${install}`] : [];
}
