// `npm run chaos:outage [-- --agents N --minutes N --scale N --json]`: real runs on a real server meet an outage of their model, time
// scaled. The last line of stdout is the verdict; exit code 1 when a bound is broken. See docs/chaos.md.
import { parseArgs } from 'node:util';
import { startDevServer } from '../src/temporal/dev-server.ts';
import { meetOutage, type OutagePlan } from '../test/outage/meet-outage.ts';

const USAGE = 'Usage: npm run chaos:outage [-- --agents N --minutes N --scale N --json]';
const DEFAULTS: OutagePlan = { agents: 50, minutes: 30, scale: 20 };
/** Beyond these one worker has other troubles. */
const MOST: OutagePlan = { agents: 500, minutes: 600, scale: 200 };

const say = (line: string) => void process.stderr.write(`${line}\n`);

/** Something in the options that cannot be meant. */
class BadOption extends Error {}

async function main(): Promise<number> {
  const { json, ...plan } = readWishes();
  const { agents, minutes, scale } = plan;
  const seconds = Math.round((minutes * 60) / scale);
  if (!json)
    say(
      `${agents} runs meet an outage of ${minutes} min, ${scale} times faster: ${seconds} s, and about 30 s around it.`,
    );
  const server = await startDevServer();
  process.env['HOLDFAST_TEST_ADDRESS'] = server.address;
  try {
    const figures = await meetOutage(plan);
    if (!json) for (const broken of figures.broken) say(`broken: ${broken}`);
    console.log(JSON.stringify(figures));
    return figures.broken.length === 0 ? 0 : 1;
  } finally {
    await server.stop();
  }
}

function readWishes(): OutagePlan & { readonly json: boolean } {
  const { values } = readOptions();
  const number = (name: keyof OutagePlan) => readNumber(name, values[name]);
  return { agents: number('agents'), minutes: number('minutes'), scale: number('scale'), json: values.json === true };
}

function readOptions() {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({ options: { agents: text, minutes: text, scale: text, json: { type: 'boolean' } } });
  } catch (error) {
    throw new BadOption((error as Error).message);
  }
}

function readNumber(name: keyof OutagePlan, typed: string | undefined): number {
  if (typed === undefined) return DEFAULTS[name];
  const value = /^\d+$/.test(typed) ? Number(typed) : 0;
  if (value >= 1 && value <= MOST[name]) return value;
  throw new BadOption(`--${name} is "${typed}": give a whole number from 1 to ${MOST[name]}.`);
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof BadOption)) throw error;
  say(`${error.message}\n${USAGE}`);
  process.exitCode = 2;
}
