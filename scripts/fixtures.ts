// `npm run fixtures -- FOLDER [--only GLOB]`: replays the failures of a folder against the real provider packages and compares what
// we make of them. Prints what differs; the last line is the count. test/fixtures/provider-failures/README.md describes a case.
import { parseArgs } from 'node:util';
import { loadFixtures } from '../test/fixtures-rig/load-fixtures.ts';
import { runFixtures, type Verdict } from '../test/fixtures-rig/run-fixtures.ts';

const DEFAULT_FOLDER = 'test/fixtures/provider-failures';

const USAGE = 'Usage: npm run fixtures -- [FOLDER] [--only GLOB]; a glob that begins with ! leaves out.';

async function run(): Promise<number> {
  const { folder, only } = readArguments();
  const fixtures = await loadFixtures(folder, only);
  const verdicts = await runFixtures(fixtures, show);
  const failed = verdicts.filter(({ disagreements }) => disagreements.length > 0).length;
  console.log(`${verdicts.length - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

/** @throws what is wrong with the command line, and how it is used. */
function readArguments(): { readonly folder: string; readonly only: string | undefined } {
  try {
    const options = { only: { type: 'string', multiple: true } } as const;
    const { positionals, values } = parseArgs({ allowPositionals: true, options });
    const [folder = DEFAULT_FOLDER, ...folders] = positionals;
    const [only, ...globs] = values.only ?? [];
    if (folders.length > 0) throw new Error(`One folder at a time: what is ${folders.join(' ')}?`);
    if (globs.length > 0) throw new Error(`One --only at a time: what is ${globs.join(' ')}?`);
    return { folder, only };
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${USAGE}`, { cause: error });
  }
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
