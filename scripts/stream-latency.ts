// `npm run streams [-- --streams N --watchers N --pieces N --piece-ms N --events ADDRESS]`: how long a piece of a reply takes from the
// provider to a watcher in another process. The last line of stdout is the figures as JSON.
import { parseArgs } from 'node:util';
import { startDevServer } from '../src/temporal/dev-server.ts';
import { measureLatency, type LatencyPlan } from '../test/streams/measure-latency.ts';

const USAGE = 'Usage: npm run streams [-- --streams N --watchers N --pieces N --piece-ms N --events ADDRESS]';
const DEFAULTS = { streams: 1, watchers: 1, pieces: 100, 'piece-ms': 20 } as const;

const say = (line: string) => void process.stderr.write(`${line}\n`);

/** Something in the options that cannot be meant. */
class BadOption extends Error {}

async function main(plan: LatencyPlan): Promise<void> {
  const { streams, watchers, pieces, pieceMs } = plan;
  say(`${streams} replies of ${pieces} pieces, one every ${pieceMs} ms, ${watchers} watchers each.`);
  const server = await startDevServer();
  process.env['HOLDFAST_TEST_ADDRESS'] = server.address;
  try {
    const { events: _, ...figures } = await measureLatency(plan);
    console.log(JSON.stringify(figures));
  } finally {
    await server.stop();
  }
}

function readPlan(): LatencyPlan {
  const { events, ...typed } = readOptions();
  const number = (name: keyof typeof DEFAULTS) => readNumber(name, typed[name]);
  return {
    ...{ streams: number('streams'), watchers: number('watchers'), pieces: number('pieces') },
    pieceMs: number('piece-ms'),
    ...(events !== undefined && { events }),
  };
}

function readOptions() {
  const text = { type: 'string' } as const;
  try {
    const options = { streams: text, watchers: text, pieces: text, 'piece-ms': text, events: text };
    return parseArgs({ options }).values;
  } catch (error) {
    throw new BadOption((error as Error).message);
  }
}

function readNumber(name: keyof typeof DEFAULTS, typed: string | undefined): number {
  if (typed === undefined) return DEFAULTS[name];
  if (/^[1-9]\d{0,3}$/.test(typed)) return Number(typed);
  throw new BadOption(`--${name} is "${typed}": give a whole number from 1 to 9999.`);
}

try {
  await main(readPlan());
} catch (error) {
  if (!(error instanceof BadOption)) throw error;
  say(`${error.message}\n${USAGE}`);
  process.exitCode = 2;
}
