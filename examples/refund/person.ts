import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Question, RunHandle } from '../../src/index.ts';
import type { Script } from './acts.ts';
import type { Stage } from './stage.ts';

const run = promisify(execFile);
const BIN = fileURLToPath(new URL('../../bin/holdfast.js', import.meta.url));

/** Reads the inbox, looks at payments, and decides with the printed command; or leaves all that to whoever is watching. */
export async function playPerson(stage: Stage, script: Script, asking: RunHandle): Promise<void> {
  const question = await untilAsked(asking, script);
  const place = ['--data', stage.dataDir, ...(stage.uiUrl ? [] : ['--address', stage.address])];
  script.say(`\n$ npx holdfast inbox ${place.join(' ')}`);
  const inbox = await holdfast(['inbox', ...place]);
  script.say(indent(inbox));
  if (script.handsOn) return waitForPerson(stage, script, asking);
  const refund = await lookAtPayments(stage, script);
  const result = JSON.stringify(refund);
  const words = [
    'resolve',
    question.id,
    'happened',
    '--result',
    result,
    '--reason',
    'seen at payments',
    '--by',
    'demo',
  ];
  script.say(
    `$ npx holdfast resolve ${question.id} happened --result '${result}' --reason 'seen at payments' --by demo ${place.join(' ')}`,
  );
  script.say(indent(await holdfast([...words, ...place])));
}

async function untilAsked(asking: RunHandle, { say }: Script): Promise<Question> {
  for (let waits = 0; ; waits++) {
    const question = (await asking.state())?.questions[0];
    if (question) return question;
    if (waits % 10 === 9)
      say('  … the server still waits for the killed worker (its time-out, and 5 s for it to report)');
    if (waits > 150) throw new Error(`run ${asking.id} asked nothing within 30 s`);
    await new Promise((done) => setTimeout(done, 200));
  }
}

/** What a person would do: open the payments dashboard and look for the order. */
async function lookAtPayments({ paymentsUrl }: Stage, { order, say }: Script): Promise<unknown> {
  const url = `${paymentsUrl}/refunds?orderId=${order}`;
  say(`$ curl '${url}'`);
  const { refunds } = (await (await fetch(url)).json()) as { refunds: readonly unknown[] };
  // The newest: the naive loop's two stand there as well.
  const newest = refunds.at(-1);
  say(indent(JSON.stringify(newest)));
  return newest;
}

async function waitForPerson({ paymentsUrl }: Stage, { order, say }: Script, asking: RunHandle): Promise<void> {
  say(`Your turn. Payments knows what happened: curl '${paymentsUrl}/refunds?orderId=${order}'`);
  say('Then decide with one of the commands above, in another shell in this folder. The run goes on by itself.');
  while ((await asking.state())?.questions.length !== 0) await new Promise((done) => setTimeout(done, 500));
}

async function holdfast(words: readonly string[]): Promise<string> {
  try {
    return (await run(process.execPath, [BIN, ...words], { env: ownServerOnly() })).stdout;
  } catch (error) {
    // The inbox ends with 3 when something waits for a person: that is its news, not a failure.
    const { code, stdout = '', stderr = '' } = error as { code?: number; stdout?: string; stderr?: string };
    if (code === 3) return stdout;
    throw new Error(`holdfast ${words.join(' ')} ended with ${code}\n${stderr}`, { cause: error });
  }
}

/** The story has its own server: the person's Temporal environment is not its business. */
function ownServerOnly(): NodeJS.ProcessEnv {
  const isForeign = (name: string) => name.startsWith('TEMPORAL_') || name.startsWith('HOLDFAST_');
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !isForeign(name)));
}

const indent = (text: string): string => text.trimEnd().replace(/^/gm, '  ');
