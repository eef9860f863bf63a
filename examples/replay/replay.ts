// npm run replay: a recorded run once more, as a real run, with what you like going wrong between it and its model.
import pico from 'picocolors';
import { plain } from '../../src/cli/screens/plain.ts';
import type { RunEvent } from '../../src/contracts/events.ts';
import { jsonLogger, replayAgent, startFaultProxy, startReplayServer, traceOf } from '../../src/testing/index.ts';
import { readReplayOptions, type ReplayWishes } from './replay-options.ts';
import { openStage } from './stage.ts';
import { storyLines } from './story-lines.ts';
import { traceLines } from './trace-lines.ts';

const writeError = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

const closers: (() => Promise<unknown>)[] = [];

/** What was opened last is closed first. */
async function closeAll(): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close().catch(() => undefined);
}

async function main(): Promise<number> {
  const wishes = readReplayOptions(process.argv.slice(2));
  if ('help' in wishes) {
    if (wishes.exitCode === 0) console.log(wishes.help);
    else writeError(wishes.help);
    return wishes.exitCode;
  }
  const played = await play(wishes);
  show(wishes, played);
  return played.status === 'completed' ? 0 : 1;
}

interface Played {
  readonly run: string;
  readonly status: string;
  readonly text: string;
  readonly events: readonly RunEvent[];
  readonly requests: readonly { readonly request: number; readonly fault: string | null }[];
}

async function play({ recording, faults, log }: ReplayWishes): Promise<Played> {
  const say = progress(log);
  const server = await startReplayServer({ recording });
  closers.push(() => server.close());
  const proxy = await startFaultProxy({ target: server.url, faults });
  closers.push(() => proxy.close());
  const agent = replayAgent(recording, `compatible/${recording.model}`);
  const logger = log ? { logger: jsonLogger(writeError) } : {};
  const stage = await openStage({ agent, onProgress: say, modelUrl: proxy.url, ...logger });
  closers.push(() => stage.close());
  say(`replaying ${recording.replies.length} replies of agent ${recording.agent}`);
  const run = await stage.client.start({ agent: recording.agent, input: recording.input });
  const events: RunEvent[] = [];
  const stopSaying = sayWhatGoesOn(events, say);
  try {
    for await (const event of run.watch()) events.push(event);
  } finally {
    stopSaying();
  }
  const { status, text } = await run.result();
  const requests = proxy.requests().map(({ number, fault }) => ({ request: number, fault: fault?.is ?? null }));
  return { run: run.id, status, text, events, requests };
}

/** What is going on, on standard error: as log lines where there must be nothing else. */
function progress(isLog: boolean): (line: string) => void {
  if (!isLog) return writeError;
  const { info } = jsonLogger(writeError);
  return (line) => {
    info(line, { 'event.name': 'holdfast.replay.progress' });
  };
}

const SILENCE_MS = 5_000;

/** Every few seconds, what the run is at: a fault may take minutes. Returns what ends it. */
function sayWhatGoesOn(events: readonly RunEvent[], say: (line: string) => void): () => void {
  const timer = setInterval(() => {
    const last = events.at(-1);
    const silentMs = Date.now() - (last?.at ?? Date.now());
    if (last && silentMs >= SILENCE_MS) say(`${plain(whatOf(last))}, ${Math.round(silentMs / 1_000)} s ago`);
  }, SILENCE_MS);
  return () => {
    clearInterval(timer);
  };
}

function whatOf(event: RunEvent): string {
  if (event.type === 'request-sent') return `${event.model} was asked (attempt ${event.attempt})`;
  if (event.type === 'attempt-started') return `${event.name} began (attempt ${event.attempt})`;
  if (event.type === 'attempt-ended') return `attempt ${event.attempt} of ${event.name} ended`;
  return event.type === 'call-waits' ? `a call waits: ${event.why}` : `the last that is known is ${event.type}`;
}

function show({ trace, log, json }: ReplayWishes, { run, status, text, events, requests }: Played): void {
  const isTerminal = wantsColour(process.stdout);
  const screen = { width: process.stdout.columns || 100, paint: pico.createColors(isTerminal) };
  // Names and words of a recording are somebody else's.
  const spans = plain(traceOf(run, events));
  const spoiled = requests.filter(({ fault }) => fault !== null).length;
  if (trace) console.log(traceLines(spans, screen));
  else if (!log)
    console.log(storyLines(spans, { ...plain({ status, text }), requests: requests.length, spoiled }, screen));
  if (json) console.log(JSON.stringify({ run, status, text, requests, ...(trace && { spans }) }));
}

let isInterrupted = false;
const interrupted = () => {
  // npm passes on what the terminal has sent already.
  if (isInterrupted) return;
  isInterrupted = true;
  // Whatever the run is in the middle of fails now, and that is no news.
  process.on('uncaughtException', () => undefined);
  void closeAll().then(() => process.exit(130));
  setTimeout(() => process.exit(130), 8_000).unref();
};
process.on('SIGINT', interrupted).on('SIGTERM', interrupted);
let exitCode = 1;
try {
  exitCode = await main();
} catch (error) {
  if (isInterrupted) await new Promise<never>(() => undefined);
  writeError(`replay: ${error instanceof Error ? error.message : String(error)}`);
} finally {
  await closeAll();
}
process.exit(exitCode);

/** Only a terminal does: asked by name, because picocolors takes CI for one, and `undefined` for yes. */
function wantsColour({ isTTY }: { readonly isTTY?: boolean }): boolean {
  return pico.isColorSupported && isTTY === true;
}
