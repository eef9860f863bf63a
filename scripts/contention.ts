// `npm run contention [-- --clients N --admit N --seeds N --json --save]`: what different waits cost when many want the same at
// once, in virtual time. Compared with the saved copy, a difference is shown and the exit code is 1. --save writes the copy anew.
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { didYouMean } from '../src/policy/near-matches.ts';
import { CONTENTION_DEFAULTS, playContention, type ContentionReport } from '../src/testing/contention.ts';
import { compareContention, contentionTable } from '../src/testing/contention-table.ts';

const USAGE = 'Usage: npm run contention [-- --clients N --admit N --seeds N --json --save]';
const COPY = new URL('../test/contention/golden.json', import.meta.url);
const COPY_NAME = 'test/contention/golden.json';
/** Beyond these one play alone would take long. */
const MOST = { clients: 2_000, admit: 10_000, seeds: 10_000 } as const;
const NAMES = ['clients', 'admit', 'seeds'] as const;
const SWITCHES = ['json', 'save', 'help'] as const;

const say = (line: string) => void process.stderr.write(`${line}\n`);

/** Something in the options that cannot be meant. */
class BadOption extends Error {}

async function main(): Promise<number> {
  const wishes = readWishes();
  if (wishes.help) {
    console.log(USAGE);
    return 0;
  }
  const began = performance.now();
  const report = playContention({ ...wishes, onPlay: progress(began) });
  console.log(wishes.json ? JSON.stringify(report, null, 2) : contentionTable(report));
  if (wishes.save) return save(report);
  return compare(report);
}

async function save(report: ContentionReport): Promise<number> {
  await writeFile(COPY, `${JSON.stringify(report, null, 2)}\n`);
  say(`\nSaved as ${COPY_NAME}.`);
  return 0;
}

async function compare(report: ContentionReport): Promise<number> {
  const saved = JSON.parse(await readFile(COPY, 'utf8')) as ContentionReport;
  if (NAMES.some((name) => saved[name] !== report[name])) {
    const { clients, admit, seeds } = saved;
    say(`\nNot compared: the saved copy is of --clients ${clients} --admit ${admit} --seeds ${seeds}.`);
    return 0;
  }
  const differences = compareContention(saved, report);
  if (differences.length === 0) {
    say(`\nThe same as the saved copy, ${COPY_NAME}.`);
    return 0;
  }
  say(`\nNot the same as the saved copy, ${COPY_NAME}:`);
  for (const difference of differences) say(`  ${difference}`);
  say('If the change is meant, write the copy anew: npm run contention -- --save');
  return 1;
}

/** A line every two seconds, for as long as it takes. */
function progress(began: number): (done: number, all: number) => void {
  let next = began + 2_000;
  return (done, all) => {
    const now = performance.now();
    if (now < next) return;
    next = now + 2_000;
    const leftMs = ((now - began) / done) * (all - done);
    say(`${done} of ${all} plays, about ${Math.ceil(leftMs / 1_000)} s left`);
  };
}

function readWishes() {
  const { values, tokens } = parseArgs({
    options: {
      ...Object.fromEntries(NAMES.map((name) => [name, { type: 'string' as const }])),
      ...Object.fromEntries(SWITCHES.map((name) => [name, { type: 'boolean' as const }])),
    },
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind === 'positional') throw new BadOption(`"${token.value}" is no option.`);
    if (token.kind !== 'option') continue;
    const known: readonly string[] = [...NAMES, ...SWITCHES];
    if (known.includes(token.name)) continue;
    const near = didYouMean(
      token.rawName,
      known.map((name) => `--${name}`),
    );
    throw new BadOption(`There is no option ${token.rawName}.${near}`);
  }
  const number = (name: (typeof NAMES)[number]) => readNumber(name, values[name]);
  const is = (name: (typeof SWITCHES)[number]) => values[name] !== undefined;
  return {
    clients: number('clients'),
    admit: number('admit'),
    seeds: number('seeds'),
    json: is('json'),
    save: is('save'),
    help: is('help'),
  };
}

function readNumber(name: (typeof NAMES)[number], typed: string | boolean | undefined): number {
  if (typed === undefined) return CONTENTION_DEFAULTS[name];
  const value = typeof typed === 'string' && /^\d+$/.test(typed) ? Number(typed) : 0;
  if (value >= 1 && value <= MOST[name]) return value;
  const given = typeof typed === 'string' ? `"${typed}"` : 'nothing';
  throw new BadOption(`--${name} is ${given}: give a whole number from 1 to ${MOST[name].toLocaleString('en')}.`);
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof BadOption)) throw error;
  say(`${error.message}\n${USAGE}`);
  process.exitCode = 2;
}
