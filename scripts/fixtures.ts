// `npm run fixtures -- FOLDER [--only GLOB]`: replays the failures of a folder against the real provider packages and compares what
// we make of them. Prints what differs; the last line is the count. test/fixtures/provider-failures/README.md describes a case.
import { parseArgs } from 'node:util';
import { loadFixtures } from '../test/fixtures-rig/load-fixtures.ts';
import { runFixtures, type Verdict } from '../test/fixtures-rig/run-fixtures.ts';

const DEFAULT_FOLDER = 'test/fixtures/provider-failures';

async function run(): Promise<number> {
  const { positionals, values } = parseArgs({ allowPositionals: true, options: { only: { type: 'string' } } });
  const fixtures = await loadFixtures(positionals[0] ?? DEFAULT_FOLDER, values.only);
  const verdicts = await runFixtures(fixtures, show);
  const failed = verdicts.filter(({ disagreements }) => disagreements.length > 0).length;
  console.log(`${verdicts.length - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

function show({ name, disagreements }: Verdict): void {
  for (const line of disagreements) console.log(`${name}  ${line}`);
}

try {
  process.exitCode = await run();
} catch (error) {
  console.log(`${(error as Error).message}\n0 passed, 1 failed`);
  process.exitCode = 2;
}
// A connection of a case that hangs must not keep the process.
process.exit();
