// `npm test`: gets a Temporal server ready, then runs jest. Arguments go to jest: `npm test -- test/policy -t "words"`.
// The last line is the count alone. HOLDFAST_CI=1: a skipped test counts as failed.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { explainMissing, findServer } from '../src/temporal/find-server.ts';
import { readProgramSettings } from '../src/temporal/settings.ts';
import { countTests, summarise, type JestReport } from './count-tests.ts';
import { runTool } from './run-tool.ts';

const ci = process.env.HOLDFAST_CI === '1';

async function runTests(): Promise<number> {
  const settings = readProgramSettings();
  const server = await findServer(settings, console.log);
  if (server.is === 'missing') {
    console.log(`${explainMissing(server)}\n${summarise(countTests(undefined, { ci }))}`);
    return 1;
  }
  console.log(`Temporal CLI ${server.version} (${server.from}). The tests start servers of their own with it.`);
  const { code, report } = await runJest();
  const count = countTests(report, { ci });
  for (const line of count.lacking) console.log(line);
  console.log(summarise(count));
  return code === 0 && count.failed > 0 ? 1 : code;
}

async function runJest(): Promise<{ code: number; report: JestReport | undefined }> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-jest-'));
  const file = join(folder, 'report.json');
  const node = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const jest = ['node_modules/jest/bin/jest.js', ...process.argv.slice(2), '--json', `--outputFile=${file}`];
  try {
    const { code } = await runTool([...node, ...jest], 'shown', { ...ownServersOnly(), ...COMPILED_ONCE });
    const text = await readFile(file, 'utf8').catch(() => undefined);
    return { code, report: text === undefined ? undefined : (JSON.parse(text) as JestReport) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

// Hundreds of commands and workers are started: each would compile the same sources anew.
const COMPILED_ONCE = { NODE_COMPILE_CACHE: join(process.cwd(), 'node_modules/.cache/holdfast-tests') };

// The tests never run against a server of the user's.
function ownServersOnly(): NodeJS.ProcessEnv {
  const follows = (name: string) => name.startsWith('TEMPORAL_') && name !== 'TEMPORAL_CLI_PATH';
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !follows(name)));
}

// Ctrl-C reaches jest too; we stay for its last words.
process.on('SIGINT', () => {});
process.exitCode = await runTests();
