// `npm run fresh-project`: what a newcomer does, with the package as it would be published: install it into a new project,
// let it write an agent, check, test and run that. The last line is the count alone.
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { readShell, runShell, startShell, type RunningShell, type Shell } from './run-shell.ts';

const repo = resolve('.');
const root = await mkdtemp(join(tmpdir(), 'holdfast-fresh-'));
const project = join(root, 'my-project');
const agent = join(project, 'my-agent');
const shellIn = (cwd: string): Shell => ({ cwd, env: environment() });
const HELLO = 'hello/holdfast.config.ts';

/** In order; each needs the ones before it. @throws Error with what was seen instead. */
const STEPS: readonly (readonly [name: string, run: () => Promise<void>])[] = [
  ['npm pack: built files, and no sources or tests', pack],
  ['npm install of the package, in a project that has nothing', install],
  ['npx holdfast init my-agent', () => inProject('npx holdfast init my-agent', /written to/)],
  ['npm install there', () => inAgent('npm install --no-audit --no-fund --prefer-offline')],
  ['tsc there, our types included', checkTypes],
  ["the tool's own test", () => inAgent('npm test', /pass 3\b/)],
  ['npx holdfast doctor', () => inAgent('npx holdfast doctor')],
  ['npx holdfast dev, and a run with npx holdfast start --wait', runAgent],
  ["the README's 20 lines", runHello],
  ["a workflow and a worker of one's own (examples/child)", runChild],
  ['the workflow bundle was the one in the package', usedPrebuilt],
];

async function pack(): Promise<void> {
  const text = await readShell(shellIn(repo), `npm pack --json --pack-destination ${root}`);
  const [packed] = JSON.parse(text.slice(text.indexOf('[\n'))) as { files: { path: string }[] }[];
  const paths = packed?.files.map(({ path }) => path) ?? [];
  const needed = ['dist/index.js', 'dist/index.d.ts', 'dist/workflows/index.js', 'dist/workflow-bundle.js'];
  const missing = [...needed, 'bin/holdfast.js', 'docs/design.md', 'README.md'].filter((path) => !paths.includes(path));
  const odd = paths.filter((path) => /^(src|test|scripts|examples|bench)\/|\.test\.js$/.test(path));
  if (missing.length + odd.length > 0) throw new Error(`missing: ${missing.join(' ')}; too much: ${odd.join(' ')}`);
}

async function install(): Promise<void> {
  const [tarball = ''] = (await readdir(root)).filter((name) => name.endsWith('.tgz'));
  await mkdir(project);
  await writeFile(join(project, 'package.json'), '{ "private": true, "type": "module" }\n');
  await inProject(`npm install --no-audit --no-fund --prefer-offline ../${tarball}`);
  await inProject('npx holdfast --version', /^\d+\.\d+\.\d+$/m);
}

async function checkTypes(): Promise<void> {
  await inAgent('npx tsc --noEmit');
  // Temporal's own declarations are not without fault, so that the compiler ends with a complaint.
  const found = await readShell(shellIn(agent), 'npx tsc --noEmit --skipLibCheck false || true');
  const ours = found.split('\n').filter((line) => line.startsWith('node_modules/holdfast/'));
  if (ours.length > 0) throw new Error(ours.join('\n'));
}

async function runAgent(): Promise<void> {
  const start = 'npx holdfast start support --input "Order A-1042 arrived damaged." --wait';
  await withDev('npx holdfast dev', () => inAgent(start, /Order A-1042 is refunded:.*re_A-1042/s));
}

async function runHello(): Promise<void> {
  await mkdir(join(agent, 'hello'));
  await cp(join(repo, 'examples', HELLO), join(agent, HELLO));
  const place = `--config ${HELLO} --data hello/.holdfast`;
  const start = `npx holdfast start support --input "Order A-1042 arrived damaged." --wait ${place}`;
  await withDev(`npx holdfast dev ${place}`, () => inAgent(start, /Done:.*re_A-1042/s));
}

async function runChild(): Promise<void> {
  await cp(join(repo, 'examples', 'child'), join(agent, 'child'), { recursive: true });
  await withDev('npx holdfast dev', ({ said }) => {
    const [, address = ''] = /Server +(127\.0\.0\.1:\d+)/.exec(said()) ?? [];
    const shell = { cwd: agent, env: { ...environment(), TEMPORAL_ADDRESS: address } };
    return runShell(shell, 'node child/claim.ts', /"doubts":\["refund:A-1042"\]/);
  });
}

async function usedPrebuilt(): Promise<void> {
  const folders = [project, agent].map((folder) => join(folder, 'node_modules', '.cache', 'holdfast'));
  const made = await Promise.all(folders.map((folder) => readdir(folder).catch(() => [])));
  if (made.flat().length > 0) throw new Error(`bundled anew: ${made.flat().join(' ')}`);
}

const inProject = (line: string, expected?: RegExp) => runShell(shellIn(project), line, expected);
const inAgent = (line: string, expected?: RegExp) => runShell(shellIn(agent), line, expected);

async function withDev(line: string, work: (dev: RunningShell) => Promise<void>): Promise<void> {
  const dev = await startShell(shellIn(agent), line, /Try in another terminal/);
  try {
    await work(dev);
  } finally {
    await dev.interrupt();
  }
}

/** A newcomer's: this Node, no settings of Temporal's or ours, and nothing of the npm that runs us. */
function environment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(TEMPORAL|HOLDFAST|npm|INIT_CWD|NODE_OPTIONS)/.test(name),
  );
  const theirs = Object.fromEntries(own);
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => !folder.startsWith(repo));
  return { ...theirs, PATH: [dirname(process.execPath), ...path].join(delimiter) };
}

let failure: unknown;
let passed = 0;
for (const [name, run] of STEPS) {
  const startedAt = performance.now();
  failure = await run().catch((error: unknown) => error);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${failure === undefined ? 'ok    ' : 'failed'}  ${seconds.padStart(5)} s  ${name}`);
  if (failure !== undefined) break;
  passed += 1;
}
if (failure !== undefined) console.log(failure instanceof Error ? failure.message : failure);
if (failure === undefined) await rm(root, { recursive: true, force: true, maxRetries: 5 });
else console.log(`What was made is left in ${root}`);
console.log(`${passed} passed, ${STEPS.length - passed} failed`);
process.exitCode = failure === undefined ? 0 : 1;
