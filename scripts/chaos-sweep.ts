// `npm run chaos:sweep -- [--out DIR] [--plant NAME] [--only TEXT]`: kills real processes at every boundary of a run and lets an
// auditor judge what is left. Progress goes to stderr; the last and only line of stdout is the verdict. See docs/chaos.md.
import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { didYouMean } from '../src/policy/near-matches.ts';
import { planCases } from '../test/chaos/sweep/plan-cases.ts';
import { plantIn } from '../test/chaos/sweep/planted-sources.ts';
import { casesOf, PLANTS, type Plant } from '../test/chaos/sweep/plants.ts';
import { sweep, type Verdict } from '../test/chaos/sweep/sweep.ts';
import { OWN_PROGRAM } from '../test/chaos/sweep/sweep-worker.ts';

const say = (line: string) => void process.stderr.write(`${line}\n`);

interface Wishes {
  readonly out?: string;
  readonly plant?: string;
  /** Only cases whose id contains this. */
  readonly only?: string;
}

async function main(wishes: Wishes): Promise<number> {
  if (wishes.plant === 'help') {
    for (const { name } of PLANTS) console.log(name);
    return 0;
  }
  const plant = PLANTS.find(({ name }) => name === wishes.plant);
  if (wishes.plant !== undefined && !plant) return refuse(noSuchPlant(wishes.plant));
  const all = plant ? casesOf(plant) : planCases();
  const cases = all.filter(({ id }) => id.includes(wishes.only ?? ''));
  if (cases.length === 0) return refuse(`No case has "${wishes.only}" in its name.`);
  const folder = wishes.out ? resolve(wishes.out) : await mkdtemp(join(tmpdir(), 'holdfast-sweep-'));
  if (await isUsed(folder))
    return refuse(`${folder} is not empty: old evidence would be taken for new. Choose another.`);
  say(`${cases.length} cases${plant ? ` with ${plant.name} planted` : ''}; evidence in ${folder}`);
  const verdict = await play(plant, (program) => sweep({ cases, folder, program, say }));
  return judge(verdict);
}

function noSuchPlant(typed: string): string {
  const names = PLANTS.map(({ name }) => name);
  return `There is no plant "${typed}".${didYouMean(typed, names)} --plant help names all of them.`;
}

const isUsed = async (folder: string): Promise<boolean> => (await readdir(folder).catch(() => [])).length > 0;

function refuse(why: string): number {
  say(why);
  return 2;
}

async function play(plant: Plant | undefined, run: (program: URL) => Promise<Verdict>): Promise<Verdict> {
  if (!plant) return run(OWN_PROGRAM);
  const planted = await plantIn(plant);
  try {
    return await run(planted.program);
  } finally {
    await planted.remove();
  }
}

/** Clean only if nothing is broken or lost, every case was hit, and the rig has shown that it can see the fault. */
function judge({ findings, missed, lostRuns, ...verdict }: Verdict): number {
  for (const { case: id, invariant, what } of findings) say(`${invariant} broken in ${id}: ${what}`);
  for (const id of missed) say(`not hit: ${id}`);
  for (const id of lostRuns) say(`lost: ${id}`);
  console.log(JSON.stringify(verdict));
  const { cases, hits, broken, lost, naive } = verdict;
  return broken === 0 && lost === 0 && hits === cases && naive.effectsTwice >= 1 ? 0 : 1;
}

function readWishes(): Wishes | undefined {
  try {
    const text = { type: 'string' } as const;
    return parseArgs({ options: { out: text, plant: text, only: text } }).values;
  } catch (error) {
    say(`${(error as Error).message} Usage: npm run chaos:sweep -- [--out DIR] [--plant NAME] [--only TEXT]`);
    return undefined;
  }
}

const wishes = readWishes();
process.exit(wishes ? await main(wishes) : 2);
